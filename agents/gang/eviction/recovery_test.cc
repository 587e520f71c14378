#include "eviction/recovery.h"

#include <atomic>
#include <map>
#include <mutex>

#include "desk_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const Time kStart = Time() + std::chrono::hours(1);

class RecoveryTest : public ::testing::Test {
 protected:
  // A gang of three of which two run, in a cluster that has them.
  std::shared_ptr<const Board> Partial(plan::OnMemberLoss policy, int64_t succeeded = 0,
                                       const std::vector<std::string>& bound = {"train-0",
                                                                                "train-1"}) {
    MakeBoard board;
    board.AddGang("train", 3, 3 - bound.size());
    board.BindThese("train", bound);
    board.Change("train", [&](plan::GroupState* group) {
      group->broken = true;
      group->on_member_loss = policy;
      group->finished = 1;
      group->succeeded = succeeded;
    });
    for (const std::string& name : bound) cluster_.Put(testing::MakePod(name));
    return board.Make();
  }
  // The same gang with all of its members.
  static std::shared_ptr<const Board> Whole(const std::vector<std::string>& bound) {
    MakeBoard board;
    board.AddGang("train", 3, 0);
    board.BindThese("train", bound);
    board.Change("train", [](plan::GroupState* group) {
      group->on_member_loss = plan::OnMemberLoss::kRestart;
    });
    return board.Make();
  }
  // A gang of ten of which nine run, and one of two of which these run.
  std::shared_ptr<const Board> Two(const std::vector<std::string>& of_second) {
    std::map<std::string, std::vector<std::string>> bound = {{"two", of_second}};
    for (int i = 0; i < 9; ++i) bound["one"].push_back(fmt::format("one-{}", i));
    MakeBoard board;
    for (const auto& [gang, names] : bound) {
      const int64_t minimum = gang == "one" ? 10 : 2;
      board.AddGang(gang, minimum, static_cast<size_t>(minimum) - names.size());
      board.BindThese(gang, names);
      const bool broken = static_cast<int64_t>(names.size()) < minimum;
      const auto policy = gang == "one" ? plan::OnMemberLoss::kRestart : second_;
      board.Change(gang, [broken, policy](plan::GroupState* group) {
        group->broken = broken;
        group->on_member_loss = policy;
      });
      for (const std::string& name : names) cluster_.Put(testing::MakePod(name));
    }
    return board.Make();
  }
  // The gang of Two() that is in the second batch of calls.
  std::shared_ptr<const Board> SecondWith(plan::OnMemberLoss policy) {
    second_ = policy;
    return Two({"two-0"});
  }
  // A disruption budget keeps this one.
  void Keep(const std::string& kept) {
    cluster_.OnEvict([kept](const std::string& pod, bool) {
      return pod == kept ? absl::ResourceExhaustedError("budget") : absl::OkStatus();
    });
  }

  // What is due at that time is evicted.
  void PlanAt(const Board& board, int second) {
    (void)recovery_.OnPlan(board, barriers_, kStart + seconds(second));
    recovery_.EvictDue();
  }

  plan::OnMemberLoss second_ = plan::OnMemberLoss::kRestart;
  testing::FakeCluster cluster_;
  Barriers barriers_{{}};
  Counted counted_;
  std::mutex log_mutex_;  // several are evicted at once
  std::vector<std::string> log_;
  EvictionReports reports_{&cluster_, &counted_, [this](std::string_view line) {
                             const std::lock_guard<std::mutex> lock(log_mutex_);
                             log_.emplace_back(line);
                           }};
  absl::Status may_act_;
  Recovery recovery_{
      &cluster_, &reports_, {.patience = seconds(60), .may_act = [this] { return may_act_; }}};
};

TEST_F(RecoveryTest, TellsOnceOfAGangThatIsBoundInPartForTooLong) {
  const auto board = Partial(plan::OnMemberLoss::kReplace);
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart), IsEmpty());
  EXPECT_EQ(recovery_.partial(), 1U);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(60));
  const auto told = recovery_.OnPlan(*board, barriers_, kStart + seconds(60));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].bound, 2);
  EXPECT_EQ(told[0].minimum, 3);
  EXPECT_EQ(told[0].policy, plan::OnMemberLoss::kReplace);
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart + seconds(61)), IsEmpty());
  recovery_.EvictDue();
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(RecoveryTest, EvictsTheRestOfAGangThatWantsToStartAnew) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  PlanAt(*board, 0);
  EXPECT_THAT(cluster_.evictions(), IsEmpty()) << "not before its time";
  PlanAt(*board, 60);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("train-0", "train-1"));
}

TEST_F(RecoveryTest, TellsOnceWhyNobodyMayBeEvicted) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  cluster_.OnEvict([](const std::string& pod, bool) {
    return pod == "train-0" ? absl::PermissionDeniedError("cannot create pods/eviction")
                            : absl::OkStatus();
  });
  for (int second : {0, 60, 65, 70}) PlanAt(*board, second);
  EXPECT_THAT(log_, ElementsAre("pod default/train-0 is not evicted yet: cannot create "
                                "pods/eviction"));
  EXPECT_EQ(counted_.values["evictions_total refused"], 3);
}

TEST_F(RecoveryTest, AsksAgainForWhoIsKeptAfterFiveSecondsHoweverOftenItIsPlanned) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  cluster_.OnEvict([](const std::string&, bool) { return absl::ResourceExhaustedError("budget"); });
  PlanAt(*board, 0);
  for (int second : {60, 60, 61, 64}) {
    PlanAt(*board, second);
    EXPECT_EQ(recovery_.next_look(), kStart + seconds(65));
  }
  EXPECT_EQ(counted_.values["evictions_total refused"], 2) << "each of the two once";
  PlanAt(*board, 65);
  EXPECT_EQ(counted_.values["evictions_total refused"], 4);
}

TEST_F(RecoveryTest, EvictsNobodyWhenItIsInChargeNoMore) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  may_act_ = absl::FailedPreconditionError("the Lease is another's");
  for (int second : {0, 60}) PlanAt(*board, second);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  may_act_ = absl::OkStatus();
  PlanAt(*board, 65);
  EXPECT_THAT(cluster_.evictions(), SizeIs(2)) << "who is in charge sees to it";
}

TEST_F(RecoveryTest, LeavesAloneWhoMayBeDone) {
  const auto board = Partial(plan::OnMemberLoss::kRestart, /*succeeded=*/1);
  for (int second : {0, 600}) PlanAt(*board, second);
  EXPECT_EQ(recovery_.partial(), 0U);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

// It may never have been whole: somebody may have died while it was bound.
TEST_F(RecoveryTest, TellsOfAGangThatIgnoresLossesAndDoesNotCountIt) {
  const auto board = Partial(plan::OnMemberLoss::kIgnore);
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart), IsEmpty());
  const auto told = recovery_.OnPlan(*board, barriers_, kStart + seconds(60));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].policy, plan::OnMemberLoss::kIgnore);
  EXPECT_EQ(recovery_.partial(), 0U);
  recovery_.EvictDue();
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(RecoveryTest, AGangThatIsWholeAgainBeforeItsTurnStays) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  PlanAt(*board, 0);
  (void)recovery_.OnPlan(*board, barriers_, kStart + seconds(60));
  PlanAt(*Whole({"train-0", "train-1", "new"}), 61);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(RecoveryTest, AGangOfWhichOneWasEvictedGoesWholeThoughItIsCompleteAgain) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  Keep("train-1");
  for (int second : {0, 60}) PlanAt(*board, second);
  ASSERT_THAT(cluster_.evictions(), ElementsAre("train-0"));
  Keep("");
  const auto whole = Whole({"train-1", "new-0", "new-1"});
  PlanAt(*whole, 64);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(65));
  PlanAt(*whole, 65);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-0", "train-1"));
  PlanAt(*Whole({"new-0", "new-1", "new-2"}), 70);
  EXPECT_EQ(recovery_.next_look(), std::nullopt) << "all of the rest are gone";
}

TEST_F(RecoveryTest, MembersOfANewStartHaveAllTheTimeOfAnother) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  for (int second : {0, 60}) PlanAt(*board, second);
  ASSERT_THAT(cluster_.evictions(), SizeIs(2));
  const auto again = Partial(plan::OnMemberLoss::kRestart, 0, {"new-0", "new-1"});
  PlanAt(*again, 66);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(126));
  PlanAt(*again, 125);
  EXPECT_THAT(cluster_.evictions(), SizeIs(2));
  PlanAt(*again, 126);
  EXPECT_THAT(cluster_.evictions(), SizeIs(4));
}

