#include "sdk/base/backoff.h"

#include <chrono>

#include "gtest/gtest.h"

namespace outrigger {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheLongest) {
  Backoff<milliseconds> backoff(milliseconds(800), milliseconds(5000));
  EXPECT_EQ(backoff.wait(), milliseconds(0));
  for (const int wait : {800, 1600, 3200, 5000, 5000}) {
    EXPECT_EQ(backoff.Fail(), milliseconds(wait));
    EXPECT_EQ(backoff.wait(), milliseconds(wait));
  }
}

TEST(Backoff, StartsAgainAfterAReset) {
  Backoff<milliseconds> backoff(milliseconds(800), milliseconds(5000));
  backoff.Fail();
  backoff.Fail();
  backoff.Reset();
  EXPECT_EQ(backoff.wait(), milliseconds(0));
  EXPECT_EQ(backoff.Fail(), milliseconds(800));
}

TEST(Backoff, OfACountIsThatAfterSoManyFailures) {
  const auto after = [](int64_t failures) {
    return Backoff<milliseconds>::After(failures, milliseconds(100), milliseconds(60'000)).count();
  };
  EXPECT_EQ(after(1), 100);
  EXPECT_EQ(after(2), 200);
  EXPECT_EQ(after(10), 51'200);
  EXPECT_EQ(after(11), 60'000);
  EXPECT_EQ(after(INT64_MAX), 60'000);
}

}  // namespace
}  // namespace outrigger
