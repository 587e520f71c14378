#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <typeindex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "cluster/pod_record.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/resources.h"
#include "sdk/names/hash.h"

// The cluster as it was at one moment. docs/kube-client.md states what may be relied on.

namespace outrigger::cluster {

struct Contents;

/// A node with what is on it. Immutable.
struct NodeState {
  /// Stays the same while the node exists; the next node may get it after that.
  size_t index = 0;
  std::shared_ptr<const Node> node;
  /// What the pods here take in sum (PodRequestsOnNode()), assumed pods included, finished ones
  /// not; "pods" is their number.
  ResourceList requested;
  /// Bound or assumed here and not finished, by namespace and name.
  std::vector<PodPtr> pods;
};

/// An immutable view: it stays as it is however long it is held. Thread-safe. Made by Cluster;
/// taking one costs the same at any size. Agents read it as the SDK's ClusterSnapshot, the program
/// by the methods here, none of which is virtual.
class Snapshot final : public ClusterSnapshot {
 public:
  explicit Snapshot(const Contents& contents);
  ~Snapshot();

  /// The same object. There are no other implementations, so that this costs nothing.
  static const Snapshot& Of(const ClusterSnapshot& snapshot) {
    return static_cast<const Snapshot&>(snapshot);
  }
  static std::shared_ptr<const Snapshot> Of(std::shared_ptr<const ClusterSnapshot> snapshot) {
    return std::static_pointer_cast<const Snapshot>(std::move(snapshot));
  }

  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  /// One more than the largest index of a node; some slots below may be empty.
  size_t node_slots() const;
  size_t node_count() const;
  /// The node in a slot, or nullptr. As quick as two array accesses.
  const NodeState* NodeAt(size_t index) const;
  /// The node of that name, or nullptr. As quick as a hash table: 5000 of them are asked for within
  /// one call of the scheduler.
  const NodeState* FindNode(std::string_view name) const;
  /// The node of each name, into `found`, which is as long; of one that is not there, null. Several
  /// times as quick as FindNode(), since it does not look at the nodes. Returns false if one that
  /// is there is named twice.
  bool FindNodes(std::span<const std::string_view> names, std::span<NodeRef> found) const;

  size_t pod_count() const;
  /// The pod, or nullptr; assumed ones carry their node.
  const PodRecord* FindPod(std::string_view namespace_, std::string_view name) const;
  /// Every pod, finished ones and those of unknown nodes included, in no order that means anything.
  void ForEachPod(absl::FunctionRef<void(const PodPtr& pod)> visit) const;
  size_t pending_count() const;
  /// Pods without a node that are not finished, in the order of namespace and name.
  void ForEachPendingPod(absl::FunctionRef<void(const PodPtr& pod)> visit) const;
  /// The position of the index of that type (PodIndex::type) in ClusterOptions::indexes.
  std::optional<size_t> FindIndex(std::type_index type) const;
  /// Pods that an index (ClusterOptions::indexes) files under `value`, in the order of namespace
  /// and name. `index` is its position there.
  void ForEachPodOf(size_t index, std::string_view value,
                    absl::FunctionRef<void(const PodPtr& pod)> visit) const;

  /// The same cluster as if these pods were gone from their nodes: what is on the nodes is without
  /// them, all else, the pods themselves included, as it is. Costs the pods of these nodes.
  std::shared_ptr<const Snapshot> Without(std::span<const PodRecord* const> pods) const;

  /// Counts changes: of two snapshots of one Cluster with the same generation everything is equal
  /// but resource versions; a later one has a larger one.
  uint64_t generation() const;

 private:
  const std::unique_ptr<const Contents> contents_;
};

}  // namespace outrigger::cluster
