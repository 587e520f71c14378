#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "bodies.h"
#include "outrigger/agent/needs.h"
#include "outrigger/agent/verdict.h"
#include "serve/wire/extender.h"

namespace outrigger {
namespace {

using bench::kNoBody;
using bench::RecordedBody;

constexpr char kFullNodes[] = "full-1000.json";
constexpr char kNamesOnly[] = "names-5000.json";

/// What the agent safe reads: the most that an agent of the hot path asks for.
Needs LoadNeeds() {
  return Needs()
      .NodeAllocatable()
      .NodeAnnotations({"mean-free-cpu", "std-free-cpu", "forcasted-free-cpu", "mean-free-memory",
                        "std-free-memory", "forcasted-free-memory"})
      .PodResources();
}

void BM_Decode(benchmark::State& state, const char* name, const Needs& needs) {
  const RecordedBody recorded(name);
  if (!recorded.ok()) return state.SkipWithError(kNoBody);
  wire::ExtenderArgs args;
  for (auto _ : state) {
    const absl::Status status = wire::ReadExtenderArgs(recorded.body(), needs, &args);
    if (!status.ok()) return state.SkipWithError(std::string(status.message()).c_str());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(recorded.size()));
  state.counters["nodes"] = static_cast<double>(args.names.size());
}
BENCHMARK_CAPTURE(BM_Decode, full_1000_load, kFullNodes, LoadNeeds())
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Decode, full_1000_one_annotation, kFullNodes,
                  Needs().NodeAnnotations({"congestion-factor"}))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Decode, full_1000_everything, kFullNodes, Needs::All())
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Decode, names_5000, kNamesOnly, LoadNeeds())->Unit(benchmark::kMillisecond);

/// Encodes the answer to a filter call of which every `reject_every`th node is rejected (0: none).
void BM_EncodeFilter(benchmark::State& state, const char* name, size_t reject_every) {
  const RecordedBody recorded(name);
  if (!recorded.ok()) return state.SkipWithError(kNoBody);
  wire::ExtenderArgs args;
  const absl::Status status = wire::DecodeExtenderArgs(recorded.body(), LoadNeeds(), &args);
  if (!status.ok()) return state.SkipWithError(std::string(status.message()).c_str());

  std::vector<Verdict::Kind> verdicts(args.names.size(), Verdict::Kind::kFits);
  std::vector<std::string> reasons(args.names.size());
  for (size_t i = 0; reject_every != 0 && i < verdicts.size(); i += reject_every) {
    verdicts[i] = Verdict::Kind::kRejected;
    reasons[i] = "safe: cpu: risk 0.41 > 0.30 of exceeding 90 percent";
  }
  std::string out;
  for (auto _ : state) {
    out.clear();
    wire::EncodeFilterResult(args, verdicts, reasons, &out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK_CAPTURE(BM_EncodeFilter, full_1000_echo, kFullNodes, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_EncodeFilter, full_1000_half_rejected, kFullNodes, 2)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_EncodeFilter, names_5000, kNamesOnly, 0)->Unit(benchmark::kMillisecond);

void BM_EncodePriorities(benchmark::State& state) {
  const RecordedBody recorded(kNamesOnly);
  if (!recorded.ok()) return state.SkipWithError(kNoBody);
  wire::ExtenderArgs args;
  const absl::Status status = wire::DecodeExtenderArgs(recorded.body(), Needs(), &args);
  if (!status.ok()) return state.SkipWithError(std::string(status.message()).c_str());
  std::vector<int> scores(args.names.size());
  for (size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<int>(i % 11);
  std::string out;
  for (auto _ : state) {
    out.clear();
    wire::EncodeHostPriorityList(args, scores, &out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(BM_EncodePriorities)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger
