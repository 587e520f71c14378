#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "cluster/cluster.h"
#include "fmt/format.h"
#include "gang/desk/board.h"
#include "gang/desk/calls/admission.h"
#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/pods.h"

// What the agent gang spends on calls and plans while 10 000 gangs wait that do not fit, on 5000
// nodes.

namespace outrigger::desk {
namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kPods = 10'000;

Node PlainNode(size_t i) {
  Node node;
  node.name = fmt::format("worker-{:04}.example.internal", i);
  node.labels = {{"kubernetes.io/hostname", node.name}};
  node.allocatable = {{"cpu", *Quantity::Parse("32")}, {"pods", *Quantity::Parse("110")}};
  return node;
}

Pod Asking(const std::string& name, std::string_view cpu) {
  Pod pod;
  pod.name = name;
  pod.namespace_ = "default";
  pod.uid = "uid-" + name;
  pod.scheduler_name = "default-scheduler";
  pod.containers.push_back({"main", {{"cpu", *Quantity::Parse(cpu)}}, {}, false});
  return pod;
}

Pod MemberOf(const std::string& gang, size_t index, size_t size, std::string_view cpu) {
  Pod pod = Asking(fmt::format("{}-{}", gang, index), cpu);
  pod.labels = {{"podGroup", gang}, {"minAvailable", fmt::format("{}", size)}};
  return pod;
}

class Crowd {
 public:
  explicit Crowd(size_t size) : size_(size), cluster_({.indexes = {plan::PlannedPodsIndex()}}) {
    for (size_t i = 0; i < kNodes; ++i) cluster_.UpsertNode(PlainNode(i));
    for (size_t i = 0; i < kPods; ++i) {
      cluster_.UpsertPod(MemberOf(fmt::format("waits-{:05}", i / size), i % size, size, "33"));
    }
    cluster_.UpsertPod(MemberOf("fits", 0, 1, "32"));
  }

  /// As the agent does it when something has changed.
  std::shared_ptr<const Board> Plan() {
    const auto snapshot = cluster_.Take();
    const auto pods = pods_.Of(*snapshot);
    table_.Update(pods, {}, {}, nullptr);
    const plan::GroupedUnits& made = table_.made();
    const plan::Plan plan = planner_.Run(snapshot, made.units);
    return std::make_shared<const Board>(Board::Input{.units = made.units,
                                                      .resting = {},
                                                      .plan = plan,
                                                      .groups = made.groups,
                                                      .pods = pods,
                                                      .snapshot = snapshot});
  }
  void ChangeANode(bool more) {
    Node node = PlainNode(77);
    node.allocatable.Set("cpu", *Quantity::Parse(more ? "32" : "31"));
    cluster_.UpsertNode(node);
  }
  void ChangeAPod(bool more) {
    Pod pod = MemberOf("waits-00011", 0, size_, "33");
    pod.labels.Set("changed", more ? "once" : "twice");
    cluster_.UpsertPod(pod);
  }

 private:
  const size_t size_;
  cluster::Cluster cluster_;
  plan::PlannedPods pods_;
  plan::UnitTable table_;
  plan::Planner planner_;
};

Crowd& CrowdOf(size_t size) {
  static auto* const crowds = new std::map<size_t, std::unique_ptr<Crowd>>();
  std::unique_ptr<Crowd>& crowd = (*crowds)[size];
  if (crowd == nullptr) crowd = std::make_unique<Crowd>(size);
  return *crowd;
}

void PlanAfter(benchmark::State& state, void (Crowd::*change)(bool)) {
  Crowd& crowd = CrowdOf(static_cast<size_t>(state.range(0)));
  size_t changes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    (crowd.*change)(++changes % 2 == 0);
    state.ResumeTiming();
    benchmark::DoNotOptimize(crowd.Plan());
  }
}

void BM_GangPlan10000PodsThatWaitInGangsOf(benchmark::State& state) {
  PlanAfter(state, &Crowd::ChangeANode);
}
BENCHMARK(BM_GangPlan10000PodsThatWaitInGangsOf)->Arg(50)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_GangPlan10000PodsOfWhichOneChangesInGangsOf(benchmark::State& state) {
  PlanAfter(state, &Crowd::ChangeAPod);
}
BENCHMARK(BM_GangPlan10000PodsOfWhichOneChangesInGangsOf)
    ->Arg(50)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

class NoDiagnostics final : public Diagnostics {
 public:
  void Malformed(std::string_view /*node*/, std::string_view /*field*/, std::string_view /*value*/,
                 std::string_view /*accepted*/) override {}
};

void Filter(benchmark::State& state, const Pod& pod) {
  const auto board = CrowdOf(1).Plan();
  std::vector<Node> nodes;
  for (size_t i = 0; i < kNodes; ++i) nodes.push_back(PlainNode(i));
  std::vector<NodeRef> refs;
  for (const Node& node : nodes) refs.emplace_back(node);
  NoDiagnostics diagnostics;
  const Request request{.pod = pod, .nodes = NodeList(refs), .diagnostics = diagnostics};
  std::vector<Verdict> verdicts(kNodes);
  PlaceMoves moves;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Admit(*board, request, verdicts, &moves));
  }
}

void BM_GangFilter5000Nodes_AMemberThatWaits(benchmark::State& state) {
  Filter(state, MemberOf("waits-04711", 0, 1, "33"));
}
BENCHMARK(BM_GangFilter5000Nodes_AMemberThatWaits)->Unit(benchmark::kMillisecond);

void BM_GangFilter5000Nodes_AMemberWithAPlace(benchmark::State& state) {
  Filter(state, MemberOf("fits", 0, 1, "32"));
}
BENCHMARK(BM_GangFilter5000Nodes_AMemberWithAPlace)->Unit(benchmark::kMillisecond);

void BM_GangFilter5000Nodes_APodInNoGroup(benchmark::State& state) {
  Filter(state, Asking("single", "1"));
}
BENCHMARK(BM_GangFilter5000Nodes_APodInNoGroup)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger::desk
