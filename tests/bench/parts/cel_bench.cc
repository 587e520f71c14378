// Selectors of devices: a simple one may take 1 us per device (docs/cel.md).
#include <string_view>

#include "benchmark/benchmark.h"
#include "cel/check/environment.h"
#include "cel/device.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cel {
namespace {

Device SomeGpu() {
  DeviceBuilder builder;
  builder.AddString("model", "h200");
  builder.AddString("uuid", "GPU-2");
  builder.AddInt("numa", 1);
  builder.AddBool("healthy", true);
  builder.AddString("pcie.example.org/root", "pci0000:17");
  builder.AddVersion("version", "550.54.15").IgnoreError();
  builder.AddCapacity("cores", Quantity::FromInt(132));
  builder.AddCapacity("memory", *Quantity::Parse("80Gi"));
  return builder.BuildDra("gpu.example.com", false);
}

void BM_CelEvaluate(benchmark::State& state, std::string_view text) {
  const auto program = Program::Compile(text, DraEnvironment());
  const Device device = SomeGpu();
  Evaluator evaluator;
  if (!program.ok() || evaluator.Evaluate(*program, device) != Verdict::kTrue) {
    state.SkipWithError("the selector is not true");
  }
  for (auto _ : state) benchmark::DoNotOptimize(evaluator.Evaluate(*program, device));
}
BENCHMARK_CAPTURE(BM_CelEvaluate, driver, "device.driver == 'gpu.example.com'");
BENCHMARK_CAPTURE(
    BM_CelEvaluate, simple,
    "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'h200'");
BENCHMARK_CAPTURE(BM_CelEvaluate, memory,
                  "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40Gi'))");
BENCHMARK_CAPTURE(BM_CelEvaluate, version,
                  "device.attributes['gpu.example.com'].version.compareTo(semver('550.0.0')) >= 0");
BENCHMARK_CAPTURE(BM_CelEvaluate, loop,
                  "device.attributes['gpu.example.com'].exists(k, k == 'version')");

void BM_CelCompile(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        Program::Compile("device.driver == 'gpu.example.com' && "
                         "device.attributes['gpu.example.com'].model == 'h200'",
                         DraEnvironment()));
  }
}
BENCHMARK(BM_CelCompile);

void BM_CelDevice(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(SomeGpu());
}
BENCHMARK(BM_CelDevice);

}  // namespace
}  // namespace outrigger::cel
