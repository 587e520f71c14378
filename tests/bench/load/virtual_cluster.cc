#include "virtual_cluster.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "builders.h"
#include "outrigger/k8s/resources.h"
#include "promql/prometheus.h"

namespace outrigger::load_bench {
namespace {

Quantity Millicores(double amount) {
  return testing::Q(std::to_string(std::llround(amount)) + "m");
}
Quantity Bytes(double amount) {
  return testing::Q(std::to_string(std::llround(amount)));
}

ResourceList ListOf(const Amounts& amounts) {
  ResourceList list;
  list.Set(kCpu, Millicores(amounts.cpu));
  list.Set(kMemory, Bytes(amounts.memory));
  return list;
}

}  // namespace

Clock VirtualCluster::clock() const {
  using std::chrono::duration_cast;
  Clock clock;
  clock.now = [this] {
    return Clock::TimePoint(duration_cast<Clock::Duration>(std::chrono::duration<double>(now_)) +
                            std::chrono::hours(1000));
  };
  clock.wall = [this] {
    using Wall = std::chrono::system_clock;
    return Wall::time_point(std::chrono::seconds(kEpoch)) +
           duration_cast<Wall::duration>(std::chrono::duration<double>(now_));
  };
  return clock;
}

void VirtualCluster::Join(size_t node) {
  const NodeTrace& trace = trace_.nodes[node];
  Node made = testing::MakeNode(trace.name).NoAllocatable().Address(AddressOf(node));
  made.capacity = ListOf(trace.capacity);
  made.allocatable = ListOf(trace.allocatable);
  made.allocatable.Set(kPods, testing::Q("110"));
  fake_.Put(made);
}

Pod VirtualCluster::PodOf(size_t pod) const {
  const PodTrace& trace = trace_.pods[pod];
  Pod made = testing::MakePod(trace.name).Label("app", trace_.apps[trace.app].name);
  made.uid = "uid-" + trace.name;
  made.containers[0].requests = ListOf(trace.requests);
  if (trace.limits.cpu > 0) made.containers[0].limits = ListOf(trace.limits);
  return made;
}

void VirtualCluster::Place(size_t pod, size_t node) {
  Pod placed = PodOf(pod);
  placed.node_name = trace_.nodes[node].name;
  placed.phase = "Running";
  placed.creation_time = placed.scheduled_time = placed.start_time = Wall();
  ContainerState& state = placed.container_states.emplace_back();
  state.name = "main";
  state.running_since = Wall();
  fake_.Show(placed);
}

void VirtualCluster::Remove(size_t pod) {
  fake_.RemovePod(trace_.pods[pod].name);
}

void VirtualCluster::Kill(size_t pod) {
  fake_.Change(trace_.pods[pod].name, [this](Pod* killed) {
    ContainerState& state = killed->container_states.at(0);
    state.last_end = ContainerEnd{137, "OOMKilled", state.running_since, Wall()};
    state.running_since = Wall();
    ++state.restarts;
  });
}

void VirtualCluster::Annotate(const Node& node, const annotate::NodeChange& change) {
  Node changed = node;
  StringMap annotations;
  for (const auto& [key, text] : node.annotations) {
    if (!change.contains(key)) annotations.Set(key, text);
  }
  for (const auto& [key, text] : change) {
    if (text) annotations.Set(key, *text);
  }
  changed.annotations = std::move(annotations);
  fake_.Put(changed);
}

std::vector<Node> VirtualCluster::NodesOf(std::span<const size_t> nodes) {
  const auto view = fake_.Take();
  std::vector<Node> found;
  for (const size_t node : nodes) {
    found.push_back(view->snapshot->FindNode(trace_.nodes[node].name)->node());
  }
  return found;
}

}  // namespace outrigger::load_bench
