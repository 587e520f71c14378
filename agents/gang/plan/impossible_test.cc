// Members that no node could ever hold.
#include <gtest/gtest.h>

#include "planner_testing.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

// More than any node has, up to what 64 bits of thousandths hold; what is beyond that is cut as
// kube-scheduler cuts it.
constexpr const char* kTooMuch[] = {"5", "1000000", "9223372036854775"};

TEST(ImpossibleShapes, WaitAndHoldNothing) {
  for (const char* amount : kTooMuch) {
    World world;
    world.AddNodes("n", 2, "4");
    const Plan plan =
        world.PlanFresh({MakeUnit("large").Members(3, amount), MakeUnit("small").Members(2, "4")});
    EXPECT_EQ(TextOf(plan.units[0]), "waits: cpu") << amount;
    EXPECT_EQ(TextOf(plan.units[1]), "n01 n02") << amount;
  }
}

TEST(ImpossibleShapes, OfSomeMembersHoldUpTheWholeGang) {
  World world;
  world.AddNodes("n", 2, "4");
  EXPECT_EQ(TextOf(world.PlanFresh({MakeUnit("a").Members(1, "1").Members(1, "5")}).units[0]),
            "waits: cpu");
  EXPECT_EQ(
      TextOf(world.PlanFresh({MakeUnit("a").Members(1, "1").Members(1, "5").Minimum(1)}).units[0]),
      "n01 -");
}

TEST(ImpossibleShapes, AreToldWithTheNodeThatTheyWouldTake) {
  World world;
  world.AddNodes("n", 2, "4");
  EXPECT_EQ(world.Explain({MakeUnit("a").Members(2, "1000")}, 0).text,
            "2 members need cpu 1k each, 0 fit; 2 more nodes with cpu 1k free would do");
  for (const char* amount : kTooMuch) {
    EXPECT_NE(world.Explain({MakeUnit("a").Members(3, amount)}, 0).text, "") << amount;
  }
}

TEST(ImpossibleShapes, ThatAreBoundByHandLeaveNothingOfTheirNode) {
  World world;
  world.AddNodes("n", 2, "4");
  world.Bind(MakePod("x").Requests({{"cpu", kTooMuch[2]}, {"memory", "4Ei"}}), "n01");
  EXPECT_EQ(TextOf(world.PlanFresh({MakeUnit("a").Members(1, "1")}).units[0]), "n02");
  EXPECT_EQ(TextOf(world.PlanFresh({MakeUnit("a").Members(2, "3")}).units[0]), "waits: cpu");
}

TEST(ImpossibleShapes, MayBeThatNoNodeMatches) {
  World world;
  world.AddNode(MakeNode("n"));
  Pod pod = MakePod("p");
  pod.node_selector.Set("never", "there");
  MakeUnit unit("a");
  unit.AddMember(pod);
  EXPECT_EQ(TextOf(world.PlanFresh({unit}).units[0]), "waits: nodes");
}

}  // namespace
}  // namespace outrigger::plan
