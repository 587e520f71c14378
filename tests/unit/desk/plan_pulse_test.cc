#include "desk/plan_pulse.h"

#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;

class PlanPulseTest : public ::testing::Test {
 protected:
  PlanPulse::Time now_ = PlanPulse::Time() + std::chrono::hours(1);
  PlanPulse pulse_{[this] { return now_; }};
};

TEST_F(PlanPulseTest, IsFreshWhileNothingIsUnderWay) {
  now_ += std::chrono::hours(1);
  EXPECT_TRUE(pulse_.Fresh().ok());
  EXPECT_EQ(pulse_.UnderWay(), seconds(0));
}

TEST_F(PlanPulseTest, SaysForHowLongAndOnWhatARoundIsAtWork) {
  pulse_.Begin("planning");
  now_ += PlanPulse::kLongest;
  EXPECT_TRUE(pulse_.Fresh().ok());
  pulse_.GoOn("writing nominations");
  now_ += seconds(2);
  EXPECT_EQ(pulse_.Fresh().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(pulse_.Fresh().message()),
              ::testing::HasSubstr("planning has been at work for 32 s (writing nominations)"));
  EXPECT_TRUE(pulse_.Live().ok());
  pulse_.End();
  EXPECT_TRUE(pulse_.Fresh().ok());
}

TEST_F(PlanPulseTest, IsNotLiveOnceOnlyARestartHelps) {
  pulse_.Begin("planning");
  now_ += PlanPulse::kStuck + seconds(1);
  EXPECT_FALSE(pulse_.Live().ok());
}

}  // namespace
}  // namespace outrigger::desk
