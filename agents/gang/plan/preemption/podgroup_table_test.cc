#include "story_testing.h"

// The table of kubernetes' TestPodGroupScheduling (test/integration/scheduler/podgroup, 1.36), step
// by step: one node of 4 cpu, pods of 1 cpu and priority 100, gangs that want 3 of them. What is
// gated there before it is enqueued waits here, with a cause.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

PodPtr One(std::string_view name, std::string_view group, int32_t priority = 100,
           std::string_view cpu = "1") {
  Pod pod = MakePod(name).Requests({{"cpu", cpu}});
  pod.scheduling_group = group;
  pod.priority = priority;
  return std::make_shared<const Pod>(pod);
}

/// <prefix>1, <prefix>2, ...
Pods Several(int count, const std::string& prefix, std::string_view group, int32_t priority = 100) {
  Pods pods;
  for (int i = 1; i <= count; ++i) {
    pods.push_back(One(prefix + std::to_string(i), group, priority));
  }
  return pods;
}
Pods Both(Pods pods, const Pods& more) {
  pods.insert(pods.end(), more.begin(), more.end());
  return pods;
}

PodGroupObject Gang(std::string_view name, int64_t minimum = 3) {
  return ObjectOf(Dialect::kUpstream, name, minimum);
}
PodGroupObject InOneZone(PodGroupObject group) {
  group.annotations.Set(kTopologyRequired, kZone);
  return group;
}
PodGroupObject Basic(std::string_view name) {
  PodGroupObject group = ObjectOf(Dialect::kUpstream, name, 0);
  group.independent = true;
  return group;
}

std::vector<Tale> OneGang() {
  const Pods blocker = {One("blocker", "", 100, "2")};
  const Pods small_blocker = {One("small-blocker", "")};
  return {
      {"GangSchedulesWhenPodGroupAndResourcesAreAvailable",
       {{.groups = {Gang("pg1")}, .come = Several(3, "p", "pg1"), .stands = "node(p1 p2 p3)"}}},
      {"GangWaitsForQuorumToStartThenSchedules",
       {{.groups = {Gang("pg1")}, .come = Several(2, "p", "pg1"), .stands = "waits(pg1: members)"},
        {.come = {One("p3", "pg1")}, .stands = "node(p1 p2 p3)"}}},
      {"GangWaitsForPodGroupThenForResourcesThenSchedules",
       {{.come = blocker, .stands = "node(blocker)"},
        {.come = Several(3, "p", "pg1"), .stands = "node(blocker) waits(pg1: no PodGroup)"},
        {.groups = {Gang("pg1")}, .stands = "node(blocker) waits(pg1: cpu)"},
        {.go = {"blocker"}, .stands = "node(p1 p2 p3)"}}},
      {"MinCountIsScheduledButOnePodRemainsUnschedulableUntilResourcesAreReleased",
       {{.come = small_blocker, .stands = "node(small-blocker)"},
        {.come = Several(4, "p", "pg1"), .stands = "node(small-blocker) waits(pg1: no PodGroup)"},
        {.groups = {Gang("pg1")}, .stands = "node(p1 p2 p3 small-blocker) waits(p4)"},
        {.go = {"small-blocker"}, .stands = "node(p1 p2 p3 p4)"}}},
  };
}

/// Both PodGroups, and then the pods one by one, each seen by a plan of its own.
Tale Competing(const char* name, const Pods& pods, const char* stands) {
  Tale tale{name, {{.groups = {Gang("pg1"), Gang("pg2")}}}};
  for (const PodPtr& pod : pods) tale.steps.push_back({.come = {pod}});
  tale.steps.push_back({.stands = stands});
  return tale;
}

std::vector<Tale> TwoGangs() {
  const auto p = [](int i) { return One("p" + std::to_string(i), "pg1"); };
  const auto other = [](int i) { return One("other-p" + std::to_string(i), "pg2"); };
  const Pods all = Both(Several(3, "p", "pg1"), Several(3, "other-p", "pg2"));
  PodGroupObject older = Gang("pg2");
  PodGroupObject younger = Gang("pg1");
  older.created = 1;
  younger.created = 2;
  return {
      Competing("TwoGangsCompetingForTheSameResourcesDoNotDeadlock",
                {p(1), other(1), p(2), other(2), p(3), other(3)}, "node(p1 p2 p3) waits(pg2: cpu)"),
      Competing("TwoGangsCompetingForTheSameResourcesDoNotDeadlockInReversedOrder",
                {other(3), p(3), other(2), p(2), other(1), p(1)},
                "node(other-p1 other-p2 other-p3) waits(pg1: cpu)"),
      // Ours: of gangs that are both complete the order of their pods says nothing.
      {"OfTwoGangsThatAreCompleteTheOlderPodGroupIsFirst",
       {{.groups = {younger, older},
         .come = all,
         .stands = "node(other-p1 other-p2 other-p3) waits(pg1: cpu)"}}},
  };
}

