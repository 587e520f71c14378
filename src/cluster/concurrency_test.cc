#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster_testing.h"

namespace outrigger::cluster {
namespace {

using testing::MakeNode;

constexpr int kNodes = 40;
constexpr int kPods = 120;

std::string NodeName(int i) {
  return "node-" + std::to_string(i);
}

// Every pod asks for one cpu, so on each node the two sums say the same at every moment.
void ExpectConsistent(const Snapshot& snapshot) {
  size_t placed = 0;
  for (size_t i = 0; i < snapshot.node_slots(); ++i) {
    const NodeState* state = snapshot.NodeAt(i);
    if (state == nullptr) continue;
    ASSERT_EQ(state->index, i);
    ASSERT_EQ(snapshot.FindNode(state->node->name), state);
    ASSERT_EQ(state->requested.Get("cpu"), state->requested.Get("pods"));
    ASSERT_EQ(state->requested.Get("pods").Value(), static_cast<int64_t>(state->pods.size()));
    placed += state->pods.size();
  }
  size_t pods = 0;
  snapshot.ForEachPod([&](const PodPtr& pod) {
    ASSERT_EQ(snapshot.FindPod(pod->namespace_(), pod->name()), pod.get());
    ++pods;
  });
  ASSERT_EQ(pods, snapshot.pod_count());
  ASSERT_LE(placed + snapshot.pending_count(), pods);
}

void Write(Cluster* cluster, std::atomic<bool>* done) {
  for (int round = 0; round < 3000; ++round) {
    const int i = round * 7 % kPods;
    const std::string name = "pod-" + std::to_string(i);
    if (round % 5 == 0) {
      cluster->UpsertPod(PodOn(name, ""));
      const absl::Status status =
          cluster->AssumePod("default", name, "uid-" + name, NodeName(i % kNodes));
      if (!status.ok()) ADD_FAILURE() << status;
    } else if (round % 11 == 0) {
      cluster->RemovePod("default", name);
    } else {
      cluster->UpsertPod(PodOn(name, NodeName((round + i) % kNodes)));
    }
    if (round % 13 == 0) cluster->RemoveNode(NodeName(round % kNodes));
    if (round % 3 == 0) {
      cluster->UpsertNode(MakeNode(NodeName(round / 3 % kNodes)).Label("v", std::to_string(round)));
    }
  }
  done->store(true);
}

// Also drops snapshots that others have taken, on whichever thread comes last.
void Read(Cluster* cluster, const std::atomic<bool>* done,
          std::shared_ptr<const Snapshot>* exchange, std::mutex* mutex) {
  std::vector<std::shared_ptr<const Snapshot>> held(8);
  uint64_t generation = 0;
  for (size_t round = 0; !done->load(); ++round) {
    std::shared_ptr<const Snapshot>& snapshot = held[round % held.size()];
    snapshot = cluster->Take();
    ASSERT_GE(snapshot->generation(), generation);
    generation = snapshot->generation();
    ExpectConsistent(*snapshot);
    const auto& older = held[(round + 3) % held.size()];
    if (older != nullptr) ExpectConsistent(*older);
    const std::lock_guard lock(*mutex);
    exchange->swap(snapshot);
  }
}

TEST(ClusterConcurrency, ReadersSeeConsistentSnapshotsWhileOneWrites) {
  Cluster cluster({.indexes = {LabelIndex("group")}});
  for (int i = 0; i < kNodes; ++i) cluster.UpsertNode(MakeNode(NodeName(i)));
  std::atomic<bool> done = false;
  std::mutex mutex;
  std::shared_ptr<const Snapshot> exchange;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(Read, &cluster, &done, &exchange, &mutex);
  Write(&cluster, &done);
  for (std::thread& thread : threads) thread.join();
  ExpectConsistent(*cluster.Take());
}

}  // namespace
}  // namespace outrigger::cluster
