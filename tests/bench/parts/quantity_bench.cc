#include <cstdint>
#include <string_view>

#include "benchmark/benchmark.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger {
namespace {

void BM_QuantityParse(benchmark::State& state, std::string_view text) {
  for (auto _ : state) {
    auto quantity = Quantity::Parse(text);
    benchmark::DoNotOptimize(quantity);
  }
}
BENCHMARK_CAPTURE(BM_QuantityParse, cpu_milli, "31850m");
BENCHMARK_CAPTURE(BM_QuantityParse, memory_ki, "132435968Ki");
BENCHMARK_CAPTURE(BM_QuantityParse, plain, "110");
BENCHMARK_CAPTURE(BM_QuantityParse, fraction, "1.5Gi");
BENCHMARK_CAPTURE(BM_QuantityParse, exponent, "2e3");
BENCHMARK_CAPTURE(BM_QuantityParse, malformed, "12 Gi");

}  // namespace
}  // namespace outrigger
