#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "outrigger/agent/state_store.h"
#include "rule/rule_method.h"
#include "rule/state_text.h"

// What the agent reward spends: on a call about 5000 nodes, on a change of one of 100 000 pods, and
// on writing its state.

namespace outrigger::reward {
namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kPods = 100'000;
constexpr Seconds kNow = 1'795'000'000;

std::string NodeName(size_t i) {
  return fmt::format("worker-{:05}.example.internal", i);
}

/// A state in which the type web has failed on each `every`th node.
std::string StateText(size_t every) {
  Experience experience((Rule()));
  for (size_t i = 0; i < kNodes; ++i) {
    experience.AddRunning("default/web -", NodeName(i), 100, kNow);
    if (i % every == 0) experience.AddFailure("default/web -", NodeName(i), 5, kNow);
  }
  return WriteState(kNow, experience, CountedEnds(), kMostStateBytes);
}

// Names only, as the scheduler asks with nodeCacheCapable.
void BM_RewardScores5000Nodes(benchmark::State& state) {
  RuleMethod method(Rule(), PodFilter(), /*draws=*/state.range(1) != 0);
  method.Show(StateText(static_cast<size_t>(state.range(0))), {.wall = kNow, .steady = {}});
  std::vector<Node> nodes;
  for (size_t i = 0; i < kNodes; ++i) nodes.push_back(testing::MakeNode(NodeName(i)));
  const testing::OwnedRequest request(testing::MakePod("p").Label("podtype", "web"), nodes,
                                      /*explaining=*/false);
  std::vector<NodeScore> scores(kNodes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(method.Score(*request, kNow, scores));
  }
}
BENCHMARK(BM_RewardScores5000Nodes)
    ->ArgNames({"failing_each", "thompson"})
    ->Args({50, 0})
    ->Args({1, 0})
    ->Args({50, 1})
    ->Unit(benchmark::kMicrosecond);

// 100 000 pods that run, 20 on each node.
class Day {
 public:
  Day() : method_(Rule(), PodFilter(), false) {
    for (size_t i = 0; i < kPods; ++i) cluster_.Put(PodNumber(i, kNow));
    method_.Begin("", Now());
    Look();
  }
  void ChangeOne() {
    ++now_;
    cluster_.Put(PodNumber(next_++ % kPods, now_));
  }
  void Look() { benchmark::DoNotOptimize(method_.Look(cluster_.Take()->snapshot, Now())); }
  void Tick() { benchmark::DoNotOptimize(method_.Tick(Now())); }
  void Pass(Seconds time) { now_ += time; }
  std::string Text() { return method_.Text(kMostStateBytes, nullptr); }

 private:
  static Pod PodNumber(size_t i, Seconds since) {
    Pod pod = testing::MakePod(fmt::format("pod-{:06}", i)).Label("app", fmt::format("{}", i % 50));
    pod.uid = fmt::format("3b1f6c1e-8a52-4d0c-9f3e-{:012x}", i);
    pod.node_name = NodeName(i % kNodes);
    pod.phase = "Running";
    pod.start_time = since;
    ContainerState& state = pod.container_states.emplace_back();
    state.name = "main";
    state.running_since = since;
    return pod;
  }
  Moment Now() const {
    return {.wall = now_, .steady = Clock::TimePoint(std::chrono::seconds(now_))};
  }

  testing::FakeCluster cluster_;
  RuleMethod method_;
  Seconds now_ = kNow;
  size_t next_ = 0;
};

Day& TheDay() {
  static Day day;
  return day;
}

void BM_RewardOneOf100000PodsChanges(benchmark::State& state) {
  Day& day = TheDay();
  for (auto _ : state) {
    state.PauseTiming();
    day.ChangeOne();
    state.ResumeTiming();
    day.Look();
  }
}
BENCHMARK(BM_RewardOneOf100000PodsChanges)->Unit(benchmark::kMillisecond)->Iterations(100);

void BM_RewardNothingChanges(benchmark::State& state) {
  Day& day = TheDay();
  for (auto _ : state) day.Look();
}
BENCHMARK(BM_RewardNothingChanges)->Unit(benchmark::kMicrosecond);

// Ten minutes of 100 000 pods are counted.
void BM_Reward100000PodsHaveRunFor600Seconds(benchmark::State& state) {
  Day& day = TheDay();
  for (auto _ : state) {
    day.Pass(600);
    day.Tick();
  }
}
BENCHMARK(BM_Reward100000PodsHaveRunFor600Seconds)->Unit(benchmark::kMillisecond)->Iterations(5);

void BM_RewardWritesItsState(benchmark::State& state) {
  Day& day = TheDay();
  size_t bytes = 0;
  for (auto _ : state) bytes = day.Text().size();
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(BM_RewardWritesItsState)->Unit(benchmark::kMillisecond)->Iterations(5);

}  // namespace
}  // namespace outrigger::reward
