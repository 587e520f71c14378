#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent_under_test.h"
#include "benchmark/benchmark.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gang/desk/board.h"
#include "gang/desk/calls/admission.h"
#include "gang/desk/desk.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/shared.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// What the agent qos spends on calls and plans while 20 000 single pods wait in the queue, on 5000
// nodes that are full but for 100 places.

namespace outrigger::qos {
AgentFactory MakeFactory();
}  // namespace outrigger::qos

namespace outrigger::desk {
namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kPending = 20'000;
constexpr size_t kFree = 100;
constexpr size_t kWithVictims = 100;  // the last nodes

Node QueueNode(size_t i) {
  Node node;
  node.name = fmt::format("worker-{:04}.example.internal", i);
  node.labels = {{"kubernetes.io/hostname", node.name}};
  node.allocatable = {
      {"cpu", *Quantity::Parse(i < kFree || i >= kNodes - kWithVictims ? "1" : "0")},
      {"pods", *Quantity::Parse("110")}};
  return node;
}

Pod Victim(size_t i) {
  Pod pod;
  pod.name = fmt::format("runs-{:04}", i);
  pod.namespace_ = "default";
  pod.uid = "uid-" + pod.name;
  pod.labels = {{"groupPriority", "-1"}};
  pod.node_name = QueueNode(i).name;
  pod.containers.push_back({"main", {{"cpu", *Quantity::Parse("1")}}, {}, false});
  return pod;
}

Pod Queued(size_t i) {
  Pod pod;
  pod.name = fmt::format("render-{:05}-{:05x}", i, i * 7919 % 0xfffff);
  pod.namespace_ = "team-rendering";
  pod.uid = fmt::format("3b1f6c1e-8a52-4d0c-9f3e-{:012x}", i * 2'654'435'761 % 0xffff'ffff'ffff);
  pod.scheduler_name = "default-scheduler";
  pod.labels = {{"groupPriority", fmt::format("{}", i % 100)}};
  pod.containers.push_back({"main", {{"cpu", *Quantity::Parse("1")}}, {}, false});
  return pod;
}

/// The agent qos as the program makes it, with a desk that plans by hand.
class Queue {
 public:
  Queue() {
    for (size_t i = 0; i < kNodes; ++i) cluster_.Put(QueueNode(i));
    for (size_t i = kNodes - kWithVictims; i < kNodes; ++i) cluster_.Put(Victim(i));
    for (size_t i = 0; i < kPending; ++i) cluster_.Put(Queued(i));
    desk_ = parts_.GetOrMake<Desk>([this] {
      return std::make_shared<Desk>(
          &cluster_, [](std::string_view) {}, DeskDrive{.by_hand = true});
    });
    const AgentFactory factory = qos::MakeFactory();
    AgentDeps deps;
    deps.name = "qos";
    deps.log = deps.warn = [](std::string_view) {};
    deps.cluster = &cluster_;
    deps.shared = &parts_;
    deps.given.insert("scheduler-lease");
    auto made = factory.make(
        deps, outrigger::testing::SettingsFrom(factory, {{"scheduler-lease", "none"}}));
    if (!made.ok()) std::abort();
    agent_ = *std::move(made);
    if (!dynamic_cast<Controller&>(*agent_).Start().ok()) std::abort();
    desk_->Step();
  }

  void Plan() { desk_->Step(); }
  std::shared_ptr<const Board> board() const { return *desk_->Plan(); }
  void ChangeAPod(bool more) {
    Pod pod = Queued(4711);
    pod.labels.Set("changed", more ? "once" : "twice");
    cluster_.Put(pod);
  }
  void ChangeANode(bool more) {
    Node node = QueueNode(77);
    node.allocatable.Set("cpu", *Quantity::Parse(more ? "1" : "0"));
    cluster_.Put(node);
  }

 private:
  outrigger::testing::FakeCluster cluster_;
  SharedParts parts_;
  std::shared_ptr<Desk> desk_;
  std::unique_ptr<Agent> agent_;
};

Queue& TheQueue() {
  static auto* const queue = new Queue();
  return *queue;
}

void PlanAfter(benchmark::State& state, void (Queue::*change)(bool)) {
  Queue& queue = TheQueue();
  size_t changes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    (queue.*change)(++changes % 2 == 0);
    state.ResumeTiming();
    queue.Plan();
  }
}

void BM_QueuePlan20000PodsOfWhichOneChanges(benchmark::State& state) {
  PlanAfter(state, &Queue::ChangeAPod);
}
BENCHMARK(BM_QueuePlan20000PodsOfWhichOneChanges)->Unit(benchmark::kMillisecond);

void BM_QueuePlan20000PodsAfterANodeChanges(benchmark::State& state) {
  PlanAfter(state, &Queue::ChangeANode);
}
BENCHMARK(BM_QueuePlan20000PodsAfterANodeChanges)->Unit(benchmark::kMillisecond);

class Unheard final : public Diagnostics {
 public:
  void Malformed(std::string_view /*node*/, std::string_view /*field*/, std::string_view /*value*/,
                 std::string_view /*accepted*/) override {}
};

void Filter(benchmark::State& state, size_t index) {
  const auto board = TheQueue().board();
  const Pod pod = Queued(index);
  std::vector<Node> nodes;
  for (size_t i = 0; i < kNodes; ++i) nodes.push_back(QueueNode(i));
  std::vector<NodeRef> refs;
  for (const Node& node : nodes) refs.emplace_back(node);
  Unheard diagnostics;
  const Request request{.pod = pod, .nodes = NodeList(refs), .diagnostics = diagnostics};
  std::vector<Verdict> verdicts(kNodes);
  PlaceMoves moves;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Admit(*board, request, verdicts, &moves));
  }
}