// Another agent may have repaired it, and it is broken for the second time.
TEST_F(RecoveryTest, WhatWasBeforeAnotherAgentWasInChargeDoesNotCount) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  PlanAt(*board, 0);
  recovery_.Pause(kStart + seconds(5), /*another_acts=*/true);
  recovery_.Pause(kStart + seconds(50), /*another_acts=*/false);
  PlanAt(*board, 100);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(160));
  recovery_.Pause(kStart + seconds(150), /*another_acts=*/true);
  PlanAt(*board, 159);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(160)) << "a short one is none";
}

TEST_F(RecoveryTest, APauseInWhichNobodyElseWasInChargeCountsAgainstNoGang) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  PlanAt(*board, 0);
  recovery_.Pause(kStart + seconds(50), /*another_acts=*/false);
  PlanAt(*board, 90);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(100)) << "50 of its 60 seconds were over";
}

// The API server was away for a moment.
TEST_F(RecoveryTest, ARestartThatHasBegunGoesOnAfterAPause) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  Keep("train-1");
  for (int second : {0, 60}) PlanAt(*board, second);
  recovery_.Pause(kStart + seconds(61), /*another_acts=*/false);
  Keep("");
  PlanAt(*Whole({"train-1", "new-0", "new-1"}), 75);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-0", "train-1"));
}

// It is whole again while others before it are being evicted, as many as are at once.
TEST_F(RecoveryTest, AGangThatIsWholeAgainWhileOthersAreEvictedStays) {
  const auto board = Two({"two-0"});
  const auto whole = Two({"two-0", "two-1"});
  std::once_flag once;
  cluster_.OnEvict([&](const std::string&, bool) {
    std::call_once(once, [&] { (void)recovery_.OnPlan(*whole, barriers_, kStart + seconds(61)); });
    return absl::OkStatus();
  });
  for (int second : {0, 60}) PlanAt(*board, second);
  EXPECT_THAT(cluster_.evictions(), SizeIs(9));
  EXPECT_THAT(cluster_.evictions(), Not(Contains("two-0")));
}

// As many as are evicted at once are others.
TEST_F(RecoveryTest, AGangThatIsToRestartNoMoreWhileOthersAreEvictedStays) {
  const auto board = Two({"two-0"});
  const auto replace = SecondWith(plan::OnMemberLoss::kReplace);
  std::once_flag once;
  cluster_.OnEvict([&](const std::string&, bool) {
    std::call_once(once,
                   [&] { (void)recovery_.OnPlan(*replace, barriers_, kStart + seconds(61)); });
    return absl::OkStatus();
  });
  for (int second : {0, 60}) PlanAt(*board, second);
  EXPECT_THAT(cluster_.evictions(), SizeIs(9));
  EXPECT_THAT(cluster_.evictions(), Not(Contains("two-0")));
}

TEST_F(RecoveryTest, LeavesToAnotherThatIsInChargeWhatItHasNotBegun) {
  const auto board = Two({"two-0"});
  std::once_flag once;
  cluster_.OnEvict([&](const std::string&, bool) {
    std::call_once(once, [&] { recovery_.Pause(kStart + seconds(61), /*another_acts=*/true); });
    return absl::OkStatus();
  });
  for (int second : {0, 60}) PlanAt(*board, second);
  EXPECT_THAT(cluster_.evictions(), Not(Contains("two-0")));
  (void)recovery_.OnPlan(*board, barriers_, kStart + seconds(65));
  recovery_.Pause(kStart + seconds(65), /*another_acts=*/true);
  recovery_.EvictDue();
  EXPECT_THAT(cluster_.evictions(), Not(Contains("two-0")));
}

// One of it is evicted just as it becomes whole.
TEST_F(RecoveryTest, AGangThatIsWholeAgainAsItIsBeingEvictedGoesWhole) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  const auto whole = Whole({"train-1", "new-0", "new-1"});
  cluster_.OnEvict([&](const std::string& pod, bool) {
    if (pod == "train-1") return absl::ResourceExhaustedError("budget");
    (void)recovery_.OnPlan(*whole, barriers_, kStart + seconds(61));
    return absl::OkStatus();
  });
  for (int second : {0, 60}) PlanAt(*board, second);
  ASSERT_THAT(cluster_.evictions(), ElementsAre("train-0"));
  Keep("");
  for (int second : {62, 67}) PlanAt(*whole, second);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-0", "train-1"));
}

