// Members that are shared out to nodes which are kept for their gang.
#include <string>
#include <vector>

#include "builders.h"
#include "gang/plan/planner_testing.h"
#include "gmock/gmock.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PlanOptions KeepFor(const Unit& unit) {
  PlanOptions options;
  options.reserve_for = unit.key;
  options.share_kept = true;
  return options;
}

Pod Running(const std::string& name, const std::string& cpu) {
  return testing::MakePod(name).Requests({{"cpu", cpu}});
}

TEST(ShareKept, MembersGetRoomOnNodesThatAreStillUsed) {
  World world;
  world.AddNodes("n", 3, "2");
  for (const char* node : {"n01", "n02", "n03"}) {
    world.Bind(Running(std::string("old-") + node, "2"), node);
  }
  const Unit gang = MakeUnit("gang").Members(4, "1");
  const Plan plan = world.PlanFresh({gang}, KeepFor(gang));
  EXPECT_FALSE(plan.units[0].fits);
  EXPECT_THAT(plan.kept, ElementsAre("n01", "n02"));
  EXPECT_THAT(plan.units[0].promised, ElementsAre("n01", "n01", "n02", "n02"));
  PlanOptions without = KeepFor(gang);
  without.share_kept = false;
  EXPECT_THAT(world.PlanFresh({gang}, without).units[0].promised, IsEmpty());
}

TEST(ShareKept, MembersStayWhereTheyAreNominated) {
  World world;
  world.AddNodes("n", 2, "2");
  for (const char* node : {"n01", "n02"}) {
    world.Bind(Running(std::string("old-") + node, "2"), node);
  }
  Unit gang = MakeUnit("gang").Members(4, "1");
  gang.members[0].ahead = "n02";
  gang.members[3].ahead = "n01";
  EXPECT_THAT(world.PlanFresh({gang}, KeepFor(gang)).units[0].promised,
              ElementsAre("n02", "n01", "n02", "n01"));
}

// A member that is nominated for a full node would keep it from the pod that has the place.
TEST(ShareKept, PlacesOfOthersOnAKeptNodeAreTheirs) {
  World world;
  world.AddNodes("n", 2, "4");
  world.Bind(Running("old-1", "3"), "n01");
  world.Bind(Running("old-2", "4"), "n02");
  const Unit before = MakeUnit("before").Members(1, "1").Priority(1);
  const Unit gang = MakeUnit("gang").Members(7, "1");
  const Plan plan = world.PlanFresh({before, gang}, KeepFor(gang));
  EXPECT_EQ(TextOf(plan.units[0]), "n01");
  EXPECT_THAT(plan.units[1].promised, ElementsAre("n01", "n01", "n01", "n02", "n02", "n02", "n02"));
}

TEST(ShareKept, AMemberDoesNotShareANodeThatRefusedIt) {
  World world;
  world.AddNodes("n", 2, "1");
  for (const char* node : {"n01", "n02"}) {
    world.Bind(Running(std::string("old-") + node, "1"), node);
  }
  Unit gang = MakeUnit("gang").Members(2, "1");
  gang.members[0].refused = {"n01"};
  EXPECT_THAT(world.PlanFresh({gang}, KeepFor(gang)).units[0].promised, ElementsAre("n02", "n01"));
}

TEST(ShareKept, LargeAndSmallMembersGetNodesThatTakeThem) {
  World world;
  world.AddNodes("a", 1, "1").AddNodes("b", 1, "4");
  world.Bind(Running("old-a", "1"), "a01");
  world.Bind(Running("old-b", "4"), "b01");
  const Unit gang = MakeUnit("gang").Members(1, "1").Members(1, "4");
  EXPECT_THAT(world.PlanFresh({gang}, KeepFor(gang)).units[0].promised, ElementsAre("a01", "b01"));
}

// Nothing nominates single pods: the scheduler does not ask about them.
TEST(ShareKept, SinglePodsAreNotSharedOut) {
  World world;
  world.AddNodes("n", 1, "1");
  world.Bind(Running("old", "1"), "n01");
  Unit single = MakeUnit("single").Members(1, "1");
  single.key.dialect = Dialect::kNone;
  const Plan plan = world.PlanFresh({single}, KeepFor(single));
  EXPECT_THAT(plan.kept, ElementsAre("n01"));
  EXPECT_THAT(plan.units[0].promised, IsEmpty());
}

// Where it was nominated it is placed once its gang fits, and not where it would go otherwise.
TEST(ShareKept, AGangThatFitsGoesWhereItIsNominated) {
  World world;
  world.AddNodes("n", 2, "1");
  Unit gang = MakeUnit("gang").Members(2, "1");
  EXPECT_EQ(TextOf(world.PlanFresh({gang}).units[0]), "n01 n02");
  gang.members[0].ahead = "n02";
  gang.members[1].ahead = "n01";
  EXPECT_EQ(TextOf(world.PlanFresh({gang}).units[0]), "n02 n01");
}

}  // namespace
}  // namespace outrigger::plan
