// Gangs that wait only because the plan refuses what kube-scheduler lets pass.
#include "rounds_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlanOnlyTest : public RoundsTest {
 protected:
  PlanOnlyTest() {
    cluster_.Put(testing::MakeNode("n0"));  // 4 cpu
    cluster_.Put(testing::MakeNode("n1"));
  }
  // Of 9 cpu, which no node has: only a scheduler that does not compare them offers nodes.
  void PutGang(int members) {
    for (int i = 0; i < members; ++i) cluster_.Put(Member("train", i, members, "9"));
  }
  void Offer(int member, std::vector<std::string> nodes) {
    parts_.inbox.Asked(cluster_.Get(fmt::format("train-{}", member)).uid,
                       {.at = now_, .rejected = true, .offered = std::move(nodes)});
  }
  std::vector<std::string> Told() const {
    std::vector<std::string> notes;
    for (const ClusterEvent& event : cluster_.events()) {
      if (event.reason == "GangRefusedByPlan") notes.push_back(event.note);
    }
    return notes;
  }
  double Counted() { return counted_.values["refused_by_plan "]; }
};

TEST_F(PlanOnlyTest, AreReportedOnceTheyHaveWaitedForAMinute) {
  PutGang(2);
  PlanAfter(seconds(0));
  Offer(0, {"n0", "n1"});
  Offer(1, {"n1"});
  PlanAfter(seconds(59));
  EXPECT_EQ(Counted(), 0);
  EXPECT_EQ(loop_.next_look(), now_ + seconds(1));
  PlanAfter(seconds(1));
  EXPECT_EQ(Counted(), 1);
  EXPECT_THAT(Told(),
              ElementsAre(HasSubstr("gang default/train waits only because its plan refuses pod "
                                    "default/train-0 on node n0 (cpu), which kube-scheduler lets "
                                    "pass")));
  PlanAfter(seconds(60));
  EXPECT_EQ(Counted(), 1);
  EXPECT_EQ(Told().size(), 1U) << "once";
}

TEST_F(PlanOnlyTest, AreNotThoseThatLackRoomForAllOfThem) {
  for (int i = 0; i < 3; ++i) cluster_.Put(Member("train", i, 3, "4"));
  PlanAfter(seconds(0));
  for (int i : {0, 1, 2}) Offer(i, {"n0", "n1"});
  PlanAfter(seconds(60));
  EXPECT_EQ(Counted(), 0);
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(PlanOnlyTest, AreNotThoseOfWhichASchedulerWouldTakeLessThanTheMinimum) {
  PutGang(2);
  PlanAfter(seconds(0));
  Offer(0, {"n0"});
  PlanAfter(seconds(60));
  EXPECT_EQ(Counted(), 0);
}

TEST_F(PlanOnlyTest, AreNotJudgedByWhatWasOfferedBeforeTheNodeChanged) {
  PutGang(1);
  PlanAfter(seconds(0));
  Offer(0, {"n0"});
  PlanAfter(seconds(1));
  Pod other = testing::MakePod("other").Requests({{"cpu", "1"}});
  other.node_name = "n0";
  cluster_.Put(other);
  PlanAfter(seconds(60));
  EXPECT_EQ(Counted(), 0);
}

TEST_F(PlanOnlyTest, EndWhenTheGangHasPlaces) {
  PutGang(1);
  PlanAfter(seconds(0));
  Offer(0, {"n0"});
  PlanAfter(seconds(60));
  ASSERT_EQ(Counted(), 1);
  cluster_.Put(testing::MakeNode("n2").Allocatable("cpu", "16"));
  PlanAfter(seconds(1));
  EXPECT_EQ(Counted(), 0);
}

}  // namespace
}  // namespace outrigger::gang
