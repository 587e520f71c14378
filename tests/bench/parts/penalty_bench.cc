#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>

#include "benchmark/benchmark.h"
#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "keeper.h"
#include "outrigger/agent/agent.h"
#include "outrigger/k8s/pod_group.h"
#include "outrigger/k8s/priority_class.h"
#include "settings.h"

// What the agent penalty spends on a change, with 500 penalised classes and 5000 PodGroups. Calls
// of the API server are answered in memory.

namespace outrigger::penalty {
namespace {

constexpr size_t kClasses = 500;
constexpr size_t kGroups = 5000;

PriorityClass ClassOf(size_t i) {
  PriorityClass made;
  made.name = fmt::format("team-{:03}", i);
  made.value = static_cast<int32_t>(1'000'000 + i * 10'000);
  made.preemption_policy = "PreemptLowerPriority";
  made.labels = {{"fairness", "on"}};
  return made;
}

PodGroup GroupOf(size_t i) {
  PodGroup group;
  group.dialect = Dialect::kVolcano;
  group.namespace_ = fmt::format("team-{:03}", i % 50);
  group.name = fmt::format("job-{:05}", i);
  group.uid = fmt::format("3b1f6c1e-8a52-4d0c-9f3e-{:012x}", i);
  group.created = 1'795'000'000;
  group.priority_class_name = fmt::format("team-{:03}", i % kClasses);
  group.queue = fmt::format("queue-{}", i % 10);
  group.phase = "Completed";
  return group;
}

Settings Fair() {
  Settings settings;
  settings.class_selector = "fairness=on";
  settings.start = "flat 100";
  settings.coalesce = 0;
  return settings;
}

class Day {
 public:
  Day() {
    for (size_t i = 0; i < kClasses; ++i) cluster_.keep().Put(ClassOf(i));
    for (size_t i = 0; i < kGroups; ++i) cluster_.Put(GroupOf(i));
    AgentDeps deps;
    deps.name = "penalty";
    deps.cluster = &cluster_;
    deps.log = deps.warn = [](std::string_view /*line*/) {};
    deps.clock.wall = [this] { return now_; };
    keeper_ = std::make_unique<Keeper>(deps, *OptionsFrom(Fair()));
    if (!keeper_->Begin(term_.get_token()).ok()) std::abort();
    Look();
    Look();
  }

  /// The next PodGroup begins a run, each time another one.
  void StartOne() {
    now_ += std::chrono::seconds(1);
    PodGroup group = GroupOf(next_++ % kGroups);
    group.name += fmt::format("-{}", next_);
    group.uid += fmt::format("-{}", next_);
    group.created += 1'000'000;
    group.phase = "Running";
    cluster_.Put(group);
  }
  /// A PodGroup shows another phase, of which nothing follows.
  void ChangeOne() {
    PodGroup group = GroupOf(17);
    group.phase = next_++ % 2 == 0 ? "Unknown" : "Completed";
    cluster_.Put(group);
  }
  void PutPod() { cluster_.Put(Pod(testing::MakePod("pod"))); }
  void Look() { benchmark::DoNotOptimize(keeper_->Round(term_.get_token())); }

 private:
  testing::FakeCluster cluster_;
  std::chrono::system_clock::time_point now_{std::chrono::seconds(1'795'500'000)};
  std::stop_source term_;
  std::unique_ptr<Keeper> keeper_;
  size_t next_ = 0;
};

// All that the agent does itself: it makes no call.
void BM_PenaltyOneOf5000GroupsChanges(benchmark::State& state) {
  Day day;
  for (auto _ : state) {
    state.PauseTiming();
    day.ChangeOne();
    state.ResumeTiming();
    day.Look();
  }
}
BENCHMARK(BM_PenaltyOneOf5000GroupsChanges)->Unit(benchmark::kMillisecond)->Iterations(200);

// Counted, journalled, marked, and the class made again. Most of it is the cluster in memory, which
// copies all PodGroups for each of these calls.
void BM_PenaltyOneOf5000GroupsStarts(benchmark::State& state) {
  Day day;
  for (auto _ : state) {
    state.PauseTiming();
    day.StartOne();
    state.ResumeTiming();
    day.Look();
  }
}
BENCHMARK(BM_PenaltyOneOf5000GroupsStarts)->Unit(benchmark::kMillisecond)->Iterations(200);

void BM_PenaltyAPodChanges(benchmark::State& state) {
  Day day;
  for (auto _ : state) {
    state.PauseTiming();
    day.PutPod();
    state.ResumeTiming();
    day.Look();
  }
}
BENCHMARK(BM_PenaltyAPodChanges)->Unit(benchmark::kMillisecond)->Iterations(200);

}  // namespace
}  // namespace outrigger::penalty