Tale ForMid(const char* name, const PodGroupObject& group, bool preempts, const char* stands) {
  return {name,
          {{.come = Both(Several(2, "very-low-p", "", 5), Several(2, "low-p", "", 10)),
            .stands = "node(low-p1 low-p2 very-low-p1 very-low-p2)"},
           {.groups = {group}, .come = Several(2, "mid-p", "mid-pg", 50), .stands = stands}},
          preempts};
}

std::vector<Tale> Preempting() {
  const Pods blocker = {One("low-priority-blocker", "", 10, "2")};
  const PodGroupObject mid = Gang("mid-pg", 2);
  return {
      {"GangSchedulesWithPreemption",
       {{.come = blocker, .stands = "node(low-priority-blocker)"},
        {.groups = {Gang("pg1")}, .come = Several(4, "p", "pg1"), .stands = "node(p1 p2 p3 p4)"}},
       true},
      // Differs: as few go as the minimum needs; there all four, for the fourth pod too.
      {"GangSchedulesWithWorkloadAwarePreemption",
       {{.come = Several(4, "low-p", "", 10), .stands = "node(low-p1 low-p2 low-p3 low-p4)"},
        {.groups = {Gang("pg1")},
         .come = Several(4, "p", "pg1"),
         .stands = "node(low-p4 p1 p2 p3) waits(p4)"}},
       true},
      ForMid("GangSchedulesWithPartialWorkloadAwarePreemption", mid, true,
             "node(low-p1 low-p2 mid-p1 mid-p2)"),
      ForMid("TasGangWithConstraintDoesNotUsePodByPodPreemption", InOneZone(mid), false,
             "node(low-p1 low-p2 very-low-p1 very-low-p2) waits(mid-pg: cpu)"),
      // Differs: there nobody is evicted for a gang with a constraint; here those who are in its
      // way.
      ForMid("TasGangWithConstraintUsesWorkloadPreemption", InOneZone(mid), true,
             "node(low-p1 low-p2 mid-p1 mid-p2)"),
  };
}

/// Differs: for pods of a basic group it is kube-scheduler that evicts others, not the planner.
Tale BasicThatIsInNeed(const char* name, bool preempts) {
  return {
      name,
      {{.come = {One("low-priority-blocker", "", 10, "2")}, .stands = "node(low-priority-blocker)"},
       {.groups = {Basic("pg1")},
        .come = Several(4, "p", "pg1"),
        .stands = "node(low-priority-blocker p1 p2) waits(p3: cpu, p4: cpu)"},
       {.go = {"low-priority-blocker"}, .stands = "node(p1 p2 p3 p4)"}},
      preempts};
}

std::vector<Tale> BasicGroups() {
  return {
      {"BasicGroupSchedulesWithoutGangEnforcement",
       {{.groups = {Basic("pg1")}, .come = Several(1, "p", "pg1"), .stands = "node(p1)"},
        {.come = {One("p2", "pg1"), One("p3", "pg1")}, .stands = "node(p1 p2 p3)"}}},
      {"BasicGroupWaitsForPodGroupPartOfItWaitsForResourcesThenSchedules",
       {{.come = {One("blocker", "", 100, "2")}, .stands = "node(blocker)"},
        {.come = Several(3, "p", "pg1"), .stands = "node(blocker) waits(pg1: no PodGroup)"},
        {.groups = {Basic("pg1")}, .stands = "node(blocker p1 p2) waits(p3: cpu)"},
        {.go = {"blocker"}, .stands = "node(p1 p2 p3)"}}},
      BasicThatIsInNeed("BasicGroupSchedulesWithPreemption", false),
      BasicThatIsInNeed("BasicGroupSchedulesWithWorkloadAwarePreemption", true),
  };
}

class PodGroupScheduling : public ::testing::TestWithParam<Tale> {};

TEST_P(PodGroupScheduling, IsAsUpstream) {
  Story story({MakeNode("node").Label(kZone, "zone1").Allocatable("cpu", "4")},
              GetParam().preempts);
  for (size_t i = 0; i < GetParam().steps.size(); ++i) {
    const Step& step = GetParam().steps[i];
    const std::string stands = story.Take(step);
    if (step.stands == nullptr) continue;
    EXPECT_EQ(stands, step.stands) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(OneGang, PodGroupScheduling, ::testing::ValuesIn(OneGang()), kTaleName);
INSTANTIATE_TEST_SUITE_P(TwoGangs, PodGroupScheduling, ::testing::ValuesIn(TwoGangs()), kTaleName);
INSTANTIATE_TEST_SUITE_P(Preempting, PodGroupScheduling, ::testing::ValuesIn(Preempting()),
                         kTaleName);
INSTANTIATE_TEST_SUITE_P(Basic, PodGroupScheduling, ::testing::ValuesIn(BasicGroups()), kTaleName);

}  // namespace
}  // namespace outrigger::plan
