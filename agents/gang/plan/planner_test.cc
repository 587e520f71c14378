#include "gang/plan/planner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "planner_testing.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

std::vector<std::string> TextsOf(const Plan& plan) {
  std::vector<std::string> texts;
  for (const UnitPlan& unit : plan.units) texts.push_back(TextOf(unit));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Planner, PlacesAGangWholeOrNotAtAll) {
  World world;
  world.AddNodes("n", 2, "4");
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(4, "2")})), Texts{"n01 n01 n02 n02"});
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(5, "2")})), Texts{"waits: cpu"});
}

TEST(Planner, TakesFromLaterUnitsWhatAnEarlierOneHolds) {
  World world;
  world.AddNodes("n", 2, "4");
  const Plan plan = world.PlanFresh({MakeUnit("a").Members(3, "2"), MakeUnit("b").Members(2, "2"),
                                     MakeUnit("c").Members(1, "2")});
  EXPECT_EQ(TextsOf(plan), (Texts{"n01 n01 n02", "waits: cpu", "n02"}));
}

TEST(Planner, WhatAUnitTriedInVainIsFreeForTheNext) {
  // The first fills a node before it finds out that there is no second one for it.
  World world;
  world.AddNodes("n", 1, "4");
  const Plan plan = world.PlanFresh(
      {MakeUnit("a").Members(4, "1").Members(1, "2"), MakeUnit("b").Members(4, "1")});
  EXPECT_EQ(TextsOf(plan), (Texts{"waits: room for all members together", "n01 n01 n01 n01"}));
}

TEST(Planner, CountsWhatIsBoundAndAssumed) {
  World world;
  world.AddNodes("n", 1, "4");
  world.Bind(MakePod("x").Requests({{"cpu", "3"}}), "n01");
  const Pod pod = MakePod("y").Requests({{"cpu", "1"}});
  world.cluster().UpsertPod(pod);
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(1, "1")})), Texts{"n01"});
  ASSERT_TRUE(world.cluster().AssumePod("default", "y", pod.uid, "n01").ok());
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(1, "1")})), Texts{"waits: cpu"});
}

TEST(Planner, PlacesMembersOverTheMinimumWhereRoomIsLeft) {
  World world;
  world.AddNodes("n", 1, "4");
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(6, "1").Minimum(2)})),
            Texts{"n01 n01 n01 n01 - -"});
}

TEST(Planner, TheMinimumOfAnEqualComesBeforeWhatIsOverTheMinimum) {
  World world;
  world.AddNodes("n", 1, "4");
  const Unit elastic = MakeUnit("a").Members(4, "1").Minimum(2);
  EXPECT_EQ(TextsOf(world.PlanFresh({elastic, MakeUnit("b").Members(2, "1")})),
            (Texts{"n01 n01 - -", "n01 n01"}));
}

TEST(Planner, WhatIsOverTheMinimumComesBeforeALowerPriority) {
  World world;
  world.AddNodes("n", 1, "4");
  const Unit elastic = MakeUnit("a").Members(4, "1").Minimum(2).Priority(5);
  EXPECT_EQ(TextsOf(world.PlanFresh({elastic, MakeUnit("b").Members(2, "1").Priority(4)})),
            (Texts{"n01 n01 n01 n01", "waits: cpu"}));
}

TEST(Planner, WithoutPodPriorityEveryMinimumComesBeforeWhatIsOverTheMinimum) {
  World world;
  world.AddNodes("n", 1, "4");
  MakeUnit elastic = MakeUnit("a").Members(4, "1").Minimum(2).Priority(5);
  MakeUnit fixed = MakeUnit("b").Members(2, "1").Priority(4);
  elastic.unit().rank.by_priority = fixed.unit().rank.by_priority = false;
  EXPECT_EQ(TextsOf(world.PlanFresh({elastic, fixed})), (Texts{"n01 n01 - -", "n01 n01"}));
}

TEST(Planner, BoundMembersCountTowardsTheMinimum) {
  World world;
  world.AddNodes("n", 1, "4");
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(4, "1").Minimum(6).Bound(2)})),
            Texts{"n01 n01 n01 n01"});
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(3, "1").Minimum(6).Bound(2)})),
            Texts{"waits: members"});
}

