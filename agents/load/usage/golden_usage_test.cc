// Every row of tests/golden/usage.json: what the original program's statistics are.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "golden.h"
#include "gtest/gtest.h"
#include "load/usage/forecast.h"
#include "load/usage/moments.h"
#include "load/usage/original.h"
#include "load/usage/queries.h"
#include "load/usage/source.h"

namespace outrigger::usage {
namespace {

using nlohmann::json;
using outrigger::testing::LoadGolden;
using ::testing::HasSubstr;

const json& Table() {
  static const json table = LoadGolden("usage.json");
  return table;
}

std::vector<double> ValuesOf(const json& row) {
  return RaisedToUnrequested(row.at("values").get<std::vector<double>>(), row.at("allocatable"),
                             row.at("requested"));
}

void ExpectNear(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::max(std::abs(expected), 1e-9));
}

TEST(GoldenUsage, MeanDeviationAndLeastOfEverySeries) {
  ASSERT_GE(Table().at("series").size(), 6U);
  for (const json& row : Table().at("series")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const auto statistics = OriginalStatisticsOf(ValuesOf(row));
    ASSERT_TRUE(statistics);
    ExpectNear(statistics->mean, row.at("mean"), 1e-12);
    ExpectNear(statistics->deviation, row.at("std_sample"), 1e-9);
    ExpectNear(statistics->least, row.at("min"), 0);
  }
}

TEST(GoldenUsage, ChunkMeansAndForecastOfEverySeriesThatHasThem) {
  size_t rows = 0;
  for (const json& row : Table().at("series")) {
    if (!row.contains("chunk_means_100")) continue;
    ++rows;
    SCOPED_TRACE(row.at("name").get<std::string>());
    const std::vector<double> means = OriginalChunkMeans(ValuesOf(row));
    const auto expected = row.at("chunk_means_100").get<std::vector<double>>();
    ASSERT_EQ(means.size(), expected.size());
    for (size_t i = 0; i < means.size(); ++i) ExpectNear(means[i], expected[i], 1e-12);
    const auto forecast = ForecastNext(means);
    ASSERT_TRUE(forecast);
    for (const auto& [key, value] : row.items()) {
      if (key.starts_with("arima510")) ExpectNear(*forecast, value, 0.02);
    }
  }
  EXPECT_GE(rows, 3U);
}

/// The counter of a cpu that is idle for `idle` of each second, at each scrape.
std::vector<double> SteadyCounter(double idle, double step, size_t samples) {
  std::vector<double> counter;
  for (size_t i = 0; i < samples; ++i) counter.push_back(idle * step * static_cast<double>(i));
  return counter;
}

/// What rate(...[4 scrapes]) has at each scrape.
std::vector<double> RatesOf(const std::vector<double>& counter, double step) {
  std::vector<double> rates;
  for (size_t i = 3; i < counter.size(); ++i) {
    rates.push_back((counter[i] - counter[i - 3]) / (3 * step));
  }
  return rates;
}

// The original took the deviation of the counter, which rises also where the load is steady.
TEST(GoldenUsage, SteadyCpuHasNoDeviationOfItsRateWhereItsCounterHas) {
  ASSERT_GE(Table().at("steady_cpu_counter_artefact").size(), 9U);
  for (const json& row : Table().at("steady_cpu_counter_artefact")) {
    SCOPED_TRACE(row.dump());
    const double step = row.at("scrape_step_s");
    const std::vector<double> counter =
        SteadyCounter(row.at("idle_cores_per_cpu"), step, row.at("samples"));
    const auto original = MomentsOf(counter);
    ExpectNear(1000 * original->deviation / 300, row.at("std_free_cpu_millicores_per_cpu"), 1e-9);
    const auto rates = MomentsOf(RatesOf(counter, step));
    ASSERT_TRUE(rates);
    ExpectNear(1000 * rates->mean, row.at("mean_free_cpu_millicores_per_cpu"), 1e-9);
    EXPECT_NEAR(1000 * rates->deviation, row.at("true_std"), 1e-6);
  }
  const PrometheusQueries ours = WithDefaults({});
  EXPECT_THAT(ours.cpu_deviation, HasSubstr("stddev_over_time((avg by ($label) (sum without (cpu, "
                                            "mode) (rate("));
  EXPECT_THAT(WithOriginals({}).cpu_deviation,
              HasSubstr("stddev_over_time(node_cpu_seconds_total"));
}

}  // namespace
}  // namespace outrigger::usage
