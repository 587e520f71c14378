#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "load/annotate/allocation_source.h"
#include "load/annotate/annotator.h"
#include "load/annotate/usage_source.h"

// What the annotators spend on 5000 nodes: on one pod that is bound, and on a pass of usage but
// for the source's own time. Patches are answered in memory.

namespace outrigger::annotate {
namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kPodsOfNode = 10;

std::string NameOf(size_t i) {
  return fmt::format("node-{:04}", i);
}

class NoWriter final : public NodeWriter {
 public:
  absl::StatusOr<std::string> Write(std::string_view /*node*/, const NodeChange& /*change*/,
                                    std::stop_token /*stop*/) override {
    return fmt::format("{}", ++version_);
  }

 private:
  std::atomic<int> version_ = 1'000'000;
};

/// Measures nothing: each node has values, other ones each time.
class NoUsage final : public usage::Source {
 public:
  absl::StatusOr<usage::Reading> Read(std::span<const usage::NodeQuestion> nodes,
                                      std::stop_token /*stop*/) override {
    usage::Reading reading;
    reading.nodes.resize(nodes.size());
    reading.end_ms = 1'800'000'000'000 + 60'000 * ++round_;
    reading.window = std::chrono::hours(24);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double cpu = 1000 + static_cast<double>((i + static_cast<size_t>(round_)) * 977 % 3000);
      usage::NodeReading& node = reading.nodes[i];
      node.matched_by = "instance=10.0.0.1:9100";
      node.cpu = {usage::Value::Of(cpu), usage::Value::Of(cpu / 9), usage::Value::Of(cpu + 1)};
      node.memory = {usage::Value::Of(cpu * 1e6), usage::Value::Of(cpu * 1e5),
                     usage::Value::Of(cpu * 1e6)};
    }
    return reading;
  }
  std::string Name() const override { return "nothing"; }

 private:
  int64_t round_ = 0;
};

/// A leading annotator of a cluster whose patches take no time.
class Leading {
 public:
  explicit Leading(std::unique_ptr<ValueSource> source) : source_(std::move(source)) {
    for (size_t i = 0; i < kNodes; ++i) {
      Node node = testing::MakeNode(NameOf(i));
      node.ready = ConditionStatus::kTrue;
      node.resource_version = "1";
      cluster_.Put(node);
      for (size_t pod = 0; pod < kPodsOfNode; ++pod) Put(i, pod);
    }
    AnnotatorOptions options;
    options.patcher.qps = 1e9;
    annotator_ =
        std::make_unique<Annotator>(&cluster_, source_.get(), &writer_, &counters_, options);
    term_ = std::jthread([this](const std::stop_token& term) { annotator_->Lead(term); });
    while (!counters_.Read().is_leader) std::this_thread::yield();
    Round(Scope::kAll);
  }
  void Put(size_t node, size_t pod) {
    Pod bound = testing::MakePod(fmt::format("pod-{}-{}", node, pod))
                    .Requests({{"cpu", "100m"}, {"memory", "256Mi"}});
    bound.node_name = NameOf(node);
    bound.phase = "Running";
    cluster_.Put(bound);
  }
  void Round(Scope scope) {
    if (!annotator_->Round(scope, {}).ok()) std::abort();
  }
  void AwaitWritten() const {
    while (annotator_->Pending() > 0) std::this_thread::yield();
  }

 private:
  testing::FakeCluster cluster_;
  NoWriter writer_;
  Counters counters_;
  const std::unique_ptr<ValueSource> source_;
  std::unique_ptr<Annotator> annotator_;
  std::jthread term_;
};

void AllocationChange(benchmark::State& state) {
  Leading leading(std::make_unique<AllocationSource>(AllocationOptions{}));
  size_t next = 0;
  for (auto _ : state) {
    state.PauseTiming();
    leading.AwaitWritten();
    ++next;
    leading.Put(next % kNodes, kPodsOfNode + next);
    state.ResumeTiming();
    leading.Round(Scope::kChanged);
  }
}
BENCHMARK(AllocationChange)->Name("BM_AllocationChangeOf5000Nodes")->Unit(benchmark::kMicrosecond);

void AllocationAll(benchmark::State& state) {
  Leading leading(std::make_unique<AllocationSource>(AllocationOptions{}));
  for (auto _ : state) leading.Round(Scope::kAll);
}
BENCHMARK(AllocationAll)->Name("BM_AllocationRoundOf5000Nodes")->Unit(benchmark::kMillisecond);

void UsagePass(benchmark::State& state) {
  Leading leading(std::make_unique<UsageSource>(std::make_unique<NoUsage>(), UsageOptions{},
                                                [](const std::string& /*line*/) {}));
  for (auto _ : state) {
    leading.Round(Scope::kAll);
    state.PauseTiming();
    leading.AwaitWritten();
    state.ResumeTiming();
  }
}
BENCHMARK(UsagePass)->Name("BM_UsageRoundOf5000Nodes")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger::annotate
