#include "kube/timing.h"

#include <thread>

#include "gtest/gtest.h"
#include "kube/watch/resource_version.h"

namespace outrigger::kube {
namespace {

TEST(RealTiming, AWaitEndsWhenStopIsRequested) {
  const Timing timing = RealTiming();
  const auto start = timing.now();
  std::jthread waiting(
      [&timing](const std::stop_token& stop) { timing.wait(std::chrono::hours(1), stop); });
  waiting.request_stop();
  waiting.join();
  EXPECT_LT(timing.now() - start, std::chrono::minutes(1));
}

TEST(RealTiming, AWaitTakesItsTime) {
  const Timing timing = RealTiming();
  const auto start = timing.now();
  timing.wait(std::chrono::milliseconds(5), {});
  EXPECT_GE(timing.now() - start, std::chrono::milliseconds(5));
}

TEST(RealTiming, DrawsFromZeroToOne) {
  const Timing timing = RealTiming();
  bool differ = false;
  const double first = timing.random();
  for (int i = 0; i < 100; ++i) {
    const double number = timing.random();
    EXPECT_TRUE(number >= 0 && number < 1);
    differ = differ || number != first;
  }
  EXPECT_TRUE(differ);
}

struct Versions {
  const char* name;
  const char* a;
  const char* b;
  bool older;
};
class ResourceVersions : public ::testing::TestWithParam<Versions> {};

TEST_P(ResourceVersions, Compare) {
  EXPECT_EQ(IsOlder(GetParam().a, GetParam().b), GetParam().older);
}

const Versions kVersions[] = {
    {"Less", "41", "42", true},
    {"Equal", "42", "42", false},
    {"More", "43", "42", false},
    {"Shorter", "9", "10", true},
    {"Longer", "10", "9", false},
    {"BeyondSixtyFourBits", "99999999999999999998", "99999999999999999999", true},
    {"Zero", "0", "5", false},
    {"Empty", "", "5", false},
    {"EmptyNewer", "5", "", false},
    {"NotANumber", "5", "6x", false},
    {"LeadingZero", "05", "6", false},
};
INSTANTIATE_TEST_SUITE_P(Kube, ResourceVersions, ::testing::ValuesIn(kVersions),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::kube
