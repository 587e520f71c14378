#include "kube/transport/rate_limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "kube/errors.h"
#include "kube/transport/retry.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Clock::TimePoint kStart{std::chrono::hours(1)};

milliseconds Wait(RateLimiter& limiter, Clock::TimePoint now,
                  Clock::Duration patience = seconds(60)) {
  const auto wait = limiter.Reserve(now, patience);
  return wait ? std::chrono::duration_cast<milliseconds>(*wait) : milliseconds(-1);
}

TEST(RateLimiter, LetsABurstThroughAndQueuesTheRest) {
  RateLimiter limiter(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Wait(limiter, kStart), milliseconds(0));
  EXPECT_EQ(Wait(limiter, kStart), milliseconds(100));
  EXPECT_EQ(Wait(limiter, kStart), milliseconds(200));
}

TEST(RateLimiter, FillsUpToTheBurst) {
  RateLimiter limiter(10, 2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Wait(limiter, kStart), milliseconds(0));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Wait(limiter, kStart + seconds(100)), milliseconds(0));
  EXPECT_EQ(Wait(limiter, kStart + seconds(100)), milliseconds(100));
}

TEST(RateLimiter, TakesNothingFromWhoCannotWait) {
  RateLimiter limiter(1, 1);
  EXPECT_EQ(Wait(limiter, kStart), milliseconds(0));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Wait(limiter, kStart, milliseconds(500)), milliseconds(-1));
  EXPECT_EQ(Wait(limiter, kStart), milliseconds(1000));
}

TEST(RateLimiter, WithoutARateLimitsNothing) {
  RateLimiter limiter(0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Wait(limiter, kStart), milliseconds(0));
}

TEST(RetryDelay, DoublesUpToTheLongest) {
  const RetryPolicy policy;
  const absl::Status lost = absl::UnavailableError("lost");
  EXPECT_EQ(RetryDelay(policy, 1, lost, 0.5), milliseconds(50));
  EXPECT_EQ(RetryDelay(policy, 4, lost, 0.5), milliseconds(400));
  EXPECT_EQ(RetryDelay(policy, 20, lost, 0.5), seconds(5));
  EXPECT_EQ(RetryDelay(policy, 2'000'000'000, lost, 0.5), seconds(5));
  EXPECT_EQ(RetryDelay(policy, 4, lost, 0), seconds(0));
}

TEST(RetryDelay, AddsWhatTheServerAskedFor) {
  EXPECT_EQ(RetryDelay({}, 1, ErrorOfAnswer(429, "", "3"), 0.5), milliseconds(3050));
}

TEST(SystemRandom, IsWithinZeroAndOne) {
  for (int i = 0; i < 1000; ++i) {
    const double value = SystemRandom();
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1);
  }
}

}  // namespace
}  // namespace outrigger::kube
