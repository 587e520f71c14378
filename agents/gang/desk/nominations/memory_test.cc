#include "gang/desk/nominations/memory.h"

#include <limits>

#include "gang/desk/nominations/memory_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(MemoryTest, AGangThatKeepsPlacesForTooLongComesBehindThoseOfItsPriority) {
  MakeBoard board;
  board.AddGang("slow", 1, 1);
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(300));
  MakeBoard only;
  only.AddGang("slow", 1, 1);
  Learn(*only.Make(), kBegin + seconds(300));
  const auto timed_out = memory_.TakeTimedOut();
  ASSERT_THAT(timed_out, SizeIs(1));
  EXPECT_EQ(timed_out[0].key, LabelsGang("slow"));
  const auto units = Prepare(board, kBegin + seconds(301));
  ASSERT_THAT(units, SizeIs(2));
  EXPECT_EQ(units[0].key, LabelsGang("train"));
  EXPECT_EQ(units[1].rank.turn, 1);
}

TEST_F(MemoryTest, AGroupMaySayForHowLongItKeepsPlaces) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  int64_t limit = 30;
  board.Change("train", [&](plan::GroupState* group) { group->schedule_timeout_seconds = limit; });
  Learn(*board.Make(), kBegin);
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(30));
  Learn(*board.Make(), kBegin + seconds(30));
  EXPECT_THAT(memory_.TakeTimedOut(), SizeIs(1));
  for (const int64_t none : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    limit = none;
    Learn(*board.Make(), kBegin + seconds(40));
    EXPECT_EQ(memory_.next_look(), kBegin + seconds(340)) << none;
  }
  limit = std::numeric_limits<int64_t>::max();
  Learn(*board.Make(), kBegin + seconds(40));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(630)) << "when it is behind the others no more";
}

TEST_F(MemoryTest, AGangWithOpenClaimsKeepsPlacesForLonger) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  board.OpenClaims("train", true);
  Learn(*board.Make(), kBegin);
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(620));
  board.OpenClaims("train", false);  // the last is bound, and its member on its way
  board.Change("train", [](plan::GroupState* group) { group->schedule_timeout_seconds = 30; });
  Learn(*board.Make(), kBegin + seconds(400));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(620));
  Learn(*board.Make(), kBegin + seconds(619));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  Learn(*board.Make(), kBegin + seconds(620));
  EXPECT_THAT(memory_.TakeTimedOut(), SizeIs(1));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(620)) << "at once, for who comes before it now";
  Learn(*board.Make(), kBegin + seconds(621));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(651)) << "a new reservation, without open claims";
}

TEST_F(MemoryTest, AGroupThatWaitsForLongerThanClaimsTakeDoesSo) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  board.OpenClaims("train", true);
  board.Change("train", [](plan::GroupState* group) { group->schedule_timeout_seconds = 900; });
  Learn(*board.Make(), kBegin);
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(900));
}

// Its bind call has waited for as long as the scheduler lets it.
TEST_F(MemoryTest, AGangThatGivesUpAtItsBarrierComesBehindThoseOfItsPriority) {
  MakeBoard board;
  board.AddGang("slow", 1, 1);
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  GaveUp("slow", seconds(58), kBegin + seconds(60));
  const auto timed_out = memory_.TakeTimedOut();
  ASSERT_THAT(timed_out, SizeIs(1));
  EXPECT_EQ(timed_out[0].key, LabelsGang("slow"));
  EXPECT_EQ(timed_out[0].after, seconds(58));
  EXPECT_EQ(Prepare(board, kBegin + seconds(61))[0].key, LabelsGang("train"));
}

TEST_F(MemoryTest, AGangThatHasGivenUpIsNotBehindAllWhoComeForEver) {
  MakeBoard board;
  board.AddGang("slow", 1, 1);
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  GaveUp("slow", seconds(60), kBegin + seconds(60));
  board.Refuse("slow", "cpu");
  Learn(*board.Make(), kBegin + seconds(60));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(300)) << "train's";
  EXPECT_EQ(Prepare(board, kBegin + seconds(659))[0].key, LabelsGang("train"));
  EXPECT_EQ(Prepare(board, kBegin + seconds(660))[0].key, LabelsGang("slow"));
}

TEST_F(MemoryTest, AGangThatHasGivenUpDoesNotForItsBarrierOnceMore) {
  MakeBoard board;
  board.AddGang("slow", 1, 1);
  Learn(*board.Make(), kBegin);
  Learn(*board.Make(), kBegin + seconds(300));
  EXPECT_THAT(memory_.TakeTimedOut(), SizeIs(1));
  Learn(*board.Make(), kBegin + seconds(301));
  GaveUp("slow", seconds(298), kBegin + seconds(302));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
}

TEST_F(MemoryTest, TheTimeOfAGangThatComesAgainBeginsAnew) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  MakeBoard none;  // its members are bound, or deleted
  Learn(*none.Make(), kBegin + seconds(1));
  Learn(*board.Make(), kBegin + seconds(600));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(900));
}

TEST_F(MemoryTest, TheTimeOfAGangOfWhichMembersAreReplacedGoesOn) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  MakeBoard none;  // until the member is created again
  Learn(*none.Make(), kBegin + seconds(100));
  Learn(*board.Make(), kBegin + seconds(101));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(300));
}

TEST_F(MemoryTest, TheTimeOfAGangThatIsWholeMeanwhileBeginsAnewHoweverShortThatWas) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  MakeBoard whole;
  whole.AddGang("train", 1, 0);
  whole.Change("train", [](plan::GroupState* group) {
    group->cause = plan::GroupCause::kTooMuch;  // whatever keeps it off the board
  });
  whole.BindThese("train", {"train-0"});
  Learn(*whole.Make(), kBegin + seconds(1));
  Learn(*board.Make(), kBegin + seconds(2));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(302));
}

TEST_F(MemoryTest, TimeWithoutPlansDoesNotCountAgainstAGang) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  memory_.Pause(kBegin + seconds(100));
  memory_.Pause(kBegin + seconds(200));  // it began before
  Take({}, kBegin + seconds(1000));
  Learn(*board.Make(), kBegin + seconds(1000));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(1200));
}

TEST_F(MemoryTest, ANewSchedulerGivesAGangAllOfItsTimeAgain) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  memory_.ForgetScheduler(kBegin + seconds(250));
  Learn(*board.Make(), kBegin + seconds(301));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(550));
}

// The agent was not in charge for longer than a gang's whole time.
TEST_F(MemoryTest, AGangHasNoMoreThanItsTimeAfterItsAgentIsInChargeAgain) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  memory_.Pause(kBegin + seconds(100));
  memory_.ForgetScheduler(kBegin + seconds(10'000));
  Take({}, kBegin + seconds(10'000));
  Learn(*board.Make(), kBegin + seconds(10'000));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(10'300));
}

TEST_F(MemoryTest, ASchedulerThatWasAnsweredWithErrorsForAWhileHasNotRefused) {
  MakeBoard board;
  NominateAfterASecond(&board);
  memory_.Pause(kBegin + seconds(5));
  Take({}, kBegin + seconds(100));
  Learn(*board.Make(), kBegin + seconds(100));
  EXPECT_THAT(Prepare(board, kBegin + seconds(100))[0].members[0].refused, IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(100) + options_.nomination_grace);
}

}  // namespace
}  // namespace outrigger::desk
