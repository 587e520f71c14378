#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "cluster/cluster.h"
#include "fmt/format.h"
#include "gang/plan/planner.h"

// The planner on 5000 nodes with room for eight members each.

namespace outrigger {
namespace {

constexpr size_t kNodes = 5000;

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

Node PlainNode(size_t i) {
  Node node;
  node.name =
      fmt::format("worker-{:04}.pool-{}.example.internal", i, static_cast<char>('a' + i % 4));
  node.labels = {{"kubernetes.io/hostname", node.name},
                 {"topology.example.com/rack", fmt::format("rack-{:03}", i / 40)}};
  node.allocatable = {{"cpu", Q("32")}, {"memory", Q("128Gi")}, {"pods", Q("110")}};
  return node;
}

cluster::Cluster& Nodes() {
  static cluster::Cluster* const cluster = [] {
    auto* made = new cluster::Cluster(cluster::ClusterOptions());
    for (size_t i = 0; i < kNodes; ++i) made->UpsertNode(PlainNode(i));
    return made;
  }();
  return *cluster;
}

plan::Unit Gang(size_t index, size_t members, std::string_view cpu) {
  plan::Unit unit;
  unit.key = {plan::Dialect::kLabels, "default", fmt::format("gang-{:05}", index), ""};
  unit.rank.name = unit.key.name;
  unit.minimum = static_cast<int64_t>(members);
  for (size_t i = 0; i < members; ++i) {
    Pod pod;
    pod.name = fmt::format("{}-{}", unit.key.name, i);
    pod.namespace_ = "default";
    pod.labels = {{"job", unit.key.name}};
    pod.containers.push_back({"main", {{"cpu", Q(cpu)}, {"memory", Q("8Gi")}}, {}, false});
    plan::Member& member = unit.members.emplace_back();
    member.pod = std::make_shared<const Pod>(std::move(pod));
  }
  return unit;
}

std::vector<plan::Unit> Gangs(size_t count, size_t members, std::string_view cpu) {
  std::vector<plan::Unit> units;
  for (size_t i = 0; i < count; ++i) units.push_back(Gang(i, members, cpu));
  return units;
}

void KeepLeases(const plan::Plan& plan, std::vector<plan::Unit>* units) {
  for (size_t i = 0; i < units->size(); ++i) {
    for (size_t m = 0; m < plan.units[i].nodes.size(); ++m) {
      (*units)[i].members[m].reserved = plan.units[i].nodes[m];
    }
  }
}

// Everything for the first time: nodes, shapes, places.
void PlanFromNothing(benchmark::State& state, const std::vector<plan::Unit>& units) {
  const auto snapshot = Nodes().Take();
  for (auto _ : state) {
    plan::Planner planner;
    const plan::Plan plan = planner.Run(snapshot, units);
    if (!plan.units.back().fits) state.SkipWithError("does not fit");
  }
}

void BM_PlanOneGangOf1000(benchmark::State& state) {
  PlanFromNothing(state, Gangs(1, 1000, "4"));
}
BENCHMARK(BM_PlanOneGangOf1000)->Unit(benchmark::kMillisecond);

void BM_Plan100GangsOf50(benchmark::State& state) {
  PlanFromNothing(state, Gangs(100, 50, "4"));
}
BENCHMARK(BM_Plan100GangsOf50)->Unit(benchmark::kMillisecond);

void BM_Plan100GangsOf50EachOfItsShape(benchmark::State& state) {
  std::vector<plan::Unit> units;
  for (size_t i = 0; i < 100; ++i) units.push_back(Gang(i, 50, fmt::format("{}m", 3000 + i)));
  PlanFromNothing(state, units);
}
BENCHMARK(BM_Plan100GangsOf50EachOfItsShape)->Unit(benchmark::kMillisecond);

// What a change of one node costs.
void Replan(benchmark::State& state, std::vector<plan::Unit> units) {
  plan::Planner planner;
  KeepLeases(planner.Run(Nodes().Take(), units), &units);
  Node node = PlainNode(77);
  for (auto _ : state) {
    state.PauseTiming();
    node.labels.Set("changed", fmt::format("{}", state.iterations() % 2));
    node.allocatable.Set("cpu", Q(state.iterations() % 2 == 0 ? "31" : "32"));
    Nodes().UpsertNode(node);
    const auto snapshot = Nodes().Take();
    state.ResumeTiming();
    benchmark::DoNotOptimize(planner.Run(snapshot, units));
  }
}

void BM_ReplanAfterOneNode(benchmark::State& state) {
  Replan(state, Gangs(100, 50, "4"));
}
BENCHMARK(BM_ReplanAfterOneNode)->Unit(benchmark::kMillisecond);

void BM_Replan10000UnitsThatWait(benchmark::State& state) {
  Replan(state, Gangs(10'000, 1, "33"));
}
BENCHMARK(BM_Replan10000UnitsThatWait)->Unit(benchmark::kMillisecond);

// Two hundred amounts that no node has.
void BM_Replan10000UnitsOf200ShapesThatWait(benchmark::State& state) {
  std::vector<plan::Unit> units;
  for (size_t i = 0; i < 10'000; ++i) {
    units.push_back(Gang(i, 1, fmt::format("{}m", 33'000 + i % 200)));
  }
  Replan(state, std::move(units));
}
BENCHMARK(BM_Replan10000UnitsOf200ShapesThatWait)->Unit(benchmark::kMillisecond);

// On a full cluster but for 40 places; each gang wants 50.
std::vector<plan::Unit> NearlyFitting(bool apart) {
  std::vector<plan::Unit> units = {Gang(99'999, kNodes - 40, "30")};
  for (size_t i = 0; i < 200; ++i) {
    units.push_back(Gang(i, 50, "20"));
    if (!apart) continue;
    for (plan::Member& member : units.back().members) {
      Pod pod = *member.pod;
      PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
      term.label_selector.emplace();
      term.label_selector->match_labels.Set("job", units.back().key.name);
      term.topology_key = "kubernetes.io/hostname";
      member.pod = std::make_shared<const Pod>(std::move(pod));
    }
  }
  return units;
}

void BM_Replan200GangsOf50ThatNearlyFit(benchmark::State& state) {
  Replan(state, NearlyFitting(/*apart=*/false));
}
BENCHMARK(BM_Replan200GangsOf50ThatNearlyFit)->Unit(benchmark::kMillisecond);

void BM_Replan200GangsOf50ApartThatNearlyFit(benchmark::State& state) {
  Replan(state, NearlyFitting(/*apart=*/true));
}
BENCHMARK(BM_Replan200GangsOf50ApartThatNearlyFit)->Unit(benchmark::kMillisecond);

// How the cost grows: 400 members of so many shapes on so many nodes.
void PlanShapes(benchmark::State& state, size_t nodes, size_t shapes) {
  cluster::Cluster cluster{cluster::ClusterOptions()};
  for (size_t i = 0; i < nodes; ++i) cluster.UpsertNode(PlainNode(i));
  const auto snapshot = cluster.Take();
  std::vector<plan::Unit> units;
  for (size_t i = 0; i < shapes; ++i) {
    units.push_back(Gang(i, 400 / shapes, fmt::format("{}m", 3000 + i)));
  }
  for (auto _ : state) {
    plan::Planner planner;
    const plan::Plan plan = planner.Run(snapshot, units);
    if (!plan.units.back().fits) state.SkipWithError("does not fit");
  }
}

void BM_PlanByNodes(benchmark::State& state) {
  PlanShapes(state, static_cast<size_t>(state.range(0)), 20);
}
BENCHMARK(BM_PlanByNodes)->Arg(2500)->Arg(5000)->Unit(benchmark::kMillisecond);

void BM_PlanByShapes(benchmark::State& state) {
  PlanShapes(state, kNodes, static_cast<size_t>(state.range(0)));
}
BENCHMARK(BM_PlanByShapes)->Arg(20)->Arg(80)->Unit(benchmark::kMillisecond);

void BM_Explain(benchmark::State& state) {
  const std::vector<plan::Unit> units = Gangs(100, 1000, "4");
  const auto snapshot = Nodes().Take();
  plan::Planner planner;
  for (auto _ : state) {
    if (planner.Explain(snapshot, units, 41).nodes.empty()) state.SkipWithError("no nodes named");
  }
}
BENCHMARK(BM_Explain)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger
