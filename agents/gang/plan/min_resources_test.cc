// What a PodGroup wants to be free in all before its first pod gets a place (spec.minResources).
#include <gtest/gtest.h>

#include "planner_testing.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

std::string First(World* world, const Unit& unit) {
  return TextOf(world->PlanFresh({unit}).units[0]);
}

TEST(MinResources, HoldAGangBackUntilSoMuchIsFreeInAll) {
  World world;
  world.AddNodes("n", 2, "4");
  const Unit unit = MakeUnit("a").Members(2, "1").MinResources("cpu", "10");
  EXPECT_EQ(First(&world, unit), "waits: cpu (minResources)");
  world.AddNode(MakeNode("n03").Allocatable("cpu", "1"));
  EXPECT_EQ(First(&world, unit), "waits: cpu (minResources)");
  world.AddNode(MakeNode("n04").Allocatable("cpu", "1"));
  EXPECT_EQ(First(&world, unit), "n03 n04");
}

TEST(MinResources, AreWhatIsFreeNotWhatThereIs) {
  World world;
  world.AddNodes("n", 2, "4");
  const Unit unit = MakeUnit("a").Members(2, "1").MinResources("cpu", "8");
  EXPECT_EQ(First(&world, unit), "n01 n01");
  world.Bind(MakePod("other").Requests({{"cpu", "1"}}), "n02");
  EXPECT_EQ(First(&world, unit), "waits: cpu (minResources)");
}

TEST(MinResources, DoNotCountOnNodesThatAreCordoned) {
  World world;
  world.AddNodes("n", 2, "4");
  Node cordoned = MakeNode("n03").Allocatable("cpu", "4");
  cordoned.unschedulable = true;
  world.AddNode(cordoned);
  const Unit unit = MakeUnit("a").Members(2, "1").MinResources("cpu", "9");
  EXPECT_EQ(First(&world, unit), "waits: cpu (minResources)");
}

TEST(MinResources, MayBeOfAResourceThatNoPodAsksFor) {
  World world;
  world.AddNodes("n", 1, "4");
  const Unit unit = MakeUnit("a").Members(1, "1").MinResources("example.com/gpu", "2");
  EXPECT_EQ(First(&world, unit), "waits: example.com/gpu (minResources)");
  world.AddNode(MakeNode("n02").Allocatable("example.com/gpu", "2"));
  EXPECT_EQ(First(&world, unit), "n01");
}

TEST(MinResources, OfZeroOrLessAreNone) {
  World world;
  world.AddNodes("n", 1, "4");
  const Unit unit =
      MakeUnit("a").Members(1, "1").MinResources("cpu", "0").MinResources("memory", "-1");
  EXPECT_EQ(First(&world, unit), "n01");
}

// As Volcano's job controller writes them.
TEST(MinResources, OfQuotasAreNone) {
  World world;
  world.AddNodes("n", 1, "4");
  MakeUnit unit("a");
  unit.Members(2, "1").MinResources("cpu", "2");
  for (const char* name : {"pods", "count/pods", "requests.cpu", "limits.cpu",
                           "requests.example.com/gpu", "limits.memory"}) {
    unit.MinResources(name, "1000");
  }
  EXPECT_EQ(First(&world, unit), "n01 n01");
}

TEST(MinResources, ReserveNoNodes) {
  World world;
  world.AddNodes("n", 2, "4");
  const Unit wide = MakeUnit("wide").Members(2, "1").MinResources("cpu", "1000");
  PlanOptions options;
  options.reserve_for = wide.key;
  const Plan plan = world.PlanFresh({wide, MakeUnit("other").Members(2, "4")}, options);
  EXPECT_EQ(TextOf(plan.units[0]), "waits: cpu (minResources)");
  EXPECT_TRUE(plan.kept.empty());
  EXPECT_EQ(TextOf(plan.units[1]), "n01 n02");
}

// Those who were evicted for it go one after another, and others come meanwhile.
TEST(MinResources, AreNotLookedAtOnceOthersAreEvictedForTheGang) {
  World world;
  world.AddNodes("n", 1, "4");
  const Unit wide = MakeUnit("wide").Members(1, "1").MinResources("cpu", "5");
  PlanOptions options;
  options.promise = Promise{wide.key, {{wide.members[0].pod->uid, "n01"}}};
  EXPECT_EQ(TextOf(world.PlanFresh({wide}, options).units[0]), "n01");
}

TEST(MinResources, OfManyEqualGangsHoldEachOfThem) {
  World world;
  world.AddNodes("n", 1, "4");
  Unit behind = MakeUnit("behind").Members(1, "1").Priority(-1);
  behind.members[0].reserved = "n01";
  std::vector<Unit> units;
  for (const char* name : {"a", "b", "c"}) {
    units.push_back(MakeUnit(name).Members(1, "1").MinResources("cpu", "5"));
  }
  units.push_back(MakeUnit("modest").Members(1, "1").MinResources("cpu", "4"));
  units.push_back(behind);
  const Plan plan = world.PlanFresh(units);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(TextOf(plan.units[i]), "waits: cpu (minResources)");
  EXPECT_EQ(TextOf(plan.units[3]), "n01");
  EXPECT_EQ(TextOf(plan.units[4]), "n01");
}

