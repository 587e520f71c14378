#include "kube/backoff.h"

#include "gmock/gmock.h"

namespace outrigger::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

std::vector<int64_t> Waits(Backoff* backoff, int count) {
  Backoff::Clock::time_point now{};
  std::vector<int64_t> waits;
  for (int i = 0; i < count; ++i) waits.push_back(backoff->Next(now += seconds(60)).count());
  return waits;
}

TEST(Backoff, DoublesUpToTheCap) {
  Backoff backoff({}, [] { return 0.0; });
  EXPECT_THAT(Waits(&backoff, 8), ElementsAre(800, 1600, 3200, 6400, 12800, 25600, 30000, 30000));
}

TEST(Backoff, AddsUpToAsMuchAgainByChance) {
  Backoff backoff({}, [] { return 0.5; });
  EXPECT_THAT(Waits(&backoff, 7), ElementsAre(1200, 2400, 4800, 9600, 19200, 38400, 45000));
}

TEST(Backoff, JitterDoesNotAddUp) {
  int draws = 0;
  Backoff backoff({}, [&draws] { return draws++ == 0 ? 0.999 : 0.0; });
  EXPECT_THAT(Waits(&backoff, 2), ElementsAre(1599, 1600));
}

TEST(Backoff, BeginsAnewAfterAQuietWhile) {
  Backoff backoff({}, [] { return 0.0; });
  const Backoff::Clock::time_point start{};
  EXPECT_EQ(backoff.Next(start), milliseconds(800));
  EXPECT_EQ(backoff.Next(start + seconds(120)), milliseconds(1600));
  EXPECT_EQ(backoff.Next(start + seconds(240) + milliseconds(1)), milliseconds(800));
  EXPECT_EQ(backoff.Next(start + seconds(241)), milliseconds(1600));
}

}  // namespace
}  // namespace outrigger::kube
