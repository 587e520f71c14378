#include "judge.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"

namespace outrigger::pigeon {
namespace {

using ::testing::ElementsAre;
using Row = std::vector<double>;

TEST(PigeonFleet, KnowsWhatTheLargestNodeHas) {
  Fleet fleet({1, 1}, 0);
  fleet.Add(Row{4, 8}, Row{0, 0}, true);
  fleet.Add(Row{64, 1}, Row{0, 0}, /*counts=*/false);
  EXPECT_THAT(fleet.largest(), ElementsAre(64, 8));
  // One that shrinks is seen when the sums are made anew.
  for (int i = 0; i < 2000; ++i) fleet.Set(1, Row{2, 1}, Row{0, 0}, true);
  EXPECT_THAT(fleet.largest(), ElementsAre(4, 8));
  fleet.Clear();
  EXPECT_THAT(fleet.largest(), ElementsAre(0, 0));
}

// Nodes as they are, judged by adding up all of them: what Judge must give without doing so.
struct Plain {
  std::vector<Row> capacity;
  std::vector<Row> used;
  std::vector<double> weights;

  double Use(size_t row, size_t r) const {
    return std::min(used[row][r] / capacity[row][r], 1.0) * weights[r];
  }
  double GammaOf() const {
    const size_t resources = weights.size();
    const auto nodes = static_cast<double>(capacity.size());
    Row mean(resources);
    Row covariance(resources * resources);
    for (size_t row = 0; row < capacity.size(); ++row) {
      for (size_t r = 0; r < resources; ++r) mean[r] += Use(row, r) / nodes;
    }
    for (size_t row = 0; row < capacity.size(); ++row) {
      for (size_t a = 0; a < resources; ++a) {
        for (size_t b = 0; b < resources; ++b) {
          covariance[a * resources + b] +=
              (Use(row, a) - mean[a]) * (Use(row, b) - mean[b]) / nodes;
        }
      }
    }
    return Gamma(mean, covariance);
  }
  double Mean() const {
    double sum = 0;
    for (size_t row = 0; row < capacity.size(); ++row) sum += used[row][0] / capacity[row][0];
    return sum / static_cast<double>(capacity.size());
  }
  double MeanOf(double (*term)(double x, double mean)) const {
    double sum = 0;
    for (size_t row = 0; row < capacity.size(); ++row) {
      sum += term(used[row][0] / capacity[row][0], Mean());
    }
    return sum / static_cast<double>(capacity.size());
  }
  double LoadBalance() const {
    return std::sqrt(MeanOf([](double x, double mean) { return (x - mean) * (x - mean); }));
  }
  double Consolidate() const {
    return 1 - std::sqrt(MeanOf([](double x, double mean) {
             const double t = x < mean ? (mean - x) / mean : (x - mean) / (1 - mean);
             return t * t;
           }));
  }
};

/// A fleet of random nodes, and the same nodes as they are.
class PigeonJudge : public ::testing::Test {
 protected:
  static constexpr size_t kResources = 3;

  PigeonJudge() {
    for (int i = 0; i < 40; ++i) {
      plain_.capacity.push_back({4000.0 + 4000 * Dice(8), 1e9 * (1 + Dice(64)), 110});
      plain_.used.push_back(RandomUse(plain_.capacity.back()));
      fleet_.Add(plain_.capacity.back(), plain_.used.back(), true);
    }
    for (int i = 0; i < 30; ++i) demand_.Add(Row{100.0 * (1 + Dice(40)), 1e8 * (1 + Dice(9)), 1});
  }
  double Dice(int sides) { return static_cast<double>(random_() % static_cast<unsigned>(sides)); }
  Row RandomUse(const Row& capacity) {
    Row used;
    for (const double amount : capacity) used.push_back(std::floor(amount * Dice(900) / 1000));
    return used;
  }
  // With the pod on that node.
  Plain With(size_t row) const {
    Plain with = plain_;
    for (size_t r = 0; r < kResources; ++r) with.used[row][r] += asked_[r];
    return with;
  }
  void ExpectAllValues(double tolerance) const {
    const Judge pack(Objective::kBinPack, fleet_, demand_, asked_);
    const Judge balance(Objective::kLoadBalance, fleet_, demand_, asked_);
    const Judge consolidate(Objective::kConsolidate, fleet_, demand_, asked_);
    for (size_t row = 0; row < fleet_.size(); ++row) {
      const Plain with = With(row);
      const Judgement judgement = pack.OnRow(row);
      EXPECT_NEAR(judgement.gamma, with.GammaOf(), tolerance) << row;
      EXPECT_EQ(judgement.value, std::fabs(judgement.gamma - pack.demand_gamma())) << row;
      EXPECT_NEAR(balance.OnRow(row).value, with.LoadBalance(), tolerance) << row;
      EXPECT_NEAR(consolidate.OnRow(row).value, with.Consolidate(), tolerance) << row;
    }
  }

