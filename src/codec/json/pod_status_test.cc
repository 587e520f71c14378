#include "builders.h"
#include "json_testing.h"
#include "pod_from_testing.h"

// The part of pods that only a view of the cluster reads.

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Q;

constexpr std::string_view kPod = R"({
  "metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"42","generation":7,
    "creationTimestamp":"2026-01-15T08:00:01Z","deletionTimestamp":"2026-01-16T08:00:00Z",
    "ownerReferences":[{"kind":"Node","name":"x","uid":"y"},
      {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"rs-uid","controller":true},
      null]},
  "spec":{"schedulingGates":[{"name":"example.com/a"},{"name":"example.com/b"}]},
  "status":{"phase":"Pending","qosClass":"Burstable",
    "conditions":[{"type":"Ready","reason":"x","message":"y"},
      {"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes"},
      {"type":"PodResizePending","reason":"Infeasible"},
      {"type":"PodResizePending","reason":"Deferred"}],
    "initContainerStatuses":[{"name":"side","resources":{}},{"name":"plain"},
      {"name":"set-aside","allocatedResources":{"cpu":"3"}}],
    "containerStatuses":[{"name":"main","allocatedResources":{"cpu":"2"},
      "resources":{"requests":{"cpu":"1"},"limits":{"cpu":"9"}}}],
    "resources":{"requests":{"memory":"1Gi"}},"allocatedResources":{"memory":"2Gi"}}})";

TEST(PodStatus, IsReadWhenNeeded) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(kPod, Needs().PodStatus(), &malformed);
  EXPECT_THAT(malformed, IsEmpty());
  EXPECT_EQ(pod.resource_version, "42");
  EXPECT_EQ(pod.generation, 7);
  EXPECT_EQ(pod.creation_time, 1'768'464'001);
  EXPECT_TRUE(pod.being_deleted);
  ASSERT_TRUE(pod.controller.has_value());
  EXPECT_EQ(pod.controller->kind + pod.controller->name + pod.controller->uid,
            "ReplicaSetrsrs-uid");
  EXPECT_EQ(pod.controller->api_version, "apps/v1");
  EXPECT_THAT(pod.scheduling_gates, ElementsAre("example.com/a", "example.com/b"));
  EXPECT_EQ(pod.qos_class, "Burstable");
  EXPECT_EQ(pod.unscheduled_reason, "Unschedulable");
  EXPECT_EQ(pod.unscheduled_message, "0/3 nodes");
  EXPECT_EQ(pod.scheduled_time, 0) << "since then it is not";
  EXPECT_TRUE(pod.resize_infeasible);  // the first of them counts, as upstream
  ASSERT_EQ(pod.container_statuses.size(), 1U);
  EXPECT_EQ(pod.container_statuses[0].name, "main");
  EXPECT_EQ(pod.container_statuses[0].requests->Get("cpu"), Q("1"));
  EXPECT_EQ(pod.container_statuses[0].allocated.Get("cpu"), Q("2"));
  ASSERT_EQ(pod.init_container_statuses.size(), 2U);  // "plain" reports no resources
  EXPECT_FALSE(pod.init_container_statuses[1].requests.has_value());
  EXPECT_EQ(pod.init_container_statuses[1].allocated.Get("cpu"), Q("3"));
  EXPECT_EQ(pod.init_container_statuses[0].name, "side");
  ASSERT_TRUE(pod.status_requests.has_value());
  EXPECT_EQ(pod.status_requests->Get("memory"), Q("1Gi"));
  EXPECT_EQ(pod.status_allocated.Get("memory"), Q("2Gi"));
  EXPECT_THAT(pod.phase, IsEmpty());  // that is asked for by PodScheduling()
}

TEST(PodStatus, IsSkippedUnlessNeeded) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(kPod, Needs().PodScheduling().PodMetadata().PodResources(), &malformed);
  EXPECT_EQ(pod.phase, "Pending");
  EXPECT_TRUE(pod.resource_version.empty() && pod.generation == 0 && pod.creation_time == 0 &&
              !pod.being_deleted);
  EXPECT_TRUE(!pod.controller.has_value() && pod.scheduling_gates.empty());
  EXPECT_TRUE(pod.container_statuses.empty() && !pod.status_requests.has_value());
  EXPECT_TRUE(pod.unscheduled_reason.empty() && !pod.resize_infeasible && pod.qos_class.empty());
}

TEST(PodLevelResources, AreReadWithTheOthers) {
  constexpr std::string_view kJson =
      R"({"spec":{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}}}})";
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(kJson, Needs().PodResources(), &malformed);
  EXPECT_EQ(pod.pod_requests.value_or(ResourceList()).Get("cpu"), Q("1"));
  EXPECT_EQ(pod.pod_limits.value_or(ResourceList()).Get("cpu"), Q("2"));
  EXPECT_FALSE(PodFrom(kJson, Needs().PodStatus(), &malformed).pod_limits.has_value());
}

TEST(PodStatus, MalformedTimeIsListedAndZero) {
  for (const char* time : {"yesterday", "2026-02-30T00:00:00Z", "2026-01-15T24:00:00Z", ""}) {
    std::vector<MalformedValue> malformed;
    const std::string json = R"({"metadata":{"creationTimestamp":")" + std::string(time) + R"("}})";
    EXPECT_EQ(PodFrom(json, Needs().PodStatus(), &malformed).creation_time, 0);
    EXPECT_EQ(malformed.size(), 1U) << time;
  }
}

}  // namespace
}  // namespace outrigger::json
