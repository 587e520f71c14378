// The experiment of the paper on adaptive bin packing (ICAC 2019): what can be asked of it in every
// seed. 32 nodes; pods of type A come, then A and B, then A, B and C, each type at one rate, and
// stay for an exponential time; what does not fit is rejected.
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "demand/demand.h"
#include "fleet.h"
#include "gmock/gmock.h"
#include "judge.h"

namespace outrigger::pigeon {
namespace {

using Amounts3 = std::array<double, 3>;  // cpu, memory, gpu

constexpr size_t kNodes = 32;
constexpr Amounts3 kCapacity = {32, 256, 4};

struct PodType {
  Amounts3 asked;
  double lifetime;  // mean; pods of each type come once in a unit of time
};
// Offered loads of cpu: 0.15, 0.20, 0.20 of the cluster.
constexpr std::array<PodType, 3> kTypes = {
    {{{2, 24, 0}, 76.8}, {{8, 32, 2}, 25.6}, {{16, 96, 4}, 12.8}}};

// How many types come, by the number of the pod.
size_t TypesAt(size_t pod) {
  return pod < 666 ? 1 : pod < 2000 ? 2 : 3;
}
constexpr size_t kPods = 4000;

enum class Policy { kPack, kSpread, kBalance, kAdaptive };

struct Outcome {
  double rejected = 0;        // share of all pods
  double cpu_deviation = 0;   // mean over the second half of phase I
  double gamma_distance = 0;  // mean of |gamma of the nodes - of the demand| over that of phase II
};

/// One run of one policy.
class Experiment {
 public:
  Experiment(Policy policy, uint32_t seed) : policy_(policy), random_(seed) {
    for (size_t i = 0; i < kNodes; ++i) fleet_.Add(kCapacity, Amounts3{}, true);
  }

  Outcome Run() {
    Outcome outcome;
    double samples_i = 0;
    double samples_ii = 0;
    for (size_t pod = 0; pod < kPods; ++pod) {
      const size_t types = TypesAt(pod);
      now_ += std::exponential_distribution<double>(static_cast<double>(types))(random_);
      EndPods();
      const PodType& type = kTypes[std::uniform_int_distribution<size_t>(0, types - 1)(random_)];
      demand_.Add(type.asked);
      const size_t node = Choose(type.asked);
      if (node == kNodes) {
        outcome.rejected += 1.0 / kPods;
      } else {
        Move(node, type.asked, 1);
        const double end = now_ + std::exponential_distribution<double>(1 / type.lifetime)(random_);
        ends_.push({end, node, &type});
      }
      if (pod >= 333 && pod < 666) {
        outcome.cpu_deviation += Deviation(0);
        ++samples_i;
      } else if (pod >= 1333 && pod < 2000) {
        outcome.gamma_distance += std::fabs(NodesGamma() - DemandGamma(fleet_, demand_));
        ++samples_ii;
      }
    }
    outcome.cpu_deviation /= samples_i;
    outcome.gamma_distance /= samples_ii;
    return outcome;
  }

 private:
  struct End {
    double at;
    size_t node;
    const PodType* type;
    friend bool operator<(const End& a, const End& b) { return a.at > b.at; }  // first end first
  };

  void EndPods() {
    while (!ends_.empty() && ends_.top().at <= now_) {
      Move(ends_.top().node, ends_.top().type->asked, -1);
      ends_.pop();
    }
  }
  void Move(size_t node, const Amounts3& asked, double sign) {
    std::vector<double> used(fleet_.used(node).begin(), fleet_.used(node).end());
    for (size_t r = 0; r < 3; ++r) used[r] += sign * asked[r];
    fleet_.Set(node, kCapacity, used, true);
  }
  bool Fits(size_t node, const Amounts3& asked) const {
    for (size_t r = 0; r < 3; ++r) {
      if (fleet_.used(node)[r] + asked[r] > kCapacity[r]) return false;
    }
    return true;
  }

  // The node of the smallest cost; kNodes: the pod fits nowhere.
  size_t Choose(const Amounts3& asked) {
    const Judge judge(Objective::kBinPack, fleet_, demand_, asked);
    size_t best = kNodes;
    double least = 0;
    for (size_t node = 0; node < kNodes; ++node) {
      if (!Fits(node, asked)) continue;
      const double cost = Cost(judge, node, asked);
      if (best != kNodes && cost >= least) continue;
      best = node;
      least = cost;
    }
    return best;
  }
  double Cost(const Judge& judge, size_t node, const Amounts3& asked) {
    if (policy_ == Policy::kAdaptive) return judge.OnRow(node).value;
    if (policy_ == Policy::kBalance) {
      Move(node, asked, 1);
      const double cost = Deviation(0) - 2 * Deviation(2);
      Move(node, asked, -1);
      return cost;
    }
    double sum = 0;
    for (size_t r = 0; r < 3; ++r) sum += (fleet_.used(node)[r] + asked[r]) / kCapacity[r];
    return policy_ == Policy::kPack ? -sum : sum;
  }

  double Covariance(size_t a, size_t b) const {
    const FleetSums& sums = fleet_.sums();
    return sums.products[a * 3 + b] / kNodes - sums.use[a] * sums.use[b] / kNodes / kNodes;
  }
  double Deviation(size_t resource) const {
    return std::sqrt(std::max(Covariance(resource, resource), 0.0));
  }
  double NodesGamma() const {
    std::vector<double> mean;
    std::vector<double> covariance;
    for (size_t a = 0; a < 3; ++a) {
      mean.push_back(fleet_.sums().use[a] / kNodes);
      for (size_t b = 0; b < 3; ++b) covariance.push_back(Covariance(a, b));
    }
    return Gamma(mean, covariance);
  }

  const Policy policy_;
  std::mt19937 random_;
  Fleet fleet_{{1, 1, 1}, 0};
  Demand demand_{3};
  std::priority_queue<End> ends_;
  double now_ = 0;
};

class PackingPaper : public ::testing::TestWithParam<uint32_t> {
 protected:
  Outcome Of(Policy policy) const { return Experiment(policy, GetParam()).Run(); }
};

TEST_P(PackingPaper, AdaptivePackingSpreadsAlikePodsAndPacksOthers) {
  const Outcome pack = Of(Policy::kPack);
  const Outcome spread = Of(Policy::kSpread);
  const Outcome balance = Of(Policy::kBalance);
  const Outcome adaptive = Of(Policy::kAdaptive);
  RecordProperty("rejected", std::to_string(adaptive.rejected));
  SCOPED_TRACE(std::to_string(pack.rejected) + " " + std::to_string(spread.rejected) + " " +
               std::to_string(balance.rejected) + " " + std::to_string(adaptive.rejected));

  // Large pods find a place: spreading leaves them none.
  EXPECT_LT(adaptive.rejected, spread.rejected / 2);
  EXPECT_LT(pack.rejected, spread.rejected / 2);
  EXPECT_LT(balance.rejected, spread.rejected / 2);
  EXPECT_LT(adaptive.rejected, 0.02);
  EXPECT_GT(spread.rejected, 0.025);

  // Pods that are alike are spread.
  EXPECT_NEAR(adaptive.cpu_deviation, spread.cpu_deviation, 0.005);
  EXPECT_GT(pack.cpu_deviation, 5 * adaptive.cpu_deviation);

  // Nodes vary as pods do, under this policy alone.
  EXPECT_LT(adaptive.gamma_distance, 0.02);
  for (const Outcome* other : {&pack, &spread, &balance}) EXPECT_GT(other->gamma_distance, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PackingPaper, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace outrigger::pigeon