// The sum must not overflow.
TEST(MinResources, AreThereOnNodesThatSayTheyAreHuge) {
  World world;
  for (const char* name : {"n01", "n02", "n03"}) {
    world.AddNode(
        MakeNode(name).Allocatable("cpu", "4").Allocatable("memory", "9223372036854775807"));
  }
  const Unit unit = MakeUnit("a").Members(1, "1").MinResources("memory", "9223372036854775807");
  EXPECT_EQ(First(&world, unit), "n01");
  const std::vector<Unit> too_many = {
      MakeUnit("a").Members(20, "1").MinResources("memory", "9223372036854775807")};
  EXPECT_NE(world.Explain(too_many, 0).text, "");
}

// Otherwise what others take meanwhile would cut it in two.
TEST(MinResources, AreNotLookedAtOnceAMemberHasAPlaceOrWaitsOrIsBound) {
  World world;
  world.AddNodes("n", 1, "4");
  Unit waits = MakeUnit("a").Members(2, "1").MinResources("cpu", "100");
  EXPECT_EQ(First(&world, waits), "waits: cpu (minResources)");
  Unit reserved = waits;
  reserved.members[1].reserved = "n01";
  EXPECT_EQ(First(&world, reserved), "n01 n01");
  waits.members[0].waits_on = "n01";
  EXPECT_EQ(First(&world, waits), "n01 n01");
  const Unit bound =
      MakeUnit("b").Members(1, "1").Bound(1, {"n01"}).Minimum(2).MinResources("cpu", "100");
  EXPECT_EQ(First(&world, bound), "n01");
}

TEST(MinResources, AreLeftByThoseBeforeItAndNotReserved) {
  World world;
  world.AddNodes("n", 1, "8");
  const auto texts = [&](const std::vector<Unit>& units) {
    std::string text;
    for (const UnitPlan& plan : world.PlanFresh(units).units) text += TextOf(plan) + "; ";
    return text;
  };
  const Unit wide = MakeUnit("wide").Members(1, "1").MinResources("cpu", "8");
  const Unit other = MakeUnit("other").Members(1, "1");
  EXPECT_EQ(texts({other, wide}), "n01; waits: cpu (minResources); ");
  EXPECT_EQ(texts({wide, other}), "n01; n01; ");
  EXPECT_EQ(texts({other, wide, other, wide}),
            "n01; waits: cpu (minResources); n01; waits: cpu (minResources); ")
      << "who asks for the same without it is not held back";
}

// It may take them, so they are free for it.
TEST(MinResources, CountPlacesOfGangsBehindIt) {
  World world;
  world.AddNodes("n", 1, "4");
  Unit behind = MakeUnit("behind").Members(3, "1").Priority(0);
  for (Member& member : behind.members) member.reserved = "n01";
  const Unit first = MakeUnit("first").Members(1, "1").Priority(1).MinResources("cpu", "4");
  const Plan plan = world.PlanFresh({first, behind});
  EXPECT_EQ(TextOf(plan.units[0]), "n01");
  EXPECT_EQ(TextOf(plan.units[1]), "n01 n01 n01");
}

TEST(MinResources, DoNotCountOnNodesThatAreKeptForAnother) {
  World world;
  world.AddNodes("n", 2, "4");
  world.Bind(MakePod("other").Requests({{"cpu", "1"}}), "n01");
  const Unit two = MakeUnit("two").Members(2, "4").Priority(1);
  const Unit wide = MakeUnit("wide").Members(1, "1").MinResources("cpu", "4");
  PlanOptions options;
  EXPECT_EQ(TextOf(world.PlanFresh({two, wide}, options).units[1]), "n01");
  options.reserve_for = two.key;
  options.kept = {"n01", "n02"};
  EXPECT_EQ(TextOf(world.PlanFresh({two, wide}, options).units[1]), "waits: cpu (minResources)");
}

TEST(MinResources, AreSaidInTheShortfall) {
  World world;
  world.AddNodes("n", 2, "4");
  const std::vector<Unit> units = {
      MakeUnit("a").Members(2, "1").MinResources("cpu", "10").MinResources("example.com/gpu", "1")};
  const Shortfall shortfall = world.Explain(units, 0);
  EXPECT_EQ(shortfall.text,
            "2 members need cpu 1 each, 2 fit; minResources asks for cpu 10 in all, 8 free; 1 more "
            "node with cpu 2, example.com/gpu 1 free would do");
}

TEST(MinResources, AreSaidBesideNodesForMembers) {
  World world;
  world.AddNodes("n", 1, "4");
  const std::vector<Unit> units = {MakeUnit("a").Members(2, "3").MinResources("cpu", "9")};
  EXPECT_EQ(world.Explain(units, 0).text,
            "2 members need cpu 3 each, 1 fits; minResources asks for cpu 9 in all, 4 free; 1 more "
            "node with cpu 3 free and 1 more node with cpu 2 free would do");
}

}  // namespace
}  // namespace outrigger::plan
