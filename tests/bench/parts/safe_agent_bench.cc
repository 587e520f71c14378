#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "outrigger/agent/agent.h"
#include "safe.h"

// What a call costs the agent safe itself, 5000 nodes of two measured resources each, for a pod
// like the last one.

namespace outrigger::safe {
namespace {

using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

constexpr size_t kNodes = 5000;

MakeNode Calm(size_t i) {
  return MakeNode(fmt::format("worker-{:04}.pool-a.example.internal", i))
      .Allocatable("cpu", "32")
      .Allocatable("memory", "128Gi")
      .Annotation("mean-free-cpu", fmt::format("{}", 8000 + i * 3))
      .Annotation("std-free-cpu", fmt::format("{}", 100 + i % 1400))
      .Annotation("mean-free-memory", fmt::format("{}", 40'000'000'000 + i * 1'000'000))
      .Annotation("std-free-memory", "2000000000");
}

/// Above the limit, each to its own degree.
MakeNode Busy(size_t i) {
  return Calm(i).Annotation("mean-free-cpu", fmt::format("{}", i % 3500));
}

std::vector<Node> Nodes(size_t one_busy_in) {
  std::vector<Node> nodes;
  for (size_t i = 0; i < kNodes; ++i) {
    const bool busy = one_busy_in != 0 && i % one_busy_in == 1;
    nodes.push_back(busy ? Busy(i) : Calm(i));
    nodes.back().revision = NextNodeRevision();
  }
  return nodes;
}

/// The time of the day when pods come.
constexpr int64_t kNow = 1'800'000'000;

std::unique_ptr<Agent> MakeAgent(ClusterAccess* cluster = nullptr) {
  AgentDeps deps;
  deps.name = "safe";
  deps.cluster = cluster;
  deps.clock.wall = [] {
    return std::chrono::system_clock::time_point(std::chrono::seconds(kNow));
  };
  const AgentFactory factory = MakeFactory();
  auto agent = factory.make(deps, factory.settings.Defaults());
  if (!agent.ok()) std::abort();
  return *std::move(agent);
}

Pod Ask() {
  return MakePod().Requests({{"cpu", "250m"}, {"memory", "512Mi"}});
}

/// 5000 calm nodes with ten pods each that have been there for long, and some young ones.
class Busyness {
 public:
  explicit Busyness(size_t young) {
    for (Node& node : Nodes(0)) {
      for (size_t i = 0; i < 10; ++i) Bind(fmt::format("old-{}-{}", node.name, i), node.name, 9000);
      names_.push_back(node.name);
      cluster_.Put(node);
    }
    for (size_t i = 0; i < young; ++i) BindOne();
  }
  testing::FakeCluster& cluster() { return cluster_; }
  void BindOne() {
    const size_t i = next_++;
    Bind(fmt::format("young-{}", i), names_[i * 7 % kNodes], 10);
  }
  std::vector<Node> nodes() {
    std::vector<Node> nodes;
    const auto view = cluster_.Take();
    for (const std::string& name : names_) {
      nodes.push_back(view->snapshot->FindNode(name)->node());
    }
    return nodes;
  }

 private:
  void Bind(const std::string& name, const std::string& node, int64_t ago) {
    Pod pod = Ask();
    pod.name = name;
    pod.uid = name;
    pod.node_name = node;
    pod.phase = "Running";
    pod.scheduled_time = pod.start_time = kNow - ago;
    cluster_.Show(pod);
  }

  testing::FakeCluster cluster_;
  std::vector<std::string> names_;
  size_t next_ = 0;
};

void Filter(benchmark::State& state, size_t one_busy_in) {
  const auto agent = MakeAgent();
  const auto* const filter = dynamic_cast<const Filterer*>(agent.get());
  const OwnedRequest request(Ask(), Nodes(one_busy_in), /*explaining=*/false);
  std::vector<Verdict> verdicts;
  for (auto _ : state) {
    verdicts.clear();
    verdicts.resize(kNodes);
    if (!filter->Filter(*request, verdicts).ok()) std::abort();
    benchmark::DoNotOptimize(verdicts.data());
  }
  size_t rejected = 0;
  for (const Verdict& verdict : verdicts) rejected += verdict.fits() ? 0 : 1;
  state.counters["rejected"] = static_cast<double>(rejected);
}

void BM_SafeFilter5000Nodes_AllFit(benchmark::State& state) {
  Filter(state, 0);
}
BENCHMARK(BM_SafeFilter5000Nodes_AllFit)->Unit(benchmark::kMicrosecond);

void BM_SafeFilter5000Nodes_AThirdRejected(benchmark::State& state) {
  Filter(state, 3);
}
BENCHMARK(BM_SafeFilter5000Nodes_AThirdRejected)->Unit(benchmark::kMicrosecond);

void BM_SafeScore5000Nodes(benchmark::State& state) {
  const auto agent = MakeAgent();
  const auto* const scorer = dynamic_cast<const Scorer*>(agent.get());
  const OwnedRequest request(Ask(), Nodes(0), /*explaining=*/false);
  std::vector<NodeScore> scores(kNodes);
  for (auto _ : state) {
    if (!scorer->Score(*request, scores).ok()) std::abort();
    benchmark::DoNotOptimize(scores.data());
  }
}
BENCHMARK(BM_SafeScore5000Nodes)->Unit(benchmark::kMicrosecond);

/// Both calls that kube-scheduler makes for a pod. Before each, `bound` pods are bound.
void FilterAndScore(benchmark::State& state, size_t young, size_t bound, bool follows) {
  Busyness busyness(young);
  const auto agent = MakeAgent(follows ? &busyness.cluster() : nullptr);
  const auto* const filter = dynamic_cast<const Filterer*>(agent.get());
  const auto* const scorer = dynamic_cast<const Scorer*>(agent.get());
  const OwnedRequest request(Ask(), busyness.nodes(), /*explaining=*/false);
  std::vector<Verdict> verdicts;
  std::vector<NodeScore> scores(kNodes);
  for (auto _ : state) {
    if (bound > 0) {
      state.PauseTiming();
      for (size_t i = 0; i < bound; ++i) busyness.BindOne();
      state.ResumeTiming();
    }
    verdicts.clear();
    verdicts.resize(kNodes);
    if (!filter->Filter(*request, verdicts).ok()) std::abort();
    if (!scorer->Score(*request, scores).ok()) std::abort();
    benchmark::DoNotOptimize(verdicts.data());
  }
}

void BM_SafePod5000Nodes_NoPodsFollowed(benchmark::State& state) {
  FilterAndScore(state, 500, 0, false);
}
BENCHMARK(BM_SafePod5000Nodes_NoPodsFollowed)->Unit(benchmark::kMicrosecond);

void BM_SafePod5000Nodes_500YoungPods(benchmark::State& state) {
  FilterAndScore(state, 500, 0, true);
}
BENCHMARK(BM_SafePod5000Nodes_500YoungPods)->Unit(benchmark::kMicrosecond);

void BM_SafePod5000Nodes_OneBoundSinceTheLast(benchmark::State& state) {
  FilterAndScore(state, 500, 1, true);
}
BENCHMARK(BM_SafePod5000Nodes_OneBoundSinceTheLast)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace outrigger::safe
