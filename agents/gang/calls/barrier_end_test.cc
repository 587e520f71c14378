// Barriers that do not open.
#include "calls/barrier_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(BarrierTest, FailsAtOnceWhenAPlanTakesThePlacesAway) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  board_.Refuse("train", "cpu");
  barriers_.OnPlan(board_.Make());
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("gang default/train waits: cpu"));
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kNoRoom));
}

TEST_F(BarrierTest, NobodyIsBoundByWhoIsNotInCharge) {
  may_commit_ = absl::UnavailableError("not in charge");
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(std::string(calls.Result(i).message()), HasSubstr("not in charge"));
  }
}

TEST_F(BarrierTest, OneWaiterMayFailAlone) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  barriers_.FailWaiter(train_, "uid-train-0", "node n1 is gone");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("node n1 is gone"));
  EXPECT_EQ(calls.Waiting(train_), 1U);
}

TEST_F(BarrierTest, EndsWithItsLastWaiter) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  EXPECT_EQ(barriers_.standing(), 1U);
  ahead_ = seconds(7);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  EXPECT_THAT(ends(), IsEmpty());
  barriers_.FailWaiter(train_, "uid-train-1", "node n1 is gone");
  EXPECT_FALSE(calls.Result(1).ok());
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kGone));
  EXPECT_GE(held(), seconds(7));
  EXPECT_EQ(barriers_.standing(), 0U);
}

TEST_F(BarrierTest, EndsWhenItsLastWaiterHangsUp) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kGone));
}

TEST_F(BarrierTest, NobodyMayWaitAnyMoreOnceItIsClosed) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  barriers_.Close("stopping");
  calls.Arrive(train_, "train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(calls.Result(i), absl::AbortedError("stopping"));
}

TEST(Barriers, FailWhenTheLongestWaitIsOver) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  BarrierOptions options;
  options.longest = std::chrono::milliseconds(20);
  Barriers barriers(std::move(options));
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  calls.Arrive(LabelsGang("train"), "train-0");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("in time"));
}

TEST_F(BarrierTest, GivesUpWhenItsGroupDoesThoughTheCallMayWaitForLonger) {
  board_.Change("train", [](plan::GroupState* group) { group->schedule_timeout_seconds = 30; });
  barriers_.OnPlan(board_.Make());
  ahead_ = seconds(-60);  // so that it is up already when the clock comes to be right
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  while (changes_ == 0) std::this_thread::yield();
  EXPECT_THAT(ends(), IsEmpty());
  ahead_ = seconds(0);
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("in time"));
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kTimeout));
  EXPECT_GE(held(), seconds(30));
}

TEST_F(BarrierTest, GivesUpAtAPlanThatSaysThatItsTimeIsOver) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  ahead_ = seconds(31);
  barriers_.OnPlan(board_.Make());
  EXPECT_EQ(calls.Waiting(train_), 1U);
  board_.Change("train", [](plan::GroupState* group) { group->schedule_timeout_seconds = 30; });
  barriers_.OnPlan(board_.Make());
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("in time"));
}

// PreBind comes before the barrier: the last member comes once its volume is there.
TEST_F(BarrierTest, WaitsForLongerWhileAClaimOfAMemberIsOpen) {
  board_.OpenClaims("train", true);
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  ahead_ = seconds(619);
  board_.OpenClaims("train", false);
  barriers_.OnPlan(board_.Make());
  EXPECT_EQ(calls.Waiting(train_), 1U) << "the volume is there, and its member comes any moment";
  ahead_ = seconds(621);
  barriers_.OnPlan(board_.Make());
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("in time"));
}

// A claim of a template appears after its pod, and the launcher, which has none, waits already.
TEST_F(BarrierTest, WaitsForLongerForAClaimThatAppearsLater) {
  board_.Change("train", [](plan::GroupState* group) { group->schedule_timeout_seconds = 30; });
  barriers_.OnPlan(board_.Make());
  ahead_ = seconds(-60);  // its 30 s are over when the clock comes to be right
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  board_.OpenClaims("train", true);
  barriers_.OnPlan(board_.Make());
  ahead_ = seconds(0);
  while (looks_ < 2) std::this_thread::yield();  // it has seen that they are
  calls.Arrive(train_, "train-1");
  calls.Arrive(train_, "train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok()) << i;
}

TEST_F(BarrierTest, ForgetsClaimsThatWereOpenWithItsFirstWaiters) {
  board_.OpenClaims("train", true);
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  board_.OpenClaims("train", false);
  barriers_.OnPlan(board_.Make());
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  ahead_ = seconds(301);
  barriers_.OnPlan(board_.Make());
  EXPECT_THAT(std::string(calls.Result(1).message()), HasSubstr("in time"));
}

TEST_F(BarrierTest, AClockThatGoesBackwardsOpensNoneAndEndsNone) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  ahead_ = seconds(-3600);
  barriers_.OnPlan(board_.Make());
  EXPECT_EQ(calls.Waiting(train_), 1U);
  ahead_ = seconds(0);
  calls.Arrive(train_, "train-1");
  calls.Arrive(train_, "train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
}

}  // namespace
}  // namespace outrigger::gang