  std::mt19937 random_{11};
  Plain plain_{.capacity = {}, .used = {}, .weights = {1, 0.5, 2}};
  Fleet fleet_{plain_.weights, 0};
  Demand demand_{kResources};
  const Row asked_ = {300, 2e8, 1};
};

TEST_F(PigeonJudge, GivesWhatAddingUpAllNodesGives) {
  ExpectAllValues(1e-12);
}

TEST_F(PigeonJudge, StillDoesSoAfterManyChanges) {
  constexpr int kChanges = 49 * 1024;
  for (int i = 0; i < kChanges; ++i) {
    const size_t row = random_() % fleet_.size();
    plain_.used[row] = RandomUse(plain_.capacity[row]);
    fleet_.Set(row, plain_.capacity[row], plain_.used[row], true);
  }
  ExpectAllValues(1e-11);
  // Rounding errors do not add up for ever: now and then the sums are made from nothing.
  Fleet same(plain_.weights, 0);
  for (size_t row = 0; row < fleet_.size(); ++row) {
    same.Add(plain_.capacity[row], plain_.used[row], true);
  }
  EXPECT_EQ(fleet_.sums().use, same.sums().use);
  EXPECT_EQ(fleet_.sums().products, same.sums().products);
  EXPECT_EQ(fleet_.sums().prime_squares, same.sums().prime_squares);
}

TEST_F(PigeonJudge, CountsANodeThatIsNotInTheFleetAsOneMore) {
  const Row capacity = {8000, 8e9, 110};
  const Row used = {4000, 1e9, 7};
  plain_.capacity.push_back(capacity);
  plain_.used.push_back(used);
  const Plain with = With(plain_.used.size() - 1);
  EXPECT_NEAR(Judge(Objective::kBinPack, fleet_, demand_, asked_).OnOther(capacity, used).gamma,
              with.GammaOf(), 1e-12);
  EXPECT_NEAR(Judge(Objective::kLoadBalance, fleet_, demand_, asked_).OnOther(capacity, used).value,
              with.LoadBalance(), 1e-12);
  EXPECT_NEAR(Judge(Objective::kConsolidate, fleet_, demand_, asked_).OnOther(capacity, used).value,
              with.Consolidate(), 1e-12);
}

// A cordoned node takes part in no sum, but can still be offered to a pod that tolerates that.
TEST_F(PigeonJudge, LeavesOutNodesThatDoNotCount) {
  const Judge before(Objective::kBinPack, fleet_, demand_, asked_);
  const double gamma = before.OnRow(0).gamma;
  fleet_.Add(Row{1e6, 1e12, 110}, Row{1, 1, 1}, false);
  EXPECT_EQ(Judge(Objective::kBinPack, fleet_, demand_, asked_).OnRow(0).gamma, gamma);
  EXPECT_NE(Judge(Objective::kBinPack, fleet_, demand_, asked_).OnRow(40).gamma, gamma);
}

// Correction: the original's demand had no variation then, and everything was spread.
TEST(PigeonDemandGamma, LeavesOutResourcesOfWhichNobodyHasAnything) {
  Demand two(2);
  Demand three(3);
  Fleet of_two({1, 1}, 0);
  Fleet of_three({1, 1, 1}, 0);
  of_two.Add(Row{8000, 32e9}, Row{0, 0}, true);
  of_three.Add(Row{8000, 0, 32e9}, Row{0, 0, 0}, true);
  for (const double cpu : {100.0, 4000.0, 200.0}) {
    two.Add(Row{cpu, cpu * 1e6});
    three.Add(Row{cpu, 3, cpu * 1e6});
  }
  EXPECT_GT(DemandGamma(of_two, two), 1);
  EXPECT_NEAR(DemandGamma(of_three, three), DemandGamma(of_two, two), 1e-12);
}

// Correction: 32-bit products of the first pod wrapped in the original.
TEST(PigeonDemandGamma, OfPodsThatAreAlikeIsZeroHoweverLargeTheyAre) {
  Fleet fleet({1, 1}, 0);
  fleet.Add(Row{1e6, 1e12}, Row{0, 0}, true);
  Demand demand(2);
  for (int i = 0; i < 300; ++i) demand.Add(Row{96'000, 7e11});
  EXPECT_NEAR(DemandGamma(fleet, demand), 0, 1e-7);
}

TEST(PigeonDemandGamma, FollowsPodsThatHaveBecomeOthers) {
  Fleet fleet({1}, 0);
  fleet.Add(Row{8000}, Row{0}, true);
  Demand demand(1);
  for (int i = 0; i < 100; ++i) demand.Add(Row{500});
  EXPECT_NEAR(DemandGamma(fleet, demand), 0, 1e-9);
  for (int i = 0; i < 500; ++i) demand.Add(Row{i % 2 == 0 ? 100.0 : 4000.0});
  EXPECT_NEAR(DemandGamma(fleet, demand), 1950.0 / 2050, 0.02);
}

TEST(PigeonScores, DrawOutValuesOverTheWholeScale) {
  const std::vector<std::optional<double>> values = {0.2, std::nullopt, 0.8, 0.5};
  EXPECT_THAT(ScoresOf(values, 4),
              ::testing::ElementsAre(10, 0, 1, ::testing::DoubleNear(5.5, 1e-9)));
}

TEST(PigeonScores, TieWhereOnlyRoundingTellsValuesApart) {
  const std::vector<std::optional<double>> values = {0.5, 0.5 + 0.9e-6, std::nullopt};
  EXPECT_THAT(ScoresOf(values, 3), ::testing::ElementsAre(10, 10, 0));
  EXPECT_THAT(ScoresOf({}, 0), ::testing::IsEmpty());
}

// In a large cluster a small pod moves gamma by less than a millionth wherever it goes.
TEST(PigeonScores, TellSmallPodsApartInLargeClusters) {
  Fleet fleet({1, 1}, 0);
  for (int i = 0; i < 5000; ++i) {
    fleet.Add(Row{32'000, 128e9}, Row{16'000.0 + (i % 2 == 0 ? 100 : -100), 64e9}, true);
  }
  Demand demand(2);
  const Row asked = {50, 64e6};
  demand.Add(asked);
  const Judge judge(Objective::kBinPack, fleet, demand, asked);
  const std::vector<std::optional<double>> values = {judge.OnRow(0).value, judge.OnRow(1).value};
  EXPECT_LT(std::fabs(*values[0] - *values[1]), 1e-6);
  EXPECT_THAT(ScoresOf(values, 5000), ::testing::ElementsAre(1, 10));
}

}  // namespace
}  // namespace outrigger::pigeon
