// Evictions that are begun, and end, with leave to write.
#include "eviction/whole_eviction.h"

#include <atomic>
#include <memory>
#include <optional>

#include "desk_testing.h"
#include "eviction/recovery.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "reports/counted_testing.h"

namespace outrigger::gang {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;

class EvictionsTest : public ::testing::Test {
 protected:
  EvictionsTest() {
    for (int i = 0; i < 20; ++i) {
      const Pod pod = testing::MakePod(fmt::format("train-{}", i));
      cluster_.Put(pod);
      pods_.push_back(std::make_shared<const Pod>(pod));
    }
  }
  // One round in which the pods are to go.
  void Evict(const WholeEviction::Answered& answered = nullptr) {
    WholeEviction whole(&cluster_, &reports_, AsLongAsItMay());
    left_over_ = {{.key = {plan::Dialect::kLabels, "default", "train", ""}, .pods = pods_}};
    whole.Begin(left_over_);
    whole.Evict(&left_over_, {}, answered);
  }
  MayWrite AsLongAsItMay() {
    return [this](const CallLimits& limits) -> absl::StatusOr<desk::WritePermit> {
      if (--left_ < 0) return absl::UnavailableError("not in charge");
      return desk::WritePermit{.limits = limits, .under_way = under_way_};
    };
  }

  testing::FakeCluster cluster_;
  Counted counted_;
  EvictionReports reports_{&cluster_, &counted_, [](std::string_view) {}};
  std::vector<PodPtr> pods_;
  std::vector<plan::Victim> left_over_;
  std::shared_ptr<void> under_way_ = std::make_shared<int>();
  std::atomic<int> left_ = 7;  // so many may be written
};

TEST_F(EvictionsTest, EndInTheMiddleWithTheTerm) {
  Evict();
  EXPECT_THAT(cluster_.evictions(), SizeIs(7));
  EXPECT_THAT(left_over_[0].pods, SizeIs(13)) << "they are left";
  EXPECT_EQ(counted_.values["evictions_total refused"], 0) << "none was asked for";
}

TEST_F(EvictionsTest, KeepTheTermForAsLongAsTheyTake) {
  std::atomic<bool> kept = true;
  std::atomic<bool> given_back = true;
  pods_.resize(1);
  cluster_.OnEvict([&](const std::string& /*pod*/, bool /*dry_run*/) {
    kept = under_way_.use_count() > 1;
    return absl::OkStatus();
  });
  Evict([&](const plan::UnitKey&, const Pod&, const absl::Status&) {
    given_back = under_way_.use_count() == 1;
  });
  EXPECT_TRUE(kept);
  EXPECT_TRUE(given_back);
}

// Whoever is in charge by then goes on with the rest of the gang, or does not.
TEST_F(EvictionsTest, OfARecoveryEndWithTheTerm) {
  Recovery recovery(&cluster_, &reports_, {.patience = seconds(60), .may_write = AsLongAsItMay()});
  MakeBoard board;
  board.AddGang("train", 21, 1);
  std::vector<std::string> bound;
  bound.reserve(pods_.size());
  for (const PodPtr& pod : pods_) bound.push_back(pod->name);
  board.BindThese("train", bound);
  board.Change("train", [](plan::GroupState* group) {
    group->broken = true;
    group->on_member_loss = plan::OnMemberLoss::kRestart;
  });
  const auto partial = board.Make();
  const Barriers barriers{{}};
  for (const int second : {0, 60}) {
    (void)recovery.OnPlan(*partial, barriers, Time() + std::chrono::hours(1) + seconds(second));
  }
  recovery.EvictDue();
  EXPECT_THAT(cluster_.evictions(), SizeIs(7));
}

}  // namespace
}  // namespace outrigger::gang
