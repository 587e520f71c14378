#include "beta_risk.h"

#include <cmath>

#include "gmock/gmock.h"
#include "golden.h"

namespace outrigger::safe {
namespace {

using ::testing::Optional;

struct Row {
  const char* name;
  double mean, deviation, threshold, risk;
};

TEST(BetaRisk, EqualsTheTrueTailOfEveryReferenceRow) {
  size_t rows = 0;
  const nlohmann::json table = testing::LoadGolden("beta.json");
  for (const auto& row : table["rows"]) {
    const double mean = row["mu"], deviation = row["sigma"], threshold = row["threshold"];
    if (row["true_cdf"].is_null()) continue;
    EXPECT_NEAR(Risk(mean, deviation, threshold), 1 - row["true_cdf"].get<double>(), 1e-9) << row;
    ++rows;
  }
  EXPECT_GE(rows, 80U);
}

TEST(BetaRisk, EqualsTheTrueIncompleteBetaFunctionForItsShapeParameters) {
  for (const auto& row : testing::LoadGolden("ibeta.json")) {
    const double a = row["a"], b = row["b"], x = row["x"];
    const double mean = a / (a + b);
    const double deviation = std::sqrt(mean * (1 - mean) / (a + b + 1));
    EXPECT_NEAR(Risk(mean, deviation, x), 1 - row["true_regularized"].get<double>(), 1e-9) << row;
  }
}

TEST(BetaRisk, IsCertainWhereThereIsNoDistribution) {
  const Row rows[] = {
      {"idle", 0, 0.5, 0.9, 0},
      {"idle, threshold 0", 0, 0.5, 0, 0},
      {"steady at the threshold", 0.9, 0, 0.9, 0},
      {"steady above the threshold", 0.901, 0, 0.9, 1},
      {"full and varying", 1, 0.1, 0.9, 1},
      {"full and varying, threshold 1", 1, 0.1, 1, 1},
      {"more deviation than a beta distribution has", 0.5, 0.51, 0.9, 1},
      {"as much deviation as two points at 0 and 1", 0.5, 0.5, 0.9, 1},
      {"threshold 1", 0.5, 0.2, 1, 0},
      {"threshold 0", 0.5, 0.2, 0, 1},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Risk(row.mean, row.deviation, row.threshold), row.risk) << row.name;
  }
}

// Correction: underflow made the original's risk a step function of the mean here.
TEST(BetaRisk, IsExactForSmallDeviations) {
  const Row rows[] = {
      {"mean at the threshold", 0.9, 0.006, 0.9, 0.507076},
      {"mean just above", 0.901, 0.005, 0.9, 0.584863},
  };
  for (const Row& row : rows) {
    EXPECT_NEAR(Risk(row.mean, row.deviation, row.threshold), row.risk, 1e-3) << row.name;
  }
}

// Correction: the variance rounded to 0 in the original, and the risk to 0 wherever the mean was.
TEST(BetaRisk, IsAStepForTinyDeviations) {
  for (const double deviation : {1e-8, 1e-9, 1e-12, 1e-100, 5e-324}) {
    EXPECT_EQ(Risk(0.95, deviation, 0.9), 1) << deviation;
    EXPECT_EQ(Risk(0.5, deviation, 0.9), 0) << deviation;
  }
}

// The same numbers must come from the incomplete beta function and from the expansion that takes
// over where that loses digits.
TEST(BetaRisk, HasNoStepWhereTheExpansionTakesOver) {
  for (const double z : {-2.0, -0.5, 0.0, 0.7, 3.0}) {
    const double deviation = 3e-5;  // sum of parameters 1e8 at mean 0.9
    const double above = Risk(0.9, deviation * 1.001, 0.9 + z * deviation * 1.001);
    const double below = Risk(0.9, deviation * 0.999, 0.9 + z * deviation * 0.999);
    EXPECT_NEAR(above, below, 1e-7) << z;
  }
}

TEST(BetaRisk, BelowRoundingIsExactlyZero) {
  EXPECT_EQ(Risk(0.3, 0.025, 0.9), 0);
  EXPECT_GT(Risk(0.25, 0.1, 0.9), 0);
}

TEST(BetaRiskBounds, DecideOnlyWhatTheRiskDecidesAlike) {
  size_t decided = 0;
  size_t total = 0;
  for (const double limit : {0.0, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0}) {
    for (const double threshold : {0.0, 0.3, 0.7, 0.9, 1.0}) {
      for (int i = 0; i <= 64; ++i) {
        for (int j = 0; j <= 75; ++j) {
          const double mean = i / 64.0;
          const double deviation = j / 128.0;
          ++total;
          const auto verdict = DecidedByBounds(limit, mean, deviation, threshold);
          if (!verdict) continue;
          ++decided;
          ASSERT_EQ(*verdict, Risk(mean, deviation, threshold) <= limit)
              << limit << " " << threshold << " " << mean << " " << deviation;
        }
      }
    }
  }
  EXPECT_GT(decided, total / 2);
}

TEST(BetaRiskBounds, DecideNodesThatAreFarFromTheThreshold) {
  EXPECT_THAT(DecidedByBounds(0.3, 0.5, 0.1, 0.9), Optional(true));
  EXPECT_THAT(DecidedByBounds(0.3, 0.99, 0.05, 0.9), Optional(false));
  EXPECT_EQ(DecidedByBounds(0.3, 0.85, 0.1, 0.9), std::nullopt);
}

// The worked example of the original's slides.
TEST(BetaShape, HasTheMeanAndTheDeviation) {
  const auto shape = ShapeOf(0.65, 0.1);
  ASSERT_TRUE(shape.has_value());
  EXPECT_NEAR(shape->alpha, 14.1375, 1e-9);
  EXPECT_NEAR(shape->beta, 7.6125, 1e-9);
  EXPECT_FALSE(ShapeOf(0, 0.1).has_value());
  EXPECT_FALSE(ShapeOf(0.5, 0).has_value());
  EXPECT_FALSE(ShapeOf(0.5, 0.5).has_value());
}

}  // namespace
}  // namespace outrigger::safe
