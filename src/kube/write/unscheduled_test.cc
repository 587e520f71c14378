// What is written of a pod that found no node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/scripted_testing.h"
#include "kube/write/status_patch.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

constexpr char kAnswer[] = R"({"metadata":{"uid":"uid-1"}})";
const std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'768'464'000)};

Pod Waiting() {
  Pod pod;
  pod.namespace_ = "shop";
  pod.name = "web-1";
  pod.uid = "uid-1";
  pod.generation = 3;
  return pod;
}

absl::Status Write(ScriptedApi* api, const Pod& pod, std::string_view message = "0/9 nodes") {
  return WriteUnscheduled(*api, pod, "Unschedulable", message, kNow, {});
}

TEST(WriteUnscheduled, MergesTheConditionIntoTheOthers) {
  ScriptedApi api({std::string(kAnswer)});
  ASSERT_TRUE(Write(&api, Waiting()).ok());
  ASSERT_EQ(api.asked.size(), 1U);
  EXPECT_EQ(api.asked[0].method, "PATCH");
  EXPECT_EQ(api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1/status");
  EXPECT_EQ(api.asked[0].content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(Json::parse(api.asked[0].body), Json::parse(R"({
    "metadata":{"uid":"uid-1"},
    "status":{"conditions":[{"type":"PodScheduled","status":"False",
      "lastTransitionTime":"2026-01-15T08:00:00Z","reason":"Unschedulable",
      "message":"0/9 nodes","observedGeneration":3}]}})"));
}

TEST(WriteUnscheduled, KeepsTheTimeOfTheTransitionWhereItWasFalseBefore) {
  ScriptedApi api({std::string(kAnswer)});
  Pod pod = Waiting();
  pod.unscheduled_reason = "SchedulingGated";
  ASSERT_TRUE(Write(&api, pod).ok());
  const Json condition = Json::parse(api.asked[0].body)["status"]["conditions"][0];
  EXPECT_FALSE(condition.contains("lastTransitionTime")) << condition;
  EXPECT_EQ(condition["reason"], "Unschedulable");
}

TEST(WriteUnscheduled, LeavesOutAGenerationThatIsNotCounted) {
  ScriptedApi api({std::string(kAnswer)});
  Pod pod = Waiting();
  pod.generation = 0;
  ASSERT_TRUE(Write(&api, pod).ok());
  EXPECT_THAT(api.asked[0].body, ::testing::Not(HasSubstr("observedGeneration")));
}

TEST(WriteUnscheduled, WritesNothingWhereItSaysThatAlready) {
  ScriptedApi api({});
  Pod pod = Waiting();
  pod.unscheduled_reason = "Unschedulable";
  pod.unscheduled_message = "0/9 nodes";
  EXPECT_TRUE(Write(&api, pod).ok());
  EXPECT_THAT(api.asked, IsEmpty());
  EXPECT_FALSE(Write(&api, pod, "0/8 nodes").ok()) << "another message is written";
  EXPECT_EQ(api.asked.size(), 1U);
}

TEST(WriteUnscheduled, IsOfOneVersionWhereThatIsGiven) {
  ScriptedApi api({std::string(kAnswer)});
  ASSERT_TRUE(WriteUnscheduled(api, Waiting(), "x", "y", kNow, {}, "7").ok());
  EXPECT_EQ(Json::parse(api.asked[0].body)["metadata"]["resourceVersion"], "7");
}

TEST(WriteUnscheduled, IsRefusedForAnotherPodOfThatName) {
  ScriptedApi api({ErrorOfAnswer(422, "", ""), std::string(R"({"metadata":{"uid":"uid-2"}})")});
  EXPECT_EQ(Write(&api, Waiting()).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(WriteUnscheduled(api, Pod(), "x", "y", kNow, {}).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace outrigger::kube
