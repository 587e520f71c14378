#include "burst.h"

#include <tuple>
#include <vector>

#include "gmock/gmock.h"

namespace outrigger::safe {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr Window kWindow{.end = 1000, .length = 100};
constexpr double kHere = Stay::kNever;

Stay From(double begin, double end = kHere) {
  return {.begin = begin, .end = end, .expected = {200, 4096}};
}
double Cpu(const Window& window, const Stay& stay) {
  return Correction(window, std::vector<Stay>{stay})[kCpuResource];
}

TEST(SafeBurst, AddsOfAPodThatIsThereWhatTheMeanDoesNotHold) {
  const std::tuple<double, double> rows[] = {
      {500, 0},   {900, 0},    {925, 50},   {950, 100},
      {999, 198}, {1000, 200}, {1500, 200}, {kHere, 200},  // it is only on its way
  };
  for (const auto& [begin, added] : rows) {
    EXPECT_THAT(Cpu(kWindow, From(begin)), DoubleNear(added, 1e-9)) << begin;
  }
}

TEST(SafeBurst, TakesAwayOfAPodThatHasGoneWhatTheMeanStillHolds) {
  const std::tuple<double, double, double> rows[] = {
      {0, 900, 0},
      {0, 901, -2},
      {0, 950, -100},
      {0, 1000, -200},
      {940, 950, -20},
      {990, 1000, -20},
      {950, 950, 0},
      // It ended after the measurement, which holds it up to its own end alone.
      {0, 2000, -200},
      {950, 2000, -100},
      {1000, 2000, 0},
      {1500, 2000, 0},
      {950, 900, 0},  // clocks differ: it ended before it began
  };
  for (const auto& [begin, end, taken] : rows) {
    EXPECT_THAT(Cpu(kWindow, From(begin, end)), DoubleNear(taken, 1e-9)) << begin << " " << end;
  }
}

TEST(SafeBurst, OfAPodIsTheSameOnceItHasGoneAsMeasuredBefore) {
  // What was not in the mean while it ran is not taken away when it has gone: all is in one of
  // both.
  for (const double begin : {880.0, 930.0, 999.0}) {
    EXPECT_THAT(Cpu(kWindow, From(begin)) - Cpu(kWindow, From(begin, 1200)), DoubleNear(200, 1e-9));
  }
}

TEST(SafeBurst, OfAMeasurementOfAnInstantIsAllOrNothing) {
  const Window instant{.end = 1000, .length = 0};
  EXPECT_EQ(Cpu(instant, From(999)), 0);
  EXPECT_EQ(Cpu(instant, From(1000)), 200);
  EXPECT_EQ(Cpu(instant, From(kHere)), 200);
  EXPECT_EQ(Cpu(instant, From(0, 999)), 0);
  EXPECT_EQ(Cpu(instant, From(0, 1000)), -200);
  EXPECT_EQ(Cpu(instant, From(0, 1001)), -200);
  EXPECT_EQ(Cpu(instant, From(1000, 1001)), 0);
}

TEST(SafeBurst, IsTheSumOverPodsForEachResource) {
  const std::vector<Stay> stays = {From(950), From(1100), From(0, 1000)};
  EXPECT_THAT(Correction(kWindow, stays), ElementsAre(100, 2048));
  EXPECT_THAT(Correction(kWindow, {}), ElementsAre(0, 0));
}

TEST(SafeBurst, IsFiniteForAbsurdRequests) {
  Stay huge = From(1100);
  huge.expected = {1e30, 1e30};
  EXPECT_THAT(Correction(kWindow, std::vector<Stay>{huge, huge, From(1100)}),
              ElementsAre(2e30, 2e30));
}

// What is past is nothing, now and at every later end of the window.
TEST(SafeBurst, KnowsWhichPodsArePast) {
  for (const double length : {0.0, 100.0}) {
    const Window window{.end = 1000, .length = length};
    for (const double begin : {0.0, 899.0, 900.0, 901.0, 999.0, 1000.0, 1001.0, kHere}) {
      for (const double end : {850.0, 900.0, 901.0, 999.0, 1000.0, 1001.0, kHere}) {
        bool none = true;
        for (const double later : {0.0, 0.5, 1.0, 50.0, 99.0}) {
          const Window next{.end = 1000 + later, .length = length};
          none = none && Cpu(next, From(begin, end)) == 0;
        }
        const bool past = IsPast(window, From(begin, end));
        EXPECT_TRUE(none || !past) << length << " " << begin << " " << end;
        EXPECT_TRUE(past || !none || begin >= 900) << length << " " << begin << " " << end;
      }
    }
  }
}

TEST(SafeMeasured, IsAnEndAndALength) {
  EXPECT_THAT(ParseMeasured("1970-01-01T00:01:40Z/300s"), Optional(Window{100, 300}));
  EXPECT_THAT(ParseMeasured("1970-01-01T02:00:00.5+02:00/0.5s"), Optional(Window{0.5, 0.5}));
  EXPECT_THAT(ParseMeasured("2026-03-01T12:00:00Z/0s"), Optional(Window{1772366400, 0}));
  EXPECT_THAT(ParseMeasured("2026-03-01T12:00:00Z/86400s"), Optional(Window{1772366400, 86400}));
}

TEST(SafeMeasured, IsNothingElse) {
  for (const char* text :
       {"",
        "/",
        "s",
        "/s",
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00Z/",
        "/300s",
        "2026-03-01T12:00:00Z/300",
        "2026-03-01T12:00:00Z/s",
        "2026-03-01T12:00:00Z/-1s",
        "2026-03-01T12:00:00Z/NaNs",
        "2026-03-01T12:00:00Z/infs",
        "2026-03-01T12:00:00Z/1e999s",
        "2026-03-01T12:00:00Z/1..5s",
        "2026-03-01T12:00:00Z/5ms",
        "2026-03-01T12:00:00Z/ 5s",
        "2026-03-01/300s",
        "1772366400/300s",
        "infinite-future/300s",
        "now/300s",
        " 2026-03-01T12:00:00Z/300s",
        "2026-03-01T12:00:00Z /300s",
        "2026-13-01T12:00:00Z/300s",
        "2026-03-01T12:00:00Z/99999999999s",
        "2026-03-01T12:00:00Z/300s/300s",
        "2026-03-01T12:00:00.00000000000000000000000000000000000000000000000000000000000Z/1s"}) {
    EXPECT_EQ(ParseMeasured(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace outrigger::safe
