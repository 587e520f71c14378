// Every row of tests/golden/usage.json: what the original program's statistics are.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "golden.h"
#include "gtest/gtest.h"
#include "usage/forecast.h"
#include "usage/original.h"

namespace outrigger::usage {
namespace {

using nlohmann::json;
using outrigger::testing::LoadGolden;

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
    ExpectNear(*forecast, row.at("arima510_drift_one_step_modern_statsmodels"), 0.02);
    ExpectNear(*forecast, row.at("arima510_nodrift_one_step_modern_statsmodels"), 0.02);
  }
  EXPECT_GE(rows, 3U);
}

}  // namespace
}  // namespace outrigger::usage
