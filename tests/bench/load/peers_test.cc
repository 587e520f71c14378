// Scores worked out by hand from the published formulas.
#include "peers.h"

#include "gtest/gtest.h"

namespace outrigger::load_bench {
namespace {

constexpr double kGi = 1024.0 * 1024 * 1024;

TEST(LeastAllocated, IsTheMeanOfBothFreeShares) {
  // (4000 - 1000) / 4000 = 75 %, (8 - 4) / 8 = 50 %.
  EXPECT_EQ(LeastAllocatedScore({500, 3 * kGi}, {500, 1 * kGi}, {4000, 8 * kGi}), 62);
  EXPECT_EQ(LeastAllocatedScore({4000, 0}, {1, 0}, {4000, 8 * kGi}), 50);
}

TEST(TargetLoadPacking, PacksUpToTheTargetAndSpreadsAbove) {
  EXPECT_EQ(TargetLoadPackingScore(0, 0, 0, 10'000), 40);
  EXPECT_EQ(TargetLoadPackingScore(1500, 500, 0, 10'000), 70);  // 60 * 20 / 40 + 40
  EXPECT_EQ(TargetLoadPackingScore(3000, 500, 500, 10'000), 100);
  EXPECT_EQ(TargetLoadPackingScore(6000, 500, 500, 10'000), 20);  // 40 * 30 / 60
  EXPECT_EQ(TargetLoadPackingScore(9000, 1000, 500, 10'000), 0);
}

TEST(TargetLoadPacking, TakesAPodByItsLimit) {
  EXPECT_EQ(TargetLoadPackingUse({500, 0}, {800, 0}), 800);
  EXPECT_EQ(TargetLoadPackingUse({500, 0}, {}), 750);
  EXPECT_EQ(TargetLoadPackingUse({}, {}), 1000);
}

TEST(LowRiskOverCommitment, LimitsAboveTheCapacityAreARisk) {
  // Steady and below what is requested: riskLoad is 0. (1500 - 1000) / (1500 - 500) = 1/2, by half.
  const RiskInput input{.request = 500,
                        .limit = 1500,
                        .request_without_pod = 400,
                        .limit_without_pod = 1200,
                        .capacity = 1000,
                        .mean = 0.3,
                        .deviation = 0};
  EXPECT_DOUBLE_EQ(OverCommitmentRisk(input), 0.25);
  EXPECT_EQ(LowRiskOverCommitmentScore(0.25, 0.1), 75);
}

TEST(LowRiskOverCommitment, LoadAboveTheRequestsIsARisk) {
  RiskInput input{.request = 500,
                  .limit = 1000,
                  .request_without_pod = 400,
                  .limit_without_pod = 1200,
                  .capacity = 1000,
                  .mean = 0.5,
                  .deviation = 0};
  EXPECT_DOUBLE_EQ(OverCommitmentRisk(input), 0.5);
  // A mean of 1/2 and a deviation, smoothed, of 1/sqrt(12) are the uniform distribution: 0.4 of it
  // is below the requests.
  input.deviation = std::sqrt(1.0 / 12 / 5);
  EXPECT_NEAR(OverCommitmentRisk(input), 0.3, 1e-12);
  // Half of what can be is above the limits: 0.4 / 0.5.
  input.limit_without_pod = 500;
  EXPECT_NEAR(OverCommitmentRisk(input), 0.1, 1e-12);
  input.request_without_pod = input.limit_without_pod = 0;
  EXPECT_EQ(OverCommitmentRisk(input), 0);
}

TEST(Koordinator, EstimatesByTheLimitElseTheRequest) {
  EXPECT_EQ(KoordinatorEstimate({1000, 1000}, {}), (Amounts{850, 700}));
  EXPECT_EQ(KoordinatorEstimate({1000, 1000}, {2000, 4000}), (Amounts{1700, 2800}));
  EXPECT_EQ(KoordinatorEstimate({}, {}).cpu, 250);
}

TEST(Koordinator, FiltersByThresholds) {
  EXPECT_TRUE(KoordinatorFits({6549, 9549}, {10'000, 10'000}));
  EXPECT_FALSE(KoordinatorFits({6550, 0}, {10'000, 10'000}));  // 65.5 is 66
  EXPECT_FALSE(KoordinatorFits({0, 9550}, {10'000, 10'000}));
}

TEST(Koordinator, PrefersTheLeastUsed) {
  EXPECT_EQ(KoordinatorScore({2500, 5000}, {10'000, 10'000}), 62);  // (75 + 50) / 2
  EXPECT_EQ(KoordinatorScore({11'000, 5000}, {10'000, 10'000}), 25);
}

}  // namespace
}  // namespace outrigger::load_bench
