#include "load/annotate/node_writer.h"

#include "load/annotate/written_values.h"

namespace outrigger::annotate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Answers one call, and keeps what it asked.
class OneCall final : public kube::Api {
 public:
  explicit OneCall(absl::StatusOr<kube::ApiResponse> answer) : answer_(std::move(answer)) {}
  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override {
    method = request.method;
    path = request.path;
    body = request.body;
    content_type = request.content_type;
    may_retry = request.may_retry;
    return answer_;
  }
  absl::Status Stream(const kube::ApiRequest&, kube::ByteSink) override {
    return absl::UnimplementedError("no stream");
  }
  std::string method, path, body, content_type;
  bool may_retry = true;

 private:
  absl::StatusOr<kube::ApiResponse> answer_;
};

TEST(KubeNodeWriter, SendsAMergePatchOfAnnotationsOnce) {
  OneCall api(kube::ApiResponse{200, R"({"metadata":{"name":"a","resourceVersion":"17"}})"});
  const auto version =
      KubeNodeWriter(&api).Write("a", {{"x", "1"}, {"outrigger.dev/y", std::nullopt}}, {});
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, "17");
  EXPECT_EQ(api.method, "PATCH");
  EXPECT_EQ(api.path, "/api/v1/nodes/a");
  EXPECT_EQ(api.content_type, "application/merge-patch+json");
  EXPECT_EQ(api.body, R"({"metadata":{"annotations":{"outrigger.dev/y":null,"x":"1"}}})");
  EXPECT_FALSE(api.may_retry);
}

TEST(KubeNodeWriter, AnAnswerWithoutAVersionIsStillASuccess) {
  for (const char* body : {"", "[]", "{", R"({"metadata":{}})", R"({"metadata":[1]})",
                           R"({"metadata":{"resourceVersion":7}})", R"("text")"}) {
    OneCall api(kube::ApiResponse{200, body});
    const auto version = KubeNodeWriter(&api).Write("a", {{"x", "1"}}, {});
    ASSERT_TRUE(version.ok()) << body;
    EXPECT_EQ(*version, "");
  }
}

Node Shown(const std::string& version, const std::string& x) {
  Node node;
  node.name = "a";
  node.annotations = {{"others", "0"}, {"x", x}};
  node.resource_version = version;
  return node;
}

TEST(WrittenValues, CountUntilTheViewShowsThem) {
  WrittenValues written;
  const std::vector<std::string> keys = {"x", "y"};
  written.Note("a", {{"x", "2"}, {"y", "3"}}, "100");
  EXPECT_THAT(written.Shown(Shown("99", "1"), keys), ElementsAre(Pair("x", "2"), Pair("y", "3")));
  EXPECT_THAT(written.Shown(Shown("100", "2"), keys), ElementsAre(Pair("x", "2")));
  // From here on the view is believed: what it shows is newer.
  EXPECT_THAT(written.Shown(Shown("99", "1"), keys), ElementsAre(Pair("x", "1")));
}

TEST(WrittenValues, ARemovalCountsToo) {
  WrittenValues written;
  written.Note("a", {{"x", "2"}}, "100");
  written.Note("a", {{"x", std::nullopt}}, "102");
  EXPECT_THAT(written.Shown(Shown("101", "2"), {"x"}), IsEmpty());
  written.Retain([](std::string_view) { return false; });
  EXPECT_THAT(written.Shown(Shown("101", "2"), {"x"}), ElementsAre(Pair("x", "2")));
}

}  // namespace
}  // namespace outrigger::annotate