TEST(Planner, KeepsTheMinimumOfEachRole) {
  World world;
  world.AddNodes("n", 1, "4");
  Unit unit = MakeUnit("a")
                  .Members(1, "3", "master")
                  .Members(3, "1", "worker")
                  .Minimum(2)
                  .AddRole("master", 1);
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"n01 n01 - -"});
  unit.roles.push_back({"worker", 2, 0});
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"waits: room for all members together"});
  unit.roles.push_back({"evaluator", 1, 0});
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"waits: members of role evaluator"});
}

TEST(Planner, FindsTheOneWayThatFirstFitMisses) {
  // The large ones together, or the small ones together, leave a small one over.
  World world;
  world.AddNodes("n", 2, "10");
  const Plan plan = world.PlanFresh({MakeUnit("a").Members(4, "3").Members(2, "4")});
  EXPECT_TRUE(plan.units[0].fits) << TextOf(plan.units[0]);
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(4, "3").Members(2, "4500m")})),
            Texts{"waits: room for all members together"});
}

TEST(Planner, AMemberThatWaitsToBeBoundStaysWhereItIs) {
  World world;
  world.AddNodes("n", 3, "2");
  Unit unit = MakeUnit("a").Members(2, "2");
  unit.members[1].waits_on = "n03";
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"n01 n03"});
  unit.members[1].waits_on = "gone";
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"waits: the place of a-1"});
  unit.members[1].waits_on = "n03";
  world.Bind(MakePod("x").Requests({{"cpu", "1"}}), "n03");
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"waits: the place of a-1"});
}

TEST(Planner, AReservationIsKeptWhileItIsRight) {
  World world;
  world.AddNodes("n", 3, "2");
  Unit unit = MakeUnit("a").Members(2, "2");
  unit.members[0].reserved = "n03";
  unit.members[1].reserved = "n02";
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"n03 n02"});
  world.Bind(MakePod("x").Requests({{"cpu", "1"}}), "n02");
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"n03 n01"});
}

TEST(Planner, MembersOverTheMinimumKeepTheirReservationsToo) {
  World world;
  world.AddNodes("n", 2, "2");
  Unit unit = MakeUnit("a").Members(3, "2").Minimum(1);
  unit.members[1].reserved = "n02";
  unit.members[2].reserved = "n01";
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"- n02 n01"});
}

TEST(Planner, AReservationGivesWayToAUnitBeforeIt) {
  World world;
  world.AddNodes("n", 1, "2");
  Unit later = MakeUnit("b").Members(1, "2");
  later.members[0].reserved = "n01";
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(1, "2"), later})),
            (Texts{"n01", "waits: cpu"}));
}

TEST(Planner, AUnitLeavesThePlacesOfGangsBehindItAloneIfThereAreOthers) {
  World world;
  world.AddNodes("n", 3, "2");
  Unit reserved = MakeUnit("b").Members(1, "2");
  reserved.members[0].reserved = "n01";
  Unit waits = MakeUnit("c").Members(1, "2");
  waits.members[0].waits_on = "n02";
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(1, "2"), reserved, waits})),
            (Texts{"n03", "n01", "n02"}));
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Members(2, "2"), reserved, waits})),
            (Texts{"n01 n02", "n03", "waits: cpu"}))
      << "it does not fit beside them";
}

TEST(Planner, MembersOverTheMinimumTakePlacesOfALowerPriorityLast) {
  World world;
  world.AddNodes("n", 3, "2");
  Unit later = MakeUnit("b").Members(1, "2").Priority(-1);
  later.members[0].waits_on = "n02";
  const Unit two = MakeUnit("a").Members(2, "2").Minimum(1);
  const Unit three = MakeUnit("a").Members(3, "2").Minimum(1);
  EXPECT_EQ(TextsOf(world.PlanFresh({two, later})), (Texts{"n01 n03", "n02"}));
  EXPECT_EQ(TextsOf(world.PlanFresh({three, later})), (Texts{"n01 n03 n02", "waits: cpu"}));
}

TEST(Planner, ARefusedNodeIsNotTriedAgain) {
  World world;
  world.AddNodes("n", 2, "2");
  Unit unit = MakeUnit("a").Members(1, "2");
  unit.members[0].refused = {"n01"};
  unit.members[0].reserved = "n01";
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"n02"});
  unit.members[0].refused = {"n01", "n02", "gone"};
  EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{"waits: refused by kube-scheduler"});
}

struct NodeRow {
  const char* name;
  Node node;
  Pod pod;
  const char* want;
};

