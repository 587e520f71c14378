#include "groups_testing.h"

// The table of scheduler-plugins' TestPreFilter (pkg/coscheduling/core, 0.34): whether a pod, p1a,
// is tried at all. Its tables of Permit and PostFilter are in
// agents/gang/coscheduling_table_test.cc.

namespace outrigger::plan {
namespace {

using ::testing::Contains;

PodOf In(std::string_view group, std::string_view name) {
  return PodOf(name).Member(Dialect::kSchedulerPlugins, group);
}
PodOf Gated(std::string_view name) {
  return In("pg1", name).Gate("example-gate");
}
PodGroupObject Group(std::string_view name, int64_t minimum, std::string_view min_cpu = "") {
  PodGroupObject object = ObjectOf(Dialect::kSchedulerPlugins, name, minimum);
  if (!min_cpu.empty()) object.min_resources.Set("cpu", testing::Q(min_cpu));
  return object;
}

struct PreFilterRow {
  const char* name;
  PodOf pod;
  Pods others;
  std::vector<PodGroupObject> groups;
  const char* waits = "";  // why its group is not planned; empty: it is
};

std::vector<PreFilterRow> OfNumbers() {
  const Pods two_more = {In("pg1", "p1b"), In("pg1", "p1c")};
  return {
      {"PodDoesNotBelongToAnyPodGroup",
       PodOf("p1a"),
       {In("pg1", "p1"), In("pg2", "p2")},
       {Group("pg1", 1), Group("pg2", 1)}},
      // Differs: there it is tried, and Permit refuses it.
      {"PodBelongsToANonExistentPodGroup",
       In("pg-non-existent", "p1a"),
       {},
       {Group("pg1", 1)},
       "there is no PodGroup default/pg-non-existent (podgroups.scheduling.x-k8s.io)"},
      {"PodCountLessThanMinMember",
       In("pg1", "p1a"),
       {In("pg2", "p2-1")},
       {Group("pg1", 2), Group("pg2", 2)},
       "1 of 2 members exist"},
      {"PodCountEqualMinMember", In("pg1", "p1a"), {In("pg1", "p1b")}, {Group("pg1", 2)}},
      {"PodCountMoreThanMinMember", In("pg1", "p1a"), two_more, {Group("pg1", 2)}},
  };
}

std::vector<PreFilterRow> OfGates() {
  const PodOf open = In("pg1", "p1a");
  return {
      {"GatedPodsButStillMeetingQuorum", open, {In("pg1", "p1b"), Gated("p1c")}, {Group("pg1", 2)}},
      {"GatedPodsPushGroupBelowQuorum",
       open,
       {Gated("p1b"), In("pg1", "p1c")},
       {Group("pg1", 3)},
       "2 of 3 members exist; not counted: 1 gated by example-gate"},
      {"AllSiblingPodsAreGated",
       open,
       {Gated("p1b"), Gated("p1c")},
       {Group("pg1", 2)},
       "1 of 2 members exist; not counted: 2 gated by example-gate"},
  };
}

std::vector<PreFilterRow> OfResources() {
  const Pods two_more = {In("pg1", "p1b"), In("pg1", "p1c")};
  return {
      {"ResourcesOfTheClusterSatisfyMinResources",
       In("pg1", "p1a"),
       two_more,
       {Group("pg1", 2, "6")}},
      // Refused as well, but by the planner, once it knows what units before it take:
      // min_resources_test.cc.
      {"ResourcesOfTheClusterCannotSatisfyMinResources",
       In("pg1", "p1a"),
       two_more,
       {Group("pg1", 2, "10")}},
  };
}

class PreFilter : public ::testing::TestWithParam<PreFilterRow> {};

TEST_P(PreFilter, IsAsUpstream) {
  const PreFilterRow& row = GetParam();
  Pods pods = row.others;
  pods.push_back(row.pod);
  const Built built = Build(pods, row.groups);
  std::vector<std::string> planned;
  for (const Unit& unit : built.units) {
    for (const Member& member : unit.members) planned.push_back(member.pod->name);
  }
  std::string waits;
  const auto membership = MembershipOf(*pods.back(), nullptr);
  if (membership) waits = FindGroup(built.groups, *membership)->text;
  EXPECT_EQ(waits, row.waits);
  if (membership && *row.waits == '\0') {
    EXPECT_EQ(built.units[0].min_resources, row.groups[0].min_resources);
  }
  EXPECT_THAT(planned, Contains("p1a").Times(*row.waits == '\0' ? 1 : 0));
}

constexpr auto kPreFilterName = [](const auto& row) { return row.param.name; };
INSTANTIATE_TEST_SUITE_P(Numbers, PreFilter, ::testing::ValuesIn(OfNumbers()), kPreFilterName);
INSTANTIATE_TEST_SUITE_P(Gates, PreFilter, ::testing::ValuesIn(OfGates()), kPreFilterName);
INSTANTIATE_TEST_SUITE_P(Resources, PreFilter, ::testing::ValuesIn(OfResources()), kPreFilterName);

}  // namespace
}  // namespace outrigger::plan
