// What becomes of gangs that are bound in part where no barrier holds bindings back.
#include <map>
#include <mutex>

#include "desk_testing.h"
#include "eviction/recovery.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RecoveryGrowthTest : public ::testing::Test {
 protected:
  static constexpr size_t kMinimum = 20;

  // Gangs that restart, with so many members bound each.
  std::shared_ptr<const Board> With(const std::map<std::string, size_t>& gangs) {
    MakeBoard board;
    for (const auto& [gang, bound] : gangs) {
      board.AddGang(gang, kMinimum, kMinimum);
      board.Bind(gang, bound);
      board.Change(gang, [bound = bound](plan::GroupState* group) {
        group->broken = bound < kMinimum;
        group->on_member_loss = plan::OnMemberLoss::kRestart;
      });
      for (size_t i = 0; i < bound; ++i) {
        cluster_.Put(testing::MakePod(fmt::format("{}-{}", gang, i)));
      }
    }
    return board.Make();
  }
  std::vector<Recovery::Partial> PlanAt(int second, size_t bound) {
    auto told = recovery_.OnPlan(*With({{"train", bound}}), barriers_, kBegin + seconds(second));
    recovery_.EvictDue();
    return told;
  }

  testing::FakeCluster cluster_;
  Barriers barriers_{{}};
  Counted counted_;
  EvictionReports reports_{&cluster_, &counted_, [](std::string_view) {}};
  Recovery recovery_{&cluster_,
                     &reports_,
                     {.patience = seconds(60), .mode = desk::Mode::kAlone, .may_act = nullptr}};
};

TEST_F(RecoveryGrowthTest, AGangThatIsStillBeingBoundIsLeftAlone) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(PlanAt(50 * i, 1 + static_cast<size_t>(i)), IsEmpty()) << i;
    EXPECT_EQ(recovery_.next_look(), kBegin + seconds(50 * i + 60));
  }
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  EXPECT_THAT(PlanAt(450 + 59, 10), IsEmpty());
  EXPECT_THAT(PlanAt(450 + 60, 10), SizeIs(1));
  EXPECT_THAT(cluster_.evictions(), SizeIs(10));
}

TEST_F(RecoveryGrowthTest, BesideABarrierTheTimeRunsFromTheFirst) {
  Recovery recovery{&cluster_,
                    &reports_,
                    {.patience = seconds(60), .mode = desk::Mode::kExtender, .may_act = nullptr}};
  (void)recovery.OnPlan(*With({{"train", 1}}), barriers_, kBegin);
  EXPECT_THAT(recovery.OnPlan(*With({{"train", 2}}), barriers_, kBegin + seconds(60)), SizeIs(1));
}

// Its other members wait for one that never comes, and fail.
TEST_F(RecoveryGrowthTest, AMemberThatIsReplacedAgainAndAgainIsNoGrowth) {
  PlanAt(0, 3);
  PlanAt(10, 4);
  for (int second = 20; second < 60; second += 20) {
    PlanAt(second, 3);
    PlanAt(second + 10, 4);
  }
  PlanAt(69, 3);
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
  PlanAt(70, 4);
  EXPECT_THAT(cluster_.evictions(), SizeIs(4));
}

TEST_F(RecoveryGrowthTest, AGangThatLostMoreThanOneHasItsTimeToBeWholeAgain) {
  for (int second = 0; second < 10; ++second) PlanAt(second, 19 - static_cast<size_t>(second));
  for (int i = 1; i < 9; ++i) PlanAt(50 * i, 10 + static_cast<size_t>(i));
  EXPECT_THAT(cluster_.evictions(), IsEmpty());
}

// As many as are evicted at once are others.
TEST_F(RecoveryGrowthTest, AGangThatGrowsWhileOthersAreEvictedStays) {
  const auto board = With({{"one", 18}, {"two", 1}});
  const auto grown = With({{"one", 18}, {"two", 2}});
  std::once_flag once;
  cluster_.OnEvict([&](const std::string&, bool) {
    std::call_once(once, [&] { (void)recovery_.OnPlan(*grown, barriers_, kBegin + seconds(61)); });
    return absl::OkStatus();
  });
  for (int second : {0, 60}) (void)recovery_.OnPlan(*board, barriers_, kBegin + seconds(second));
  recovery_.EvictDue();
  EXPECT_THAT(cluster_.evictions(), Not(Contains("two-0")));
  EXPECT_THAT(cluster_.evictions(), Contains("one-0"));
}

}  // namespace
}  // namespace outrigger::gang