TEST(Planner, KnowsWhatKubeSchedulerAsksOfANode) {
  const Toleration tolerates{"gpu", "", true, std::nullopt};
  Pod tolerant = MakePod("p");
  tolerant.tolerations = {tolerates};
  Pod any = MakePod("p");
  any.tolerations = {{"", "", true, std::nullopt}};
  Pod selective = MakePod("p");
  selective.node_selector.Set("disk", "ssd");
  const NodeRow rows[] = {
      {"a plain node", MakeNode("n"), MakePod("p"), "n"},
      {"cordoned", MakeNode("n").Unschedulable(), MakePod("p"), "waits: nodes"},
      {"cordoned, tolerated", MakeNode("n").Unschedulable(), any, "n"},
      {"tainted", MakeNode("n").AddTaint("gpu", "", TaintEffect::kNoSchedule), MakePod("p"),
       "waits: nodes"},
      {"tainted, preferably not", MakeNode("n").AddTaint("gpu", "", TaintEffect::kPreferNoSchedule),
       MakePod("p"), "n"},
      {"tainted, tolerated", MakeNode("n").AddTaint("gpu", "", TaintEffect::kNoSchedule), tolerant,
       "n"},
      {"label missing", MakeNode("n"), selective, "waits: nodes"},
      {"label there", MakeNode("n").Label("disk", "ssd"), selective, "n"},
      {"a resource that no node has", MakeNode("n"), MakePod("p").Requests({{"gpu", "1"}}),
       "waits: gpu"},
      {"too large for any node", MakeNode("n"), MakePod("p").Requests({{"cpu", "5"}}),
       "waits: cpu"},
      {"as many pods as it may hold", MakeNode("n").Allocatable("pods", "0"), MakePod("p"),
       "waits: pods per node"},
      {"requests of zero on a node without the resource", MakeNode("n"),
       MakePod("p").Requests({{"gpu", "0"}}), "n"},
      {"overhead counts", MakeNode("n"),
       MakePod("p").Requests({{"cpu", "4"}}).Overhead({{"cpu", "1m"}}), "waits: cpu"},
      {"init containers count", MakeNode("n"), MakePod("p").AddInitContainer({{"cpu", "5"}}),
       "waits: cpu"},
  };
  for (const NodeRow& row : rows) {
    World world;
    world.AddNode(row.node);
    MakeUnit unit("a");
    unit.AddMember(row.pod);
    EXPECT_EQ(TextsOf(world.PlanFresh({unit})), Texts{row.want}) << row.name;
  }
}

TEST(Planner, LeavesOutWhatIsRefusedToASpec) {
  World world;
  world.AddNodes("n", 3, "4");
  Unit unit = MakeUnit("a").Members(3, "2");
  const auto refused = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"gone", "n01", "n02"});
  for (Member& member : unit.members) member.refused_to_spec = refused;
  unit.members[2].refused_to_spec = nullptr;
  EXPECT_EQ(TextOf(world.PlanFresh({unit}).units[0]), "n03 n03 n01");
  unit.members[0].reserved = "n02";
  unit.members[2].refused_to_spec = refused;
  EXPECT_EQ(TextOf(world.PlanFresh({unit}).units[0]), "waits: refused by kube-scheduler");
}

TEST(Planner, KeepsNodesForTheOneUnitThatWaitedLong) {
  World world;
  world.AddNodes("n", 3, "2");
  world.Bind(MakePod("x").Requests({{"cpu", "2"}}), "n01");
  world.Bind(MakePod("y").Requests({{"cpu", "1"}}), "n02");
  const std::vector<Unit> units = {MakeUnit("a").Members(2, "2"), MakeUnit("b").Members(2, "1")};
  Plan plan = world.PlanFresh(units);
  EXPECT_EQ(TextsOf(plan), (Texts{"waits: cpu", "n02 n03"}));
  EXPECT_TRUE(plan.kept.empty());
  plan = world.PlanFresh(units, {.reserve_for = units[0].key, .kept = {}, .promise = {}});
  EXPECT_EQ(TextsOf(plan), (Texts{"waits: cpu", "waits: cpu"}));
  EXPECT_EQ(plan.kept, (Texts{"n01", "n03"}));
  plan =
      world.PlanFresh(units, {.reserve_for = units[0].key, .kept = {"n01", "n02"}, .promise = {}});
  EXPECT_EQ(plan.kept, (Texts{"n01", "n02"}));
  EXPECT_EQ(TextsOf(plan), (Texts{"waits: cpu", "n03 n03"}));
}