void BM_QueueFilter5000Nodes_APodThatIsHeld(benchmark::State& state) {
  Filter(state, 0);
}
BENCHMARK(BM_QueueFilter5000Nodes_APodThatIsHeld)->Unit(benchmark::kMillisecond);

void BM_QueueFilter5000Nodes_APodWithAPlace(benchmark::State& state) {
  Filter(state, 99);
}
BENCHMARK(BM_QueueFilter5000Nodes_APodWithAPlace)->Unit(benchmark::kMillisecond);

/// Of a pod in the middle of the queue, or of the first that waits. Each call finds the board of
/// another plan.
void Preempt(benchmark::State& state, size_t index) {
  const Pod pod = Queued(index);
  std::vector<NodeVictims> candidates;
  for (size_t i = kNodes - kWithVictims; i < kNodes; ++i) {
    candidates.push_back({QueueNode(i).name, {Victim(i).uid}, 0});
  }
  size_t changes = 0;
  size_t chosen_in_all = 0;
  for (auto _ : state) {
    state.PauseTiming();
    TheQueue().ChangeAPod(++changes % 2 == 0);
    TheQueue().Plan();
    const auto board = TheQueue().board();
    std::vector<NodeVictims> chosen;
    state.ResumeTiming();
    ChooseVictims(*board, {.pod = pod, .candidates = candidates}, &chosen);
    chosen_in_all += chosen.size();
  }
  state.counters["chosen"] =
      benchmark::Counter(static_cast<double>(chosen_in_all), benchmark::Counter::kAvgIterations);
}

void BM_QueuePreempt100Nodes_TheFirstThatWaits(benchmark::State& state) {
  Preempt(state, 10'099);  // groupPriority 99 has 200 pods, of which 100 have a place
}
BENCHMARK(BM_QueuePreempt100Nodes_TheFirstThatWaits)->Unit(benchmark::kMillisecond);

void BM_QueuePreempt100Nodes_APodInTheMiddle(benchmark::State& state) {
  Preempt(state, 50);
}
BENCHMARK(BM_QueuePreempt100Nodes_APodInTheMiddle)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outrigger::desk
