#include "calls/barrier.h"
#include "calls/barrier_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(BarrierTest, NobodyPassesBeforeTheMinimumIsThere) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  EXPECT_THAT(ends(), IsEmpty());
  calls.Arrive(train_, "train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kOpened));
  EXPECT_TRUE(barriers_.IsCommitting(train_));
}

TEST_F(BarrierTest, ThoseWhoComeLaterPassAtOnce) {
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  calls.Arrive(train_, "train-3");
  EXPECT_TRUE(calls.Result(3).ok());
}

TEST_F(BarrierTest, MembersThatAreBoundCount) {
  board_.Bind("train", 2);
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-2");
  EXPECT_TRUE(calls.Result(0).ok());
}

TEST_F(BarrierTest, OneWhoHangsUpDoesNotCountAnyMore) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  calls.Arrive(train_, "train-1");
  calls.Arrive(train_, "train-2");
  calls.AwaitWaiting(train_, 2);
  EXPECT_THAT(ends(), ElementsAre(BarrierEnd::kGone));
  calls.Arrive(train_, "train-0");
  for (const size_t i : {1U, 2U, 3U}) EXPECT_TRUE(calls.Result(i).ok());
}

TEST_F(BarrierTest, ARepeatedCallTakesThePlaceOfTheFormerOne) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.Arrive(train_, "train-0");
  EXPECT_THAT(std::string(calls.Result(0).message()), HasSubstr("asks again"));
  EXPECT_EQ(calls.Waiting(train_), 1U);
}

TEST_F(BarrierTest, WhoeverOpensItAsksAgainWhoIsStillThere) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(train_, "train-1");
  calls.AwaitWaiting(train_, 2);
  std::jthread caller;
  before_commit_ = [&] {
    caller = std::jthread([&] { calls.HangUp(0); });
    while (!calls.HasHungUp(0)) std::this_thread::yield();
  };
  calls.Arrive(train_, "train-2");
  EXPECT_FALSE(calls.Result(0).ok());
  calls.AwaitWaiting(train_, 2);
  EXPECT_THAT(ends(), IsEmpty()) << "two of three";
  calls.Arrive(train_, "train-0");
  for (const size_t i : {1U, 2U, 3U}) EXPECT_TRUE(calls.Result(i).ok());
}

TEST(Barriers, RolesHaveMinimumsOfTheirOwn) {
  MakeBoard board;
  board.AddGang("train", 2, 3);
  board.Role("train", "master", 1);
  Barriers barriers({});
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  const plan::UnitKey train = LabelsGang("train");
  calls.Arrive(train, "train-0");
  calls.Arrive(train, "train-1");
  calls.AwaitWaiting(train, 2);  // nobody of them is a master
  calls.Arrive(train, "train-2", "n1", "master");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
}

// A condition for each waiter: thousands that leave wake nobody else.
TEST(Barriers, ThousandsMayWaitAndLeave) {
  constexpr size_t kMembers = 500;
  MakeBoard board;
  board.AddGang("train", kMembers + 1, kMembers + 1);
  Barriers barriers({});
  barriers.OnPlan(board.Make());
  Calls calls(&barriers);
  const plan::UnitKey train = LabelsGang("train");
  for (size_t i = 0; i < kMembers; ++i) calls.Arrive(train, "train-" + std::to_string(i));
  calls.AwaitWaiting(train, kMembers);
  for (size_t i = 0; i < kMembers; ++i) calls.HangUp(i);
  for (size_t i = 0; i < kMembers; ++i) EXPECT_FALSE(calls.Result(i).ok());
}

constexpr LeavingPods::Time kFirst{seconds(1000)};

TEST(LeavingPods, LeaveForAFewSeconds) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Add("b", kFirst + seconds(4));
  EXPECT_THAT(pods.At(kFirst + seconds(5)), ElementsAre("a", "b"));
  EXPECT_THAT(pods.At(kFirst + seconds(6)), ElementsAre("b"));
  EXPECT_THAT(pods.At(kFirst + seconds(10)), IsEmpty());
}

TEST(LeavingPods, AreNoneOnceTheyHaveComeAgain) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Remove("a");
  pods.Remove("unknown");
  EXPECT_THAT(pods.At(kFirst), IsEmpty());
}

TEST(LeavingPods, LeaveAnewWithEachFailure) {
  LeavingPods pods;
  pods.Add("a", kFirst);
  pods.Add("a", kFirst + seconds(4));
  pods.Add("b", kFirst + seconds(8));  // old ones are forgotten
  EXPECT_THAT(pods.At(kFirst + seconds(9)), ElementsAre("a", "b"));
}

}  // namespace

}  // namespace outrigger::gang
