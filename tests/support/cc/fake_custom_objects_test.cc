#include "fake_custom_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr CustomKind kPool{
    .group = "g.example", .version = "v1", .plural = "pools", .kind = "Pool", .namespaced = false};
constexpr CustomObjectName kOne{.name = "one"};

/// What is seen, one line a call.
class Diary final : public CustomObjectSink {
 public:
  absl::Status Upsert(const CustomObjectName& object, std::string_view text) override {
    const json parsed = json::parse(text);
    lines.push_back(
        fmt::format("{} {}", object.name, parsed.value("/status/free"_json_pointer, -1)));
    EXPECT_EQ(parsed["metadata"]["resourceVersion"], object.resource_version);
    return absl::OkStatus();
  }
  void Remove(const CustomObjectName& object) override {
    lines.push_back(fmt::format("{} gone at {}", object.name, object.resource_version));
  }
  void BeginReplace() override { lines.emplace_back("["); }
  void EndReplace(std::string_view version) override {
    lines.push_back(fmt::format("] {}", version));
  }

  std::vector<std::string> Lines() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

class CustomObjectsOfTheFake : public ::testing::Test {
 protected:
  CustomObjectsOfTheFake() { server_.Put(kPool, {{"metadata", {{"name", "one"}}}}); }
  absl::Status Patch(const std::string& patch, const CustomObjectName& object = kOne) {
    return server_.PatchCustomStatus(kPool, object, patch, {}).status();
  }
  int Free() const { return server_.Get(kPool, "", "one")->value("/status/free"_json_pointer, -1); }

  FakeCustomObjects server_;
  Diary diary_;
};

TEST_F(CustomObjectsOfTheFake, ShowWhatChangesUntilTheEnd) {
  auto followed = server_.Follow(kPool, &diary_);
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_THAT(diary_.Lines(), ElementsAre("[", "one -1", "] 1"));
  EXPECT_EQ(Patch(R"({"free":1})"), absl::OkStatus());
  EXPECT_EQ(Patch(R"({"free":1})"), absl::OkStatus());
  EXPECT_TRUE(server_.Delete(kPool, "", "one"));
  EXPECT_FALSE(server_.Delete(kPool, "", "one"));
  EXPECT_THAT(diary_.Lines(), ElementsAre("one 1", "one gone at 3"));
  followed.reset();
  server_.Put(kPool, {{"metadata", {{"name", "two"}}}});
  EXPECT_THAT(diary_.Lines(), IsEmpty());
}

TEST_F(CustomObjectsOfTheFake, ShowTheOldWhilePaused) {
  server_.Pause();
  const auto followed = server_.Follow(kPool, &diary_);
  EXPECT_EQ(followed->Usable().code(), absl::StatusCode::kUnavailable);
  server_.Resume();
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  diary_.Lines();
  server_.Pause();
  EXPECT_EQ(Patch(R"({"free":1})"), absl::OkStatus());
  EXPECT_EQ(Patch(R"({"free":2})"), absl::OkStatus());
  EXPECT_EQ(Free(), 2);
  server_.SetServed(kPool, false);
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  EXPECT_THAT(diary_.Lines(), IsEmpty());
  server_.Resume();
  EXPECT_THAT(diary_.Lines(), ElementsAre("one 1", "one 2", "[", "one gone at ", "] "));
  EXPECT_EQ(followed->Usable().code(), absl::StatusCode::kNotFound);
  server_.SetServed(kPool, true);
  EXPECT_EQ(followed->Usable(), absl::OkStatus());
  server_.SetUsable(absl::UnavailableError("too old"));
  EXPECT_EQ(followed->Usable().message(), "too old");
}

TEST_F(CustomObjectsOfTheFake, FailBeforeAWriteAndAfterIt) {
  std::string version = server_.Get(kPool, "", "one")->at("metadata")["resourceVersion"];
  const CustomObjectName that{.name = "one", .resource_version = version};
  // Another writer comes first.
  server_.Before([this](const CustomWrite& write) {
    EXPECT_EQ(write.verb, CustomWrite::Verb::kPatchStatus);
    EXPECT_EQ(write.body, R"({"free":1})");
    server_.Put(kPool, {{"metadata", {{"name", "one"}}}, {"status", {{"free", 7}}}});
    return absl::OkStatus();
  });
  EXPECT_EQ(Patch(R"({"free":1})", that).code(), absl::StatusCode::kAborted);
  server_.Before([](const CustomWrite&) { return absl::UnavailableError("not sent"); });
  EXPECT_EQ(Patch(R"({"free":2})").message(), "not sent");
  EXPECT_EQ(Free(), 7);
  server_.Before(nullptr);
  server_.After([](const CustomWrite&) { return absl::DeadlineExceededError("lost"); });
  EXPECT_EQ(Patch(R"({"free":3})").message(), "lost");
  EXPECT_EQ(Free(), 3);
  server_.After(nullptr);
  EXPECT_EQ(Patch(R"({"free":4})"), absl::OkStatus());
  const std::vector<CustomWrite> writes = server_.Writes();
  ASSERT_EQ(writes.size(), 3U);
  EXPECT_EQ(writes[0].answer.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(writes[1].answer, absl::OkStatus());
  EXPECT_EQ(writes[2].body, R"({"free":4})");
}

TEST_F(CustomObjectsOfTheFake, AreOthersWithAnotherUid) {
  const auto followed = server_.Follow(kPool, &diary_);
  diary_.Lines();
  const json before = *server_.Get(kPool, "", "one");
  EXPECT_EQ(server_.Put(kPool, before), before);
  EXPECT_THAT(diary_.Lines(), IsEmpty());
  const json other = server_.Put(kPool, {{"metadata", {{"name", "one"}, {"uid", "u2"}}}});
  EXPECT_EQ(other["metadata"]["generation"], 1);
  EXPECT_THAT(diary_.Lines(), ElementsAre("one gone at 2", "one -1"));
  const std::string uid = before["metadata"]["uid"];
  EXPECT_EQ(Patch("{}", {.name = "one", .uid = uid}).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Patch("{}", {.name = "one", .uid = "u2"}), absl::OkStatus());
}

TEST_F(CustomObjectsOfTheFake, AreNotAskedForByWhoIsStopped) {
  const auto stop = std::make_unique<std::stop_source>();
  stop->request_stop();
  const CallLimits limits{.stop = stop->get_token()};
  EXPECT_TRUE(absl::IsCancelled(server_.ReadCustomObject(kPool, kOne, limits).status()));
  EXPECT_TRUE(absl::IsCancelled(server_.PatchCustomStatus(kPool, kOne, "{}", limits).status()));
  EXPECT_THAT(server_.Writes(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::testing
