// When what failed is tried again.
#include "control/retries.h"

#include <chrono>
#include <vector>

#include "gmock/gmock.h"

namespace outrigger::devices::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class DevicesRetries : public ::testing::Test {
 protected:
  /// Milliseconds after which the action is due again, of so many failures in a row.
  std::vector<int64_t> Waits(int failures, Clock::Duration longest) {
    std::vector<int64_t> waits;
    for (int i = 0; i < failures; ++i) {
      (void)retries_.Fail("a", "no", longest);
      waits.push_back(std::chrono::duration_cast<milliseconds>(*retries_.Next() - now_).count());
      EXPECT_FALSE(retries_.IsDue("a"));
      now_ = *retries_.Next();
      EXPECT_TRUE(retries_.IsDue("a"));
    }
    return waits;
  }

  Clock::TimePoint now_;
  Retries retries_{[this] { return now_; }};
};

TEST_F(DevicesRetries, TheTimeDoublesUpToALimit) {
  EXPECT_THAT(Waits(5, seconds(3)), ElementsAre(500, 1000, 2000, 3000, 3000));
  EXPECT_EQ(Waits(60, std::chrono::hours(1)).back(), 3'600'000);
  retries_.Succeed("a");
  EXPECT_FALSE(retries_.Next().has_value());
  EXPECT_THAT(Waits(1, seconds(3)), ElementsAre(500));
}

TEST_F(DevicesRetries, EachActionHasItsOwn) {
  (void)Waits(3, seconds(30));
  (void)retries_.Fail("a", "no", seconds(30));
  (void)retries_.Fail("b", "no", seconds(30));
  EXPECT_EQ(*retries_.Next() - now_, milliseconds(500));
  EXPECT_TRUE(retries_.IsDue("c"));
}

TEST_F(DevicesRetries, ATextIsNewsOnce) {
  EXPECT_TRUE(retries_.Fail("a", "", seconds(1)));
  EXPECT_FALSE(retries_.Fail("a", "", seconds(1)));
  EXPECT_TRUE(retries_.Fail("a", "other", seconds(1)));
}

TEST_F(DevicesRetries, WhatARoundDoesNotAskForIsForgotten) {
  (void)retries_.Fail("a", "no", seconds(1));
  (void)retries_.Fail("b", "no", seconds(1));
  retries_.BeginRound();
  EXPECT_FALSE(retries_.IsDue("a"));
  retries_.EndRound();
  EXPECT_FALSE(retries_.IsDue("a"));
  EXPECT_TRUE(retries_.IsDue("b"));
}

}  // namespace
}  // namespace outrigger::devices::agent
