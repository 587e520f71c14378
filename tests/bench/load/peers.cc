#include "peers.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace outrigger::load_bench {
namespace {

int Rounded(double value) {
  return static_cast<int>(std::lround(value));
}

int LeastShare(double used, double capacity) {
  if (capacity <= 0 || used > capacity) return 0;
  return static_cast<int>((capacity - used) * 100 / capacity);
}

/// The share of a beta distribution with this mean and deviation that is at or below `threshold`.
double BetaBelow(double mean, double deviation, double threshold) {
  if (mean <= 0 || threshold >= 1) return 1;
  if (deviation <= 0) return mean <= threshold ? 1 : 0;
  if (mean >= 1 || threshold <= 0) return 0;
  const double sum = mean * (1 - mean) / (deviation * deviation) - 1;
  if (sum <= 0) return 0;
  return boost::math::ibeta(mean * sum, (1 - mean) * sum, threshold);
}

}  // namespace

int LeastAllocatedScore(const Amounts& requested, const Amounts& pod, const Amounts& allocatable) {
  const Amounts with = requested + pod;
  return (LeastShare(with.cpu, allocatable.cpu) + LeastShare(with.memory, allocatable.memory)) / 2;
}

double TargetLoadPackingUse(const Amounts& requests, const Amounts& limits) {
  if (limits.cpu > 0) return limits.cpu;
  return requests.cpu > 0 ? std::round(requests.cpu * 1.5) : 1000;
}

int TargetLoadPackingScore(double used, double pod, double missing, double capacity) {
  constexpr double kT = kTargetUtilization;
  const double predicted = capacity > 0 ? 100 * (used + pod + missing) / capacity : 0;
  if (predicted > 100) return 0;
  if (predicted > kT) return Rounded(kT * (100 - predicted) / (100 - kT));
  return Rounded((100 - kT) * predicted / kT + kT);
}

double OverCommitmentRisk(const RiskInput& input) {
  constexpr double kWeight = 0.5;
  constexpr double kSmoothing = 5;
  constexpr double kMostVariance = 0.99;  // of the largest that a beta distribution can have
  double by_limit = 0;
  if (input.limit > input.capacity) {
    by_limit = (input.limit - input.capacity) / (input.limit - input.request);
  }
  const double most = std::sqrt(input.mean * (1 - input.mean) * kMostVariance);
  const double deviation = std::min(input.deviation * std::sqrt(kSmoothing), most);
  const double allocated = std::clamp(input.request_without_pod / input.capacity, 0.0, 1.0);
  double below = BetaBelow(input.mean, deviation, allocated);
  if (input.limit_without_pod < input.capacity &&
      input.request_without_pod <= input.limit_without_pod) {
    const double limit = input.limit_without_pod / input.capacity;
    const double below_limit = BetaBelow(input.mean, deviation, limit);
    if (limit == 0) {
      below = 1;
    } else if (below_limit > 0) {
      below = std::clamp(below / below_limit, 0.0, 1.0);
    }
  }
  return std::clamp(kWeight * by_limit + (1 - kWeight) * (1 - below), 0.0, 1.0);
}

int LowRiskOverCommitmentScore(double cpu_risk, double memory_risk) {
  return Rounded(100 * (1 - std::max(cpu_risk, memory_risk)));
}

Amounts KoordinatorEstimate(const Amounts& requests, const Amounts& limits) {
  const auto of = [](double request, double limit, double factor, double by_default) {
    const double stated = std::max(request, limit);
    return stated > 0 ? std::round(stated * factor) : by_default;
  };
  constexpr double kDefaultCpu = 250;
  constexpr double kDefaultMemory = 200.0 * 1024 * 1024;
  return {of(requests.cpu, limits.cpu, 0.85, kDefaultCpu),
          of(requests.memory, limits.memory, 0.70, kDefaultMemory)};
}

bool KoordinatorFits(const Amounts& used, const Amounts& allocatable) {
  const Amounts share = ShareOf(used, allocatable);
  return Rounded(share.cpu * 100) <= 65 && Rounded(share.memory * 100) <= 95;
}

int KoordinatorScore(const Amounts& used, const Amounts& allocatable) {
  return (LeastShare(used.cpu, allocatable.cpu) + LeastShare(used.memory, allocatable.memory)) / 2;
}

}  // namespace outrigger::load_bench
