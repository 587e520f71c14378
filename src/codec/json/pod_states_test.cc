#include <tuple>

#include "json_testing.h"
#include "pod_from_testing.h"

// What the kubelet reports of the life of a pod and of its containers.

namespace outrigger::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kEight = 1'768'464'000;  // 2026-01-15T08:00:00Z

constexpr std::string_view kRunning = R"({
  "metadata":{"name":"p","creationTimestamp":"2026-01-15T08:00:00Z"},
  "status":{"startTime":"2026-01-15T08:00:03Z","phase":"Running","reason":"NodeLost",
    "conditions":[{"type":"PodScheduled","status":"True","reason":"r","message":"m",
      "lastTransitionTime":"2026-01-15T08:00:02Z"}],
    "containerStatuses":[
      {"name":"main","restartCount":4,"allocatedResources":{"cpu":"2"},
       "state":{"running":{"startedAt":"2026-01-15T08:10:00Z"}},
       "lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","signal":9,
         "startedAt":"2026-01-15T08:00:05Z","finishedAt":"2026-01-15T08:09:00Z"}}},
      {"name":"loops","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
       "lastState":{"terminated":{"exitCode":-1,"finishedAt":null}}},
      {"name":"new","state":null,"lastState":{}},
      null],
    "initContainerStatuses":[
      {"name":"first","state":{"terminated":{"exitCode":0,"reason":"Completed",
         "startedAt":"2026-01-15T08:00:04Z","finishedAt":"2026-01-15T08:00:05Z"}}}]}})";

Pod RunningPod(const Needs& needs) {
  std::vector<MalformedValue> malformed;
  Pod pod = PodFrom(kRunning, needs, &malformed);
  EXPECT_THAT(malformed, IsEmpty());
  return pod;
}

TEST(PodStates, AreReadWhenNeeded) {
  const Pod pod = RunningPod(Needs().PodContainerStates());
  EXPECT_EQ(pod.status_reason, "NodeLost");
  EXPECT_EQ(pod.creation_time, kEight);
  EXPECT_EQ(pod.scheduled_time, kEight + 2);
  EXPECT_EQ(pod.start_time, kEight + 3);
  EXPECT_EQ(pod.end_time, 0) << "it runs";
  const ContainerState first{
      .name = "first", .init = true, .end = ContainerEnd{0, "Completed", kEight + 4, kEight + 5}};
  const ContainerState main{.name = "main",
                            .restarts = 4,
                            .running_since = kEight + 600,
                            .last_end = ContainerEnd{137, "OOMKilled", kEight + 5, kEight + 540}};
  const ContainerState loops{.name = "loops",
                             .restarts = 2,
                             .waiting_reason = "CrashLoopBackOff",
                             .last_end = ContainerEnd{.exit_code = -1}};
  EXPECT_THAT(pod.container_states,
              ElementsAre(first, main, loops, ContainerState{.name = "new"}, ContainerState{}));
  EXPECT_TRUE(pod.container_statuses.empty() && pod.unscheduled_reason.empty() &&
              pod.unscheduled_message.empty())
      << "that is asked for by PodStatus()";
}

TEST(PodStates, TimesAloneLeaveThemOut) {
  const Pod pod = RunningPod(Needs().PodTimes());
  EXPECT_THAT(std::tuple(pod.creation_time, pod.scheduled_time, pod.start_time),
              std::tuple(kEight, kEight + 2, kEight + 3));
  EXPECT_THAT(pod.container_states, IsEmpty());
  EXPECT_THAT(pod.status_reason, IsEmpty());
}

TEST(PodStates, AreSkippedUnlessNeeded) {
  const Pod pod =
      RunningPod(Needs().PodStatus().PodScheduling().PodMetadata().PodResources().ClusterPods());
  EXPECT_TRUE(pod.start_time == 0 && pod.end_time == 0 && pod.status_reason.empty());
  EXPECT_THAT(pod.container_states, IsEmpty());
  EXPECT_THAT(pod.container_statuses, SizeIs(1)) << "the one that reports resources";
  EXPECT_EQ(RunningPod(Needs().ClusterPods()).scheduled_time, 0);
}

TEST(PodStates, EndIsThatOfTheLastContainerOfAFinishedPod) {
  const auto end_of = [](const std::string& phase, bool states) {
    // The phase comes last: keys may come in any order.
    const std::string json = R"({"status":{"containerStatuses":[
      {"name":"a","state":{"terminated":{"finishedAt":"2026-01-15T08:00:09Z"}}},
      {"name":"b","state":{"terminated":{"finishedAt":"2026-01-15T08:00:07Z"}}},
      {"name":"c","state":{"waiting":{}},
       "lastState":{"terminated":{"finishedAt":"2026-01-15T09:00:00Z"}}}],
      "initContainerStatuses":[
      {"name":"i","state":{"terminated":{"finishedAt":"2026-01-15T08:00:01Z"}}}],
      "phase":")" + phase + R"("}})";
    std::vector<MalformedValue> malformed;
    return PodFrom(json, states ? Needs().PodContainerStates() : Needs().PodTimes(), &malformed)
        .end_time;
  };
  for (const bool states : {false, true}) {
    EXPECT_EQ(end_of("Failed", states), kEight + 9);
    EXPECT_EQ(end_of("Succeeded", states), kEight + 9);
    EXPECT_EQ(end_of("Running", states), 0);
    EXPECT_EQ(end_of("", states), 0);
  }
}

TEST(PodStates, OfAPodThatEndedWithoutContainersHaveNoEnd) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(R"({"status":{"phase":"Failed","reason":"Evicted"}})",
                          Needs().PodContainerStates(), &malformed);
  EXPECT_EQ(pod.end_time, 0);
  EXPECT_EQ(pod.status_reason, "Evicted");
}

TEST(PodStates, MalformedTimesAreListedAndZero) {
  std::vector<MalformedValue> malformed;
  const Pod pod = PodFrom(
      R"({"status":{"startTime":"soon","containerStatuses":[{"name":"a","state":
         {"running":{"startedAt":"2026-13-01T00:00:00Z"}}}]}})",
      Needs().PodContainerStates(), &malformed);
  EXPECT_EQ(pod.start_time, 0);
  ASSERT_THAT(pod.container_states, SizeIs(1));
  EXPECT_EQ(pod.container_states[0].running_since, 0);
  ASSERT_THAT(malformed, SizeIs(2));
  EXPECT_EQ(malformed[0].field, "Pod.status.startTime");
  EXPECT_EQ(malformed[1].field, "Pod.status.containerStatuses[0].state.running.startedAt");
}

}  // namespace
}  // namespace outrigger::json
