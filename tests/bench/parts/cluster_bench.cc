#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"
#include "cluster/cluster.h"
#include "fmt/format.h"

// The view of a cluster of 5000 nodes and 50 000 pods, as tests/bench/bodies makes them.

namespace outrigger {
namespace {

using cluster::Cluster;
using cluster::Snapshot;

constexpr size_t kNodes = 5000;
constexpr size_t kPods = 50'000;

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

std::string NodeName(size_t i) {
  return fmt::format("worker-{:04}.pool-{}.example.internal", i, static_cast<char>('a' + i % 4));
}

ResourceList Resources(std::string_view cpu, std::string_view memory) {
  return {{"cpu", Q(cpu)},           {"memory", Q(memory)},
          {"pods", Q("110")},        {"ephemeral-storage", Q("515928320Ki")},
          {"hugepages-1Gi", Q("0")}, {"hugepages-2Mi", Q("0")}};
}

/// As the reader leaves a node: with the annotations that the agent safe asks for, and no others.
Node BenchNode(size_t i) {
  Node node;
  node.name = NodeName(i);
  const std::string zone = fmt::format("region-1{}", static_cast<char>('a' + i % 3));
  node.labels = {{"beta.kubernetes.io/arch", "amd64"},
                 {"beta.kubernetes.io/os", "linux"},
                 {"kubernetes.io/arch", "amd64"},
                 {"kubernetes.io/os", "linux"},
                 {"kubernetes.io/hostname", node.name},
                 {"node.kubernetes.io/instance-type", "standard-32"},
                 {"beta.kubernetes.io/instance-type", "standard-32"},
                 {"topology.kubernetes.io/region", "region-1"},
                 {"topology.kubernetes.io/zone", zone},
                 {"failure-domain.beta.kubernetes.io/region", "region-1"},
                 {"failure-domain.beta.kubernetes.io/zone", zone},
                 {"topology.example.com/rack", fmt::format("rack-{:03}", i / 40)},
                 {"node-role.kubernetes.io/worker", ""},
                 {"example.com/node-pool", fmt::format("pool-{}", static_cast<char>('a' + i % 4))},
                 {"example.com/lifecycle", "on-demand"},
                 {"example.com/kernel-release", "6.1.0-28-cloud-amd64"}};
  node.annotations = {{"mean-free-cpu", std::to_string(8000 + i)},
                      {"std-free-cpu", "712"},
                      {"forcasted-free-cpu", std::to_string(8100 + i)},
                      {"mean-free-memory", std::to_string((32ULL << 30) + i)},
                      {"std-free-memory", "1073741824"},
                      {"forcasted-free-memory", std::to_string((32ULL << 30) - i)}};
  node.capacity = Resources("32", "134217728Ki");
  node.allocatable = Resources("31850m", "132435968Ki");
  if (i % 20 == 7) {
    node.taints = {{"example.com/spot", "true", TaintEffect::kPreferNoSchedule}};
  }
  node.resource_version = std::to_string(48'000'000 + i * 37);
  return node;
}

void RunOn(const std::string& node, Pod* pod) {
  pod->node_name = node;
  pod->phase = "Running";
  pod->container_statuses = {
      {.name = "web", .requests = pod->containers[0].requests, .allocated = {}}};
  pod->container_statuses[0].allocated = pod->containers[0].requests;
}

/// A pod as tests/bench/bodies/pod.go makes it, bound and running.
Pod BenchPod(size_t i) {
  Pod pod;
  pod.name = fmt::format("storefront-7d9c5b6f48-{:05}", i);
  pod.namespace_ = "shop";
  pod.uid = fmt::format("{:08x}-1f2e-4009-8a3b-{:012x}", i * 2'654'435'761U % 4'294'967'296U, i);
  pod.labels = {{"app.kubernetes.io/name", "storefront"},
                {"app.kubernetes.io/part-of", "shop"},
                {"app.kubernetes.io/version", "3.14.2"},
                {"pod-template-hash", "7d9c5b6f48"},
                {"example.com/group", fmt::format("group-{}", i / 50)}};
  pod.annotations = {{"prometheus.io/scrape", "true"},
                     {"prometheus.io/port", "9102"},
                     {"kubectl.kubernetes.io/restartedAt", "2026-01-23T16:00:00Z"}};
  pod.containers = {{.name = "web",
                     .requests = {{"cpu", Q("250m")}, {"memory", Q("512Mi")}},
                     .limits = {{"cpu", Q("500m")}, {"memory", Q("1Gi")}}}};
  pod.scheduler_name = "default-scheduler";
  pod.tolerations = {
      {"node.kubernetes.io/not-ready", "", true, TaintEffect::kNoExecute},
      {"node.kubernetes.io/unreachable", "", true, TaintEffect::kNoExecute},
  };
  pod.resource_version = std::to_string(51'200'000 + i);
  pod.creation_time = 1'769'184'000;
  pod.controller = OwnerReference{.kind = "ReplicaSet",
                                  .name = "storefront-7d9c5b6f48",
                                  .uid = "9e3779b9-7f4a-400a-8c15-000000000001"};
  pod.qos_class = "Burstable";
  RunOn(NodeName(i % kNodes), &pod);
  return pod;
}

size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

cluster::ClusterOptions Options() {
  return {.indexes = {cluster::LabelIndex("example.com/group")}};
}

/// The cluster that all benchmarks share; building it measures its memory.
struct Fixture {
  Fixture() : view(Options()) {
    const size_t before = BytesInUse();
    for (size_t i = 0; i < kNodes; ++i) view.UpsertNode(BenchNode(i));
    const size_t with_nodes = BytesInUse();
    for (size_t i = 0; i < kPods; ++i) view.UpsertPod(BenchPod(i));
    bytes_per_node = static_cast<double>(with_nodes - before) / kNodes;
    bytes_per_pod = static_cast<double>(BytesInUse() - with_nodes) / kPods;
    record_bytes = static_cast<double>(cluster::PodRecord::Of(BenchPod(7))->bytes());
  }
  Cluster view;
  double bytes_per_node = 0;
  double bytes_per_pod = 0;
  double record_bytes = 0;
};

Fixture& Shared() {
  static auto* const fixture = new Fixture();
  return *fixture;
}

void BM_ClusterMemory(benchmark::State& state) {
  const Fixture& fixture = Shared();
  for (auto _ : state) benchmark::DoNotOptimize(&fixture);
  state.counters["bytes_per_node"] = fixture.bytes_per_node;
  state.counters["bytes_per_pod"] = fixture.bytes_per_pod;
  state.counters["of_that_record"] = fixture.record_bytes;
}
BENCHMARK(BM_ClusterMemory)->Iterations(1);

void BM_ClusterTake(benchmark::State& state) {
  Cluster& view = Shared().view;
  for (auto _ : state) benchmark::DoNotOptimize(view.Take());
}
BENCHMARK(BM_ClusterTake);

/// Every update follows a snapshot, so each has its whole path to copy.
void BM_ClusterUpsertPod(benchmark::State& state, bool snapshots) {
  Cluster& view = Shared().view;
  std::vector<Pod> pods;
  for (size_t i = 0; i < 1000; ++i) pods.push_back(BenchPod(i * 37 % kPods));
  std::shared_ptr<const Snapshot> held;
  size_t round = 0;
  for (auto _ : state) {
    Pod& pod = pods[round++ % pods.size()];
    pod.priority = static_cast<int32_t>(round);
    if (snapshots) held = view.Take();
    view.UpsertPod(pod);
  }
}
BENCHMARK_CAPTURE(BM_ClusterUpsertPod, alone, false);
BENCHMARK_CAPTURE(BM_ClusterUpsertPod, each_behind_a_snapshot, true);

void BM_ClusterRemoveAndAddPod(benchmark::State& state) {
  Cluster& view = Shared().view;
  std::vector<Pod> pods;
  for (size_t i = 0; i < 1000; ++i) pods.push_back(BenchPod(i * 37 % kPods));
  size_t round = 0;
  for (auto _ : state) {
    const Pod& pod = pods[round++ % pods.size()];
    view.RemovePod(pod.namespace_, pod.name);
    view.UpsertPod(pod);
  }
}
BENCHMARK(BM_ClusterRemoveAndAddPod);

void BM_ClusterUpsertNode(benchmark::State& state, bool snapshots) {
  Cluster& view = Shared().view;
  std::vector<Node> nodes;
  for (size_t i = 0; i < 1000; ++i) nodes.push_back(BenchNode(i * 5));
  std::shared_ptr<const Snapshot> held;
  size_t round = 0;
  for (auto _ : state) {
    Node& node = nodes[round++ % nodes.size()];
    node.annotations.Set("mean-free-cpu", std::to_string(round));
    if (snapshots) held = view.Take();
    view.UpsertNode(node);
  }
}
BENCHMARK_CAPTURE(BM_ClusterUpsertNode, alone, false);
BENCHMARK_CAPTURE(BM_ClusterUpsertNode, each_behind_a_snapshot, true);

/// `changed` nodes have come since the table of names was built; the names come in its order, or
/// not.
void BM_ClusterFind5000Nodes(benchmark::State& state, size_t changed, bool shuffled) {
  Cluster& view = Shared().view;
  std::vector<std::string> names;
  for (size_t i = 0; i < kNodes; ++i) names.push_back(NodeName(i));
  for (size_t i = 0; i < changed; ++i) view.UpsertNode(BenchNode(kNodes + i));
  const std::shared_ptr<const Snapshot> snapshot = view.Take();
  if (shuffled) std::shuffle(names.begin(), names.end(), std::minstd_rand(1));
  const std::vector<std::string_view> asked(names.begin(), names.end());
  std::vector<NodeRef> found(asked.size());
  for (auto _ : state) benchmark::DoNotOptimize(snapshot->FindNodes(asked, found));
  for (size_t i = 0; i < changed; ++i) view.RemoveNode(NodeName(kNodes + i));
}
BENCHMARK_CAPTURE(BM_ClusterFind5000Nodes, settled, 0, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_ClusterFind5000Nodes, some_changed, 50, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_ClusterFind5000Nodes, in_no_order, 0, true)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace outrigger
