// Rounds of the planning thread, one by one.
#include "plan_loop_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::minutes;

TEST_F(PlanLoopTest, NodesAreKeptForTheFirstThatDoesNotFitNotForOneWithASpareMember) {
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("elastic", 0, 1), "n0");
  Pod spare = Member("elastic", 1, 1, "9");
  spare.priority = 1000;
  cluster_.Put(spare);
  cluster_.Put(Member("train", 0, 1, "4"));
  PlanAfter(minutes(0));
  ASSERT_TRUE(loop_.Answer()->board->FindUnit(LabelsGang("elastic"))->fits);
  ASSERT_EQ(loop_.Answer()->board->units()[0].key, LabelsGang("elastic"));
  PlanAfter(minutes(5) - std::chrono::seconds(1));
  EXPECT_EQ(watcher_.kept, 0U);
  PlanAfter(std::chrono::seconds(1));
  EXPECT_EQ(watcher_.kept, 1U);
  ASSERT_NE(loop_.Answer()->board->KeptFor("n0"), nullptr);
  EXPECT_EQ(loop_.Answer()->board->KeptFor("n0")->key, LabelsGang("train"));
}

// Else the first small pod that comes then is still answered by a plan in which none are kept.
TEST_F(PlanLoopTest, NodesAreKeptInTimeThoughNothingChanges) {
  watcher_.look.reset();
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("other", 0, 1), "n0");
  cluster_.Put(Member("train", 0, 1, "4"));
  PlanAfter(minutes(0));
  ASSERT_EQ(loop_.next_look(), now_ + minutes(5));
  PlanAfter(minutes(5));
  EXPECT_EQ(watcher_.kept, 1U);
  EXPECT_EQ(loop_.next_look(), std::nullopt);
}

// Otherwise what was due when it last planned is due for as long as it does not plan.
TEST_F(PlanLoopTest, HasNothingToLookAtWhileItCannotPlan) {
  cluster_.Put(testing::MakeNode("n0"));
  cluster_.Put(Member("train", 0, 1));
  PlanAfter(minutes(0));
  ASSERT_NE(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::UnavailableError("starting: pods are 90 s old"));
  PlanAfter(minutes(6));
  EXPECT_EQ(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::OkStatus());
  PlanAfter(minutes(0));
  EXPECT_NE(loop_.next_look(), std::nullopt);
}

}  // namespace
}  // namespace outrigger::desk
