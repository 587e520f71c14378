#include "load/usage/moments.h"

#include <chrono>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::usage {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int64_t kStartMs = 1'795'658'000'000;

TEST(Moments, AreOfAPopulation) {
  EXPECT_FALSE(MomentsOf({}));
  const auto moments = MomentsOf(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(moments->mean, 5);
  EXPECT_DOUBLE_EQ(moments->deviation, 2);
}

TEST(Moments, KeepTheirDigitsFarFromZero) {
  const auto moments = MomentsOf(std::vector<double>{1e15 + 1, 1e15 + 3});
  EXPECT_DOUBLE_EQ(moments->deviation, 1);
  WindowedMoments window(seconds(100), seconds(100));
  window.Add(kStartMs, 1e15 + 1);
  window.Add(kStartMs + 1000, 1e15 + 3);
  EXPECT_DOUBLE_EQ(window.Of(kStartMs + 1000)->deviation, 1);
}

TEST(WindowedMoments, ForgetWhatIsOlderThanTheWindow) {
  WindowedMoments window(seconds(100), seconds(100));
  for (int i = 0; i < 1000; ++i) window.Add(kStartMs + i * 1000, i < 850 ? 10 : i % 2 == 0 ? 1 : 3);
  const auto moments = window.Of(kStartMs + 999'000);
  ASSERT_TRUE(moments);
  EXPECT_NEAR(moments->mean, 2, 0.02);
  EXPECT_NEAR(moments->deviation, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(moments->count), 100, 1);
  EXPECT_FALSE(window.Of(kStartMs + 2'000'000)) << "all is older";
}

// A step before the window is over, and still shows in the deviation.
TEST(WindowedMoments, HaveTheMeanOfTheWindowAndTheDeviationOfTheHistory) {
  WindowedMoments window(seconds(100), seconds(300));
  for (int i = 0; i < 300; ++i) window.Add(kStartMs + i * 1000, i < 150 ? 10 : 20);
  const auto moments = window.Of(kStartMs + 299'000);
  ASSERT_TRUE(moments);
  EXPECT_DOUBLE_EQ(moments->mean, 20);
  EXPECT_NEAR(moments->deviation, 5, 0.05);
  EXPECT_NEAR(static_cast<double>(moments->count), 100, 3);
  EXPECT_EQ(window.Known(kStartMs + 299'000), seconds(100));
  EXPECT_EQ(window.Age(kStartMs + 299'000), seconds(100));
}

TEST(WindowedMoments, KnowHowMuchOfTheWindowTheyStandFor) {
  WindowedMoments window(seconds(100), seconds(100));
  EXPECT_EQ(window.Known(kStartMs), milliseconds(0));
  window.Add(kStartMs, 1, seconds(20));
  EXPECT_EQ(window.Known(kStartMs), seconds(20));
  window.Add(kStartMs + 10'000, 1);
  EXPECT_EQ(window.Known(kStartMs + 10'000), seconds(30));
  window.Add(kStartMs + 90'000, 1);
  EXPECT_EQ(window.Known(kStartMs + 90'000), seconds(55)) << "a gap counts for a quarter at most";
}

TEST(WindowedMoments, LeaveOutWhatIsReadTwiceOrNoNumber) {
  WindowedMoments window(seconds(100), seconds(100));
  EXPECT_TRUE(window.Add(kStartMs, 1));
  EXPECT_FALSE(window.Add(kStartMs, 5));
  EXPECT_FALSE(window.Add(kStartMs - 1, 5));
  EXPECT_FALSE(window.Add(kStartMs + 1, std::nan("")));
  EXPECT_FALSE(window.Add(-1, 5));
  EXPECT_EQ(window.Of(kStartMs)->mean, 1);
}

TEST(WindowedMoments, HaveMeansOfHundredths) {
  WindowedMoments window(seconds(100), seconds(100));
  const int64_t start = kStartMs / 1000 * 1000;
  window.Add(start, 1);
  window.Add(start + 500, 3);
  window.Add(start + 2000, 7);
  const std::vector<double> means = window.ChunkMeans(start + 2000);
  ASSERT_EQ(means.size(), 100U);
  EXPECT_EQ(means[97], 2);
  EXPECT_TRUE(std::isnan(means[98]));
  EXPECT_EQ(means[99], 7);
}

}  // namespace
}  // namespace outrigger::usage
