#include "load/usage/forecast.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "load/usage/node_values.h"

namespace outrigger::usage {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Forecast, GoesOnWithALineASineAndAConstant) {
  std::vector<double> line, sine, constant;
  for (int i = 0; i < 100; ++i) {
    line.push_back(1e9 + 1e6 * i);
    sine.push_back(std::sin(0.2 * i));
    constant.push_back(7e9);
  }
  EXPECT_NEAR(*ForecastNext(line), 1.1e9, 1);
  EXPECT_NEAR(*ForecastNext(sine), std::sin(0.2 * 100), 1e-3);
  EXPECT_EQ(ForecastNext(constant), 7e9);
}

TEST(Forecast, FollowsARuleOfItsOwnKind) {
  // d(t) = 0.6 d(t-1) - 0.3 d(t-2), pushed now and then.
  std::vector<double> series = {0, 1};
  std::vector<double> steps = {1, 0.2};
  for (int i = 2; i < 60; ++i) {
    steps.push_back(0.6 * steps[steps.size() - 1] - 0.3 * steps[steps.size() - 2] +
                    (i % 17 == 0 ? 5 : 0));
    series.push_back(series.back() + steps.back());
  }
  const double expected = series.back() + 0.6 * steps.back() - 0.3 * steps[steps.size() - 2];
  EXPECT_NEAR(*ForecastNext(series), expected, 0.35);
}

TEST(Forecast, HasNoAnswerToTooLittleOrNoNumbers) {
  EXPECT_FALSE(ForecastNext({}));
  EXPECT_FALSE(ForecastNext(std::vector<double>(kFewestForForecast - 1, 1.0)));
  EXPECT_TRUE(ForecastNext(std::vector<double>(kFewestForForecast, 1.0)));
  std::vector<double> series(100, 1.0);
  series[50] = kNan;
  EXPECT_FALSE(ForecastNext(series));
}

// A part of the window that is infinite is a gap; one that is negative is of another unit.
TEST(Forecast, OfNegativeAmountsIsNone) {
  Series series;
  for (int i = 0; i < 100; ++i) series.points.push_back({.time = 1.0 * i, .value = 5});
  const NodeSeries node{.series = &series, .gap = Gap::kNone, .detail = {}};
  series.points[50].value = HUGE_VAL;
  EXPECT_EQ(ForecastValue(node, 99, 1, 100).value, 5);
  series.points[50].value = -1;
  EXPECT_EQ(ForecastValue(node, 99, 1, 100).gap, Gap::kUnit);
}

TEST(Forecast, FillsGapsWithWhatWasBefore) {
  EXPECT_THAT(WithoutGaps(std::vector<double>{kNan, 1, kNan, HUGE_VAL, 2}),
              ElementsAre(1, 1, 1, 2));
  EXPECT_THAT(WithoutGaps(std::vector<double>{kNan}), ElementsAre());
}

}  // namespace
}  // namespace outrigger::usage
