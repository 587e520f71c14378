#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "planner_testing.h"

// Members and what other pods have against them.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

constexpr std::string_view kHost = "kubernetes.io/hostname";

// Nodes a1, a2, ... in zone a, and so on, each with 4 cpu.
class Neighbours : public ::testing::Test {
 protected:
  void AddZone(std::string_view zone, int nodes) {
    for (int i = 1; i <= nodes; ++i) {
      const std::string name = absl::StrCat(std::string(zone), i);
      world_.AddNode(MakeNode(name).Allocatable("cpu", "4").Label("zone", zone).Label(kHost, name));
    }
  }
  // Three pods of cpu 1, each made by `with` of a plain one.
  template <typename With>
  Unit Three(With with) {
    MakeUnit unit("a");
    for (int i = 0; i < 3; ++i) {
      MakePod pod(absl::StrCat("a-", i));
      pod.Requests({{"cpu", "1"}}).Label("app", "a");
      unit.AddMember(with(pod));
    }
    return unit;
  }
  std::string PlanOf(const Unit& unit) { return TextOf(world_.PlanFresh({unit}).units[0]); }

  World world_;
};

TEST_F(Neighbours, MembersThatMustBeApartGoToANodeEach) {
  const Unit unit = Three([](MakePod pod) { return pod.RequireApart(kHost, "app", "a"); });
  AddZone("a", 2);
  EXPECT_EQ(PlanOf(unit), "waits: pod anti-affinity");
  AddZone("b", 1);
  EXPECT_EQ(PlanOf(unit), "a1 a2 b1");
}

TEST_F(Neighbours, MembersKeepAwayFromPodsThatAreThere) {
  AddZone("a", 2);
  world_.Bind(MakePod("x").Label("app", "a"), "a1");
  const Unit unit = Three([](MakePod pod) { return pod.RequireApart("zone", "app", "a"); });
  EXPECT_EQ(PlanOf(unit), "waits: pod anti-affinity");
}

TEST_F(Neighbours, PodsThatAreThereKeepMembersAway) {
  AddZone("a", 1);
  AddZone("b", 1);
  world_.Bind(MakePod("x").RequireApart("zone", "app", "a"), "a1");
  EXPECT_EQ(PlanOf(Three([](MakePod pod) { return pod; })), "b1 b1 b1");
  world_.cluster().RemovePod("default", "x");
  EXPECT_EQ(PlanOf(Three([](MakePod pod) { return pod; })), "a1 a1 a1");
}

// Where the first node lacks the label.
TEST_F(Neighbours, PodsOnNodesWithoutTheLabelDoNotHideWhomOthersKeepAway) {
  world_.AddNode(MakeNode("z0").Label(kHost, "z0"));
  AddZone("b", 1);
  world_.Bind(MakePod("x").RequireApart("zone", "app", "a"), "z0");
  world_.Bind(MakePod("y").RequireApart("zone", "app", "a"), "b1");
  EXPECT_EQ(PlanOf(Three([](MakePod pod) { return pod; })), "z0 z0 z0");
}

Pod ApartFromMany(int terms, std::string_view key) {
  Pod pod = MakePod("x");
  for (int i = 0; i < terms; ++i) {
    PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
    term.label_selector.emplace().match_labels.Set("app", std::to_string(i));
    term.topology_key = key;
  }
  return pod;
}

TEST_F(Neighbours, APodThatIsThereAndAsksForTooMuchKeepsAllAway) {
  AddZone("a", 1);
  AddZone("b", 1);
  world_.Bind(ApartFromMany(64, kHost), "a1");
  const Unit unit = Three([](MakePod pod) { return pod; });
  EXPECT_EQ(PlanOf(unit), "a1 a1 a1");
  world_.cluster().RemovePod("default", "x");
  world_.Bind(ApartFromMany(65, kHost), "a1");
  EXPECT_EQ(PlanOf(unit), "b1 b1 b1");
}

TEST_F(Neighbours, APodThatIsThereAndAsksForTooMuchKeepsNobodyAwayByALabelOfNoNode) {
  AddZone("a", 1);
  world_.Bind(ApartFromMany(65, "rack"), "a1");
  const Unit unit = Three([](MakePod pod) { return pod; });
  EXPECT_EQ(PlanOf(unit), "a1 a1 a1");
  world_.AddNode(MakeNode("a1").Label(kHost, "a1").Label("zone", "a").Label("rack", "r"));
  EXPECT_EQ(PlanOf(unit), "waits: pod anti-affinity");
}