TEST(Planner, KeepsNodesForTheFirstForWhichAnyWouldDo) {
  World world;
  world.AddNodes("n", 2, "2");
  world.Bind(MakePod("x").Requests({{"cpu", "2"}}), "n01");
  world.Bind(MakePod("y").Requests({{"cpu", "1"}}), "n02");
  const auto single = [](std::string_view name, std::string_view cpu) {
    Unit unit = MakeUnit(name).Members(1, cpu);
    unit.key.dialect = Dialect::kNone;
    return unit;
  };
  const std::vector<Unit> units = {MakeUnit("wide").Members(3, "2"),
                                   MakeUnit("wider").Members(4, "2"),
                                   single("large-1", "3"),
                                   single("large-2", "3"),
                                   MakeUnit("lacks").Members(2, "2").Minimum(5),
                                   single("not-asked", "2"),
                                   single("first", "2"),
                                   MakeUnit("second").Members(2, "2")};
  PlanOptions options;
  options.may_reserve_for = [](const Unit& unit) { return unit.key.name != "not-asked"; };
  const Plan plan = world.PlanFresh(units, options);
  EXPECT_EQ(plan.kept_for, units[6].key);
  EXPECT_EQ(plan.kept, Texts{"n01"});
}

TEST(Planner, KeepsNodesInVainWhereTheyHaveRoom) {
  World world;
  world.AddNodes("n", 1, "2");
  Pod alone = MakePod("alone").Requests({{"cpu", "2"}});
  PodAffinityTerm near;
  near.topology_key = "zone";
  near.label_selector.emplace().match_labels.Set("app", "nowhere");
  alone.affinity.required_pod.push_back(near);
  const std::vector<Unit> units = {MakeUnit("a").AddMember(alone)};
  const PlanOptions options{.reserve_for = units[0].key, .kept = {}, .promise = {}};
  EXPECT_TRUE(world.PlanFresh(units, options).kept_in_vain);
  world.Bind(MakePod("x").Requests({{"cpu", "1"}}), "n01");
  const Plan plan = world.PlanFresh(units, options);
  EXPECT_EQ(plan.kept, Texts{"n01"});
  EXPECT_FALSE(plan.kept_in_vain);
}

TEST(Planner, KeepsNodesForNoneWhereTheFirstOfThemFits) {
  World world;
  world.AddNodes("n", 1, "2");
  const std::vector<Unit> units = {MakeUnit("wide").Members(2, "2"),
                                   MakeUnit("fits").Members(1, "1"),
                                   MakeUnit("waits").Members(1, "2")};
  PlanOptions options;
  options.may_reserve_for = [](const Unit&) { return true; };
  const Plan plan = world.PlanFresh(units, options);
  EXPECT_EQ(plan.kept_for, units[1].key);
  EXPECT_EQ(plan.kept, Texts{});
}

TEST(Planner, KeepsNodesOnlyWhereTheBoundMembersOfAUnitAre) {
  World world;
  for (const char* node : {"r1-0", "r1-1"}) {
    world.AddNode(MakeNode(node).Label("rack", "r1").Allocatable("cpu", "2"));
    world.Bind(MakePod(absl::StrCat("on-", node)).Requests({{"cpu", "1"}}), node);
  }
  // One node would do there.
  world.AddNode(MakeNode("r2-0").Label("rack", "r2").Allocatable("cpu", "4"));
  world.Bind(MakePod("on-r2-0").Requests({{"cpu", "1"}}), "r2-0");
  const std::vector<Unit> units = {
      MakeUnit("a").Members(2, "2").Minimum(3).Bound(1, {"r1-0"}).Required({"rack"})};
  const Plan plan =
      world.PlanFresh(units, {.reserve_for = units[0].key, .kept = {}, .promise = {}});
  EXPECT_EQ(plan.kept, (Texts{"r1-0", "r1-1"}));
}

TEST(Planner, AUnitWithoutMembersThatHasItsMinimumFits) {
  World world;
  EXPECT_EQ(TextsOf(world.PlanFresh({MakeUnit("a").Minimum(2).Bound(2)})), Texts{""});
}

}  // namespace
}  // namespace outrigger::plan
