#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "planner_testing.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

// Racks of nodes with 2 cpu: "r1-1", "r1-2", ...
class Racks : public ::testing::Test {
 protected:
  void AddRack(const std::string& rack, int nodes, const std::string& zone = "z") {
    for (int i = 1; i <= nodes; ++i) {
      world_.AddNode(MakeNode(absl::StrCat(rack, "-", i))
                         .Allocatable("cpu", "2")
                         .Label("rack", rack)
                         .Label("zone", zone));
    }
  }
  std::string PlanOf(const Unit& unit) { return TextOf(world_.PlanFresh({unit}).units[0]); }

  World world_;
};

TEST_F(Racks, MembersShareTheRequiredDomain) {
  AddRack("r1", 1);
  AddRack("r2", 3);
  AddRack("r3", 2);
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(4, "1").Required({"rack"})), "r3-1 r3-1 r3-2 r3-2");
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(7, "1").Required({"rack"})),
            "waits: room within one rack");
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(13, "1").Required({"rack"})), "waits: cpu");
}

TEST_F(Racks, ThatOneUnitFindsNoDomainSaysNothingAboutOneThatNeedsNone) {
  AddRack("r1", 1);
  AddRack("r2", 1);
  const Plan plan = world_.PlanFresh(
      {MakeUnit("a").Members(3, "1").Required({"rack"}), MakeUnit("b").Members(3, "1")});
  EXPECT_EQ(TextOf(plan.units[0]), "waits: room within one rack");
  EXPECT_EQ(TextOf(plan.units[1]), "r1-1 r1-1 r2-1");
}

TEST_F(Racks, NodesWithoutTheLabelAreInNoDomain) {
  world_.AddNodes("bare", 5, "2");
  AddRack("r1", 1);
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(3, "1").Required({"rack"})),
            "waits: room within one rack");
}

TEST_F(Racks, OfSeveralRequiredLabelsEachIsShared) {
  AddRack("r1", 1, "z1");
  AddRack("r1", 1, "z1");
  AddRack("r2", 1, "z2");
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(2, "1").Required({"zone", "rack"})), "r1-1 r1-1");
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(3, "1").Required({"zone", "rack"})),
            "waits: room within one zone");
}

TEST_F(Racks, BoundAndWaitingMembersSayWhichDomain) {
  AddRack("r1", 2);
  AddRack("r2", 2);
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(1, "1").Minimum(2).Bound(1, {"r2-1"}).Required({"rack"})),
            "r2-1");
  Unit unit = MakeUnit("a").Members(2, "1").Required({"rack"});
  unit.members[0].waits_on = "r2-2";
  EXPECT_EQ(PlanOf(unit), "r2-2 r2-1");
}

TEST_F(Racks, AReservedDomainIsKept) {
  AddRack("r1", 2);
  AddRack("r2", 2);
  Unit unit = MakeUnit("a").Members(3, "1").Required({"rack"});
  unit.members[0].reserved = "r2-1";
  EXPECT_EQ(PlanOf(unit), "r2-1 r2-1 r2-2");
}

TEST_F(Racks, APreferredDomainIsOnlyAWish) {
  AddRack("r1", 1);
  AddRack("r2", 2);
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(3, "1").Preferred({"rack"})), "r2-1 r2-1 r2-2");
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(5, "1").Preferred({"rack"})), "r2-1 r2-1 r2-2 r2-2 r1-1");
}

TEST_F(Racks, APreferredDomainIsThatOfTheMembersThatAreBoundIfThereIsRoom) {
  AddRack("r1", 3);
  AddRack("r2", 2);
  const auto with = [](int members, const char* bound_on) -> Unit {
    return MakeUnit("a")
        .Members(members, "1")
        .Minimum(members + 1)
        .Bound(1, {bound_on})
        .Preferred({"rack"});
  };
  EXPECT_EQ(PlanOf(with(2, "gone")), "r2-1 r2-1") << "the fuller one";
  EXPECT_EQ(PlanOf(with(2, "r1-3")), "r1-1 r1-1");
  EXPECT_EQ(PlanOf(with(5, "r2-1")), "r1-1 r1-1 r1-2 r1-2 r1-3") << "5 do not fit into r2";
}

TEST_F(Racks, TheFirstPreferredLevelThatHoldsAllIsTaken) {
  AddRack("r1", 1, "z1");
  AddRack("r2", 2, "z2");
  AddRack("r3", 2, "z2");
  const Unit unit = MakeUnit("a").Members(6, "1").Preferred({"rack", "zone"});
  EXPECT_EQ(PlanOf(unit), "r2-1 r2-1 r2-2 r2-2 r3-1 r3-1");
}

TEST_F(Racks, AWishIsFollowedWithinWhatIsRequired) {
  AddRack("r1", 2, "z1");
  AddRack("r2", 1, "z2");
  AddRack("r3", 2, "z2");
  const Unit unit = MakeUnit("a").Members(3, "1").Required({"zone"}).Preferred({"rack"});
  EXPECT_EQ(PlanOf(unit), "r1-1 r1-1 r1-2");
}

TEST_F(Racks, MembersOverTheMinimumStayInTheRequiredDomain) {
  AddRack("r1", 1);
  AddRack("r2", 1);
  EXPECT_EQ(PlanOf(MakeUnit("a").Members(3, "1").Minimum(1).Required({"rack"})), "r1-1 r1-1 -");
}

TEST_F(Racks, MembersOverTheMinimumFollowWishesToo) {
  AddRack("r1", 1);
  AddRack("r2", 2);
  AddRack("r3", 1);
  const auto wish = [](int members) {
    return MakeUnit("a").Members(members, "1").Minimum(3).Preferred({"rack"});
  };
  EXPECT_EQ(PlanOf(wish(4)), "r2-1 r2-1 r2-2 r2-2");
  EXPECT_EQ(PlanOf(wish(5)), "r2-1 r2-1 r2-2 r2-2 r1-1") << "a wish, no more";
  Unit with_bound = MakeUnit("a").Members(2, "1").Minimum(1).Bound(1, {"r3-1"}).Preferred({"rack"});
  EXPECT_EQ(PlanOf(with_bound), "r3-1 r3-1");
  with_bound.members[1].reserved = "r1-1";
  EXPECT_EQ(world_.PlanFresh({with_bound}).units[0].nodes[1], "r1-1")
      << "what was told the scheduler is kept";
}

TEST_F(Racks, AMixedGangFitsIntoOneRack) {
  for (const std::string rack : {"r1", "r2"}) {
    world_.AddNode(MakeNode(rack + "-big").Allocatable("cpu", "20").Label("rack", rack));
    for (int i = 0; i < 8; ++i) {
      MakeNode node(absl::StrCat(rack, "-gpu", i));
      node.Allocatable("cpu", "4").Allocatable("gpu", rack == "r1" && i == 0 ? "0" : "1");
      world_.AddNode(node.Label("rack", rack));
    }
  }
  MakeUnit unit("train");
  unit.Required({"rack"});
  unit.AddMember(MakePod("master").Requests({{"cpu", "16"}}));
  for (int i = 0; i < 8; ++i) {
    unit.AddMember(MakePod(absl::StrCat("worker-", i)).Requests({{"cpu", "4"}, {"gpu", "1"}}));
  }
  const Plan plan = world_.PlanFresh({unit});
  ASSERT_TRUE(plan.units[0].fits) << TextOf(plan.units[0]);
  for (const std::string& node : plan.units[0].nodes) EXPECT_EQ(node.substr(0, 2), "r2");
}

}  // namespace
}  // namespace outrigger::plan