TEST_F(RecoveryTest, AGangThatMayBeDoneByNowIsEvictedNoFurther) {
  Keep("train-1");
  for (int second : {0, 60}) PlanAt(*Partial(plan::OnMemberLoss::kRestart), second);
  ASSERT_THAT(cluster_.evictions(), ElementsAre("train-0"));
  Keep("");
  PlanAt(*Partial(plan::OnMemberLoss::kRestart, /*succeeded=*/1, {"train-1"}), 65);
  PlanAt(*Partial(plan::OnMemberLoss::kRestart, 0, {"train-1"}), 70);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-0"));
}

TEST_F(RecoveryTest, AGangThatIsToRestartNoMoreIsEvictedNoFurther) {
  Keep("train-1");
  for (int second : {0, 60}) PlanAt(*Partial(plan::OnMemberLoss::kRestart), second);
  Keep("");
  PlanAt(*Partial(plan::OnMemberLoss::kReplace, 0, {"train-1"}), 65);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-0"));
}

TEST_F(RecoveryTest, AGangOfWhichOneMayHaveBeenEvictedGoesWhole) {
  cluster_.OnEvict([](const std::string& pod, bool) {
    return pod == "train-0" ? absl::UnavailableError("no answer")
                            : absl::ResourceExhaustedError("budget");
  });
  for (int second : {0, 60}) PlanAt(*Partial(plan::OnMemberLoss::kRestart), second);
  Keep("");
  PlanAt(*Whole({"train-1", "new-0", "new-1"}), 64);
  PlanAt(*Whole({"train-1", "new-0", "new-1"}), 69);
  EXPECT_THAT(cluster_.evictions(), ElementsAre("train-1"));
}

// What may have been done after all was not.
TEST_F(RecoveryTest, AGangOfWhichNobodyWasEvictedAfterAllStaysOnceItIsWholeAgain) {
  cluster_.OnEvict([](const std::string&, bool) {
    return absl::InternalError("etcdserver: request timed out");
  });
  for (int second : {0, 60, 65, 70}) PlanAt(*Partial(plan::OnMemberLoss::kRestart), second);
  EXPECT_EQ(counted_.values["evictions_total refused"], 4) << "asked for again while it is cut";
  const auto whole = Whole({"train-0", "train-1", "new"});
  PlanAt(*whole, 75);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(80))
      << "the answer came late, the watch may be";
  PlanAt(*whole, 79);
  EXPECT_EQ(recovery_.next_look(), kStart + seconds(80));
  PlanAt(*whole, 80);
  EXPECT_EQ(recovery_.next_look(), std::nullopt);
  EXPECT_EQ(counted_.values["evictions_total refused"], 4);
}

// Who is bound while the first of the rest are evicted is no member of the new start.
TEST_F(RecoveryTest, EvictsWhoWasBoundWhileARestartWasBegun) {
  const auto later = Partial(plan::OnMemberLoss::kRestart, 0, {"train-0", "train-1", "train-2"});
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  std::atomic<bool> planned = false;
  cluster_.OnEvict([&](const std::string& pod, bool) {
    if (pod != "train-0" || planned.exchange(true)) return absl::ResourceExhaustedError("budget");
    (void)recovery_.OnPlan(*later, barriers_, kStart + seconds(65));  // the call takes its time
    return absl::OkStatus();
  });
  for (int second : {0, 60}) PlanAt(*board, second);
  ASSERT_THAT(cluster_.evictions(), ElementsAre("train-0"));
  Keep("");
  PlanAt(*Whole({"train-2", "new-0", "new-1"}), 66);
  EXPECT_THAT(cluster_.evictions(), Contains("train-2"));
}

TEST_F(RecoveryTest, EvictsWhoWasBoundBeforeAnybodyWasEvicted) {
  cluster_.OnEvict([](const std::string&, bool) { return absl::UnavailableError("no answer"); });
  for (int second : {0, 60}) PlanAt(*Partial(plan::OnMemberLoss::kRestart), second);
  const auto later = Partial(plan::OnMemberLoss::kRestart, 0, {"train-0", "train-1", "train-2"});
  PlanAt(*later, 61);
  Keep("");
  PlanAt(*later, 66);
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("train-0", "train-1", "train-2"));
}

TEST_F(RecoveryTest, ForgetsAGangThatIsWholeAgain) {
  const auto board = Partial(plan::OnMemberLoss::kReplace);
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart), IsEmpty());
  MakeBoard whole;
  whole.AddGang("train", 3, 3);
  EXPECT_THAT(recovery_.OnPlan(*whole.Make(), barriers_, kStart + seconds(30)), IsEmpty());
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart + seconds(60)), IsEmpty())
      << "the time begins anew";
}

}  // namespace
}  // namespace outrigger::gang
