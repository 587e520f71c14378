#include <array>
#include <cstddef>

#include "benchmark/benchmark.h"
#include "beta_risk.h"

namespace outrigger::safe {
namespace {

constexpr double kThreshold = 0.9;
constexpr double kMaxRisk = 0.3;

struct Load {
  double mean;
  double deviation;
};

/// Nodes far from the limit: what most nodes of a cluster are.
constexpr std::array kCalm = {Load{0.20, 0.03}, Load{0.35, 0.05}, Load{0.50, 0.04},
                              Load{0.65, 0.02}, Load{0.30, 0.10}, Load{0.55, 0.06}};
/// Nodes near the limit, where bounds do not decide, one of them a narrow distribution.
constexpr std::array kClose = {Load{0.85, 0.05}, Load{0.88, 0.10},   Load{0.80, 0.15},
                               Load{0.90, 0.03}, Load{0.899, 0.005}, Load{0.75, 0.25}};

template <size_t N>
void BM_Risk(benchmark::State& state, const std::array<Load, N>& loads) {
  size_t i = 0;
  for (auto _ : state) {
    const Load& load = loads[i++ % N];
    benchmark::DoNotOptimize(Risk(load.mean, load.deviation, kThreshold));
  }
}
BENCHMARK_CAPTURE(BM_Risk, calm, kCalm);
BENCHMARK_CAPTURE(BM_Risk, close_to_the_limit, kClose);

template <size_t N>
void BM_RiskDecidedByBounds(benchmark::State& state, const std::array<Load, N>& loads) {
  size_t i = 0;
  for (auto _ : state) {
    const Load& load = loads[i++ % N];
    auto decided = DecidedByBounds(kMaxRisk, load.mean, load.deviation, kThreshold);
    benchmark::DoNotOptimize(decided);
  }
}
BENCHMARK_CAPTURE(BM_RiskDecidedByBounds, calm, kCalm);
BENCHMARK_CAPTURE(BM_RiskDecidedByBounds, close_to_the_limit, kClose);

}  // namespace
}  // namespace outrigger::safe