TEST_F(Neighbours, MembersThatMustBeTogetherAndFindNobodyBeginSomewhere) {
  AddZone("a", 1);
  AddZone("b", 1);
  world_.Bind(MakePod("x").Requests({{"cpu", "3"}}), "a1");
  const Unit unit = Three([](MakePod pod) { return pod.RequireNear("zone", "app", "a"); });
  EXPECT_EQ(PlanOf(unit), "b1 b1 b1");
}

TEST_F(Neighbours, MembersThatMustBeNearOthersWaitForThem) {
  AddZone("a", 1);
  const Unit unit = Three([](MakePod pod) { return pod.RequireNear("zone", "app", "cache"); });
  EXPECT_EQ(PlanOf(unit), "waits: pod affinity");
  world_.Bind(MakePod("x").Label("app", "cache"), "a1");
  EXPECT_EQ(PlanOf(unit), "a1 a1 a1");
}

TEST_F(Neighbours, AHardSpreadIsKept) {
  AddZone("a", 1);
  AddZone("b", 1);
  const Unit unit = Three([](MakePod pod) { return pod.Spread(1, "zone", "app", "a"); });
  const Plan plan = world_.PlanFresh({unit});
  ASSERT_TRUE(plan.units[0].fits) << TextOf(plan.units[0]);
  EXPECT_NE(TextOf(plan.units[0]), "a1 a1 a1");
  world_.Bind(MakePod("x").Requests({{"cpu", "4"}}), "b1");
  EXPECT_EQ(PlanOf(unit), "waits: topology spread");
}

// kube-scheduler may have placed one in zone b between them, whose bind call is still on its way.
TEST_F(Neighbours, MembersThatWaitStayInWhateverOrderTheyWerePlaced) {
  AddZone("a", 1);
  AddZone("b", 1);
  Unit unit = Three([](MakePod pod) { return pod.Spread(1, "zone", "app", "a"); });
  unit.members[0].waits_on = unit.members[1].waits_on = "a1";
  EXPECT_EQ(PlanOf(unit), "a1 a1 b1");
}

TEST_F(Neighbours, ReservationsThatFitTogetherAreKeptInWhateverOrderTheMembersAre) {
  AddZone("a", 2);
  AddZone("b", 1);
  Unit unit = Three([](MakePod pod) { return pod.Spread(1, "zone", "app", "a"); });
  unit.members[0].reserved = "a1";
  unit.members[1].reserved = "a2";
  unit.members[2].reserved = "b1";
  EXPECT_EQ(PlanOf(unit), "a1 a2 b1");
}

TEST_F(Neighbours, APortOfTheHostIsTakenOnce) {
  AddZone("a", 2);
  const Unit unit = Three([](MakePod pod) { return pod.AddHostPort(80); });
  EXPECT_EQ(PlanOf(unit), "waits: host ports");
  AddZone("b", 1);
  EXPECT_EQ(PlanOf(unit), "a1 a2 b1");
  world_.Bind(MakePod("x").AddHostPort(80), "b1");
  EXPECT_EQ(PlanOf(unit), "waits: host ports");
}

TEST_F(Neighbours, AUnitBeforeItKeepsOthersAway) {
  AddZone("a", 1);
  AddZone("b", 1);
  MakeUnit first("first");
  first.AddMember(MakePod("f").RequireApart("zone", "app", "a"));
  const Plan plan = world_.PlanFresh({first, Three([](MakePod pod) { return pod; })});
  EXPECT_EQ(TextOf(plan.units[0]), "a1");
  EXPECT_EQ(TextOf(plan.units[1]), "b1 b1 b1");
}

TEST_F(Neighbours, WhatAPlanPlacedIsForgottenInTheNext) {
  AddZone("a", 3);
  const Unit unit = Three([](MakePod pod) { return pod.RequireApart(kHost, "app", "a"); });
  Planner planner;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(TextOf(planner.Run(world_.Take(), std::vector<Unit>{unit}).units[0]), "a1 a2 a3");
  }
}

}  // namespace
}  // namespace outrigger::plan
