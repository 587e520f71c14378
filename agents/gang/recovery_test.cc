#include "recovery.h"

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

  testing::FakeCluster cluster_;
  Barriers barriers_{{}};
  Recovery recovery_{&cluster_, seconds(60)};
  Counted counted_;
  std::vector<std::string> log_;
  EvictionReports reports_{&cluster_, &counted_,
                           [this](std::string_view line) { log_.emplace_back(line); }};
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
  recovery_.Evict(*board, &reports_, {});
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

TEST_F(RecoveryTest, EvictsTheRestOfAGangThatWantsToStartAnew) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart), IsEmpty());
  recovery_.Evict(*board, &reports_, {});
  EXPECT_THAT(cluster_.evictions(), IsEmpty()) << "not before its time";
  EXPECT_THAT(recovery_.OnPlan(*board, barriers_, kStart + seconds(60)), SizeIs(1));
  recovery_.Evict(*board, &reports_, {});
  EXPECT_THAT(cluster_.evictions(), UnorderedElementsAre("train-0", "train-1"));
}

TEST_F(RecoveryTest, TellsOnceWhyNobodyMayBeEvicted) {
  const auto board = Partial(plan::OnMemberLoss::kRestart);
  cluster_.OnEvict([](const std::string& pod, bool) {
    return pod == "train-0" ? absl::PermissionDeniedError("cannot create pods/eviction")
                            : absl::OkStatus();
  });
  for (int i : {0, 60}) (void)recovery_.OnPlan(*board, barriers_, kStart + seconds(i));
  for (int i = 0; i < 3; ++i) recovery_.Evict(*board, &reports_, {});
  EXPECT_THAT(log_, ElementsAre("pod default/train-0 is not evicted yet: cannot create "
                                "pods/eviction"));
  EXPECT_EQ(counted_.values["evictions_total refused"], 3);
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
