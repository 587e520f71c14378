#include "kube/server_version.h"

#include "gmock/gmock.h"
#include "kube/errors.h"
#include "kube/scripted_paths_testing.h"

namespace outrigger::kube {
namespace {

absl::StatusOr<ServerVersion> VersionIn(absl::StatusOr<std::string> body) {
  ScriptedPaths api;
  api.AnswerCalls("/version", std::move(body));
  return FindServerVersion(api);
}

TEST(ServerVersion, IsReadFromWhatServersSay) {
  EXPECT_EQ(*VersionIn(R"({"major":"1","minor":"37","gitVersion":"v1.37.2"})"),
            (ServerVersion{1, 37}));
  EXPECT_EQ(*VersionIn(R"({"major":"1","minor":"33+"})"), (ServerVersion{1, 33}));
}

TEST(ServerVersion, QuotesWhatIsNone) {
  for (const char* body :
       {R"({})", R"([])", R"({"major":1,"minor":37})", "<html>", R"({"major":"1","minor":"x"})",
        R"({"major":"1","minor":"3.7"})", R"({"major":"1","minor":""})",
        R"({"major":"-1","minor":"37"})", R"({"major":"1","minor":"99999999999"})"}) {
    const absl::Status status = VersionIn(body).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << body;
    EXPECT_THAT(std::string(MessageOf(status)), ::testing::HasSubstr(body));
  }
  EXPECT_EQ(VersionIn(absl::UnavailableError("away")).status(), absl::UnavailableError("away"));
}

TEST(ServerVersion, SaysHowResizesCount) {
  EXPECT_EQ(ResizeCountingOf({1, 33}), ResizeCounting::kByContainer);
  EXPECT_EQ(ResizeCountingOf({1, 36}), ResizeCounting::kByContainer);
  EXPECT_EQ(ResizeCountingOf({1, 37}), ResizeCounting::kByPod);
  EXPECT_EQ(ResizeCountingOf({2, 0}), ResizeCounting::kByPod);
}

}  // namespace
}  // namespace outrigger::kube
