#include "recovery.h"

#include <mutex>

#include "board_testing.h"
#include "counted_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const Time kStart = Time() + std::chrono::hours(1);

class RecoveryTest : public ::testing::Test {
 protected:
  // A gang of three of which two run, in a cluster that has them.
  std::shared_ptr<const Board> Partial(plan::OnMemberLoss policy, int64_t succeeded = 0) {
    MakeBoard board;
    board.AddGang("train", 3, 3);
    board.Bind("train", 2);
    board.Change("train", [&](plan::GroupState* group) {
      group->broken = true;
      group->on_member_loss = policy;
      group->finished = 1;
      group->succeeded = succeeded;
    });
    for (const char* name : {"train-0", "train-1"}) cluster_.Put(testing::MakePod(name));
    return board.Make();
  }

  // What is due at that time is evicted.
  void PlanAt(const Board& board, int second) {
    (void)recovery_.OnPlan(board, barriers_, kStart + seconds(second));
    recovery_.EvictDue();
  }

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
  Recovery recovery_{&cluster_, &reports_, seconds(60), [this] { return may_act_; }};
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
  EXPECT_FALSE(told[0].restarts);
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

TEST_F(RecoveryTest, LeavesAloneWhoMayBeDoneAndWhoIgnoresLosses) {
  for (const auto& board : {Partial(plan::OnMemberLoss::kRestart, /*succeeded=*/1),
                            Partial(plan::OnMemberLoss::kIgnore)}) {
    EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart), IsEmpty());
    EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart + seconds(600)), IsEmpty());
    EXPECT_EQ(recovery_.partial(), 0U);
  }
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
