#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"

// The nodes and pods of the cluster at one moment, as an agent reads them.

namespace outrigger {

class ClusterSnapshot;

namespace cluster {  // of the program, not of the SDK
class PodRecord;
class Snapshot;
struct NodeState;
}  // namespace cluster

namespace internal {
class SnapshotReader;
}

/// A pod of a snapshot: two pointers, cheap to copy. The program keeps pods packed; each method
/// reads one field of the packed form and allocates nothing, Unpack() makes the whole Pod.
///
/// It is valid as long as the snapshot that returned it; so are the texts that it returns.
/// Thread-safe. Names, UID, node, phase and priority are always there. Agent::Reads() must name
/// what else is read, or it is empty: PodMetadata() for labels and annotations, PodResources() for
/// requests, PodStatus() for the requests of pods that were resized and for the resource version,
/// PodTimes() for the times, PodContainerStates() for the states of containers.
class PodView {
 public:
  std::string_view Name() const;
  std::string_view Namespace() const;
  std::string_view Uid() const;
  /// The node where the pod is bound or assumed to be; empty: it has none yet.
  std::string_view NodeName() const;
  /// True if NodeName() is an assumption (ClusterWriter::Assume()): the API server has not shown
  /// the pod there yet.
  bool IsAssumed() const;
  /// status.phase.
  std::string_view Phase() const;
  /// True if the phase is Succeeded or Failed: the pod no longer uses resources of its node.
  bool IsFinished() const;
  /// spec.priority; 0 where it is absent.
  int32_t Priority() const;
  std::string_view ResourceVersion() const;

  // Seconds since 1970, UTC; 0: not known.
  int64_t CreationTime() const;
  /// When the pod was bound, from the condition PodScheduled.
  int64_t ScheduledTime() const;
  /// status.startTime: when the kubelet first saw the pod.
  int64_t StartTime() const;
  /// Of a finished pod: when the last of its containers ended; 0 for all others.
  int64_t EndTime() const;
  /// status.reason: "Evicted", ...
  std::string_view StatusReason() const;
  /// Init containers first. `state` lives during the call.
  void ForEachContainerState(absl::FunctionRef<void(const ContainerState& state)> visit) const;

  /// The value of a label; a null view (data() == nullptr) where the pod has no such label.
  std::string_view Label(std::string_view key) const;
  std::string_view Annotation(std::string_view key) const;

  /// What the pod requests of `resource` on its node (PodRequestsOnNode()); zero if nothing.
  Quantity Request(std::string_view resource) const;
  void ForEachRequest(
      absl::FunctionRef<void(std::string_view resource, const Quantity& quantity)> visit) const;

  /// Returns the whole pod; an assumed one has its node. Takes some microseconds and allocations,
  /// so do not call it for every pod of a large cluster in every call.
  Pod Unpack() const;

  /// True if both are the same object in the same state. For two snapshots of one process: the pod
  /// has not changed between them.
  friend bool operator==(const PodView& a, const PodView& b) { return a.pod_ == b.pod_; }

 private:
  friend class internal::SnapshotReader;
  PodView(const cluster::PodRecord& pod, const internal::SnapshotReader& reader)
      : pod_(&pod), reader_(&reader) {}

  const cluster::PodRecord* pod_;
  const internal::SnapshotReader* reader_;
};

/// The pods of one node, by namespace and name: a range of PodView. Valid as long as the snapshot.
///
///     for (const PodView pod : snapshot.PodsOn("worker-1")) names.insert(pod.Name());
class PodRange {
 public:
  class Iterator;

  /// No pods.
  PodRange() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// `i` is below size().
  PodView operator[](size_t i) const;
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class internal::SnapshotReader;
  PodRange(const cluster::NodeState& state, size_t size, const internal::SnapshotReader& reader)
      : state_(&state), reader_(&reader), size_(size) {}

  const cluster::NodeState* state_ = nullptr;
  const internal::SnapshotReader* reader_ = nullptr;
  size_t size_ = 0;
};

class PodRange::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = PodView;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = PodView;

  Iterator(const PodRange& range, size_t at) : range_(range), at_(at) {}
  PodView operator*() const { return range_[at_]; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

 private:
  PodRange range_;
  size_t at_;
};

inline PodRange::Iterator PodRange::begin() const {
  return {*this, 0};
}
inline PodRange::Iterator PodRange::end() const {
  return {*this, size_};
}

/// A node of a snapshot with the pods on it: cheap to copy, valid as long as the snapshot.
/// Thread-safe.
class NodeView {
 public:
  /// The node itself, filled as far as Agent::Reads() names its fields.
  const Node& node() const { return *node_; }
  const std::string& Name() const { return node_->name; }

  /// What the pods here request in sum (PodRequestsOnNode()), by resource name. Assumed pods count,
  /// finished ones do not; "pods" is their number. Without Needs().PodResources() all else is zero.
  const ResourceList& Requested() const { return *requested_; }
  /// Requested() of one resource; zero if no pod here requests it.
  Quantity Requested(std::string_view resource) const { return requested_->Get(resource); }
  /// The sum of CPU requests in thousandths of a core.
  int64_t RequestedMilliCpu() const { return requested_->Get(kCpu).MilliValue(); }
  /// The sum of memory requests in bytes.
  int64_t RequestedMemory() const { return requested_->Get(kMemory).Value(); }

  /// The pods that are bound or assumed here and not finished, by namespace and name.
  PodRange Pods() const;

 private:
  friend class internal::SnapshotReader;
  NodeView(const Node& node, const ResourceList& requested, const cluster::NodeState& state,
           const internal::SnapshotReader& reader)
      : node_(&node), requested_(&requested), state_(&state), reader_(&reader) {}

  const Node* node_;
  const ResourceList* requested_;
  const cluster::NodeState* state_;
  const internal::SnapshotReader* reader_;
};

/// The nodes and pods of the cluster at one moment; ClusterReader::Take() returns it. PodGroups,
/// PriorityClasses, budgets and claims of the same moment are ClusterView::objects.
///
/// Immutable and thread-safe: it never changes however long it is held, and reading takes no lock.
/// Views (NodeView, PodView, texts, references) live as long as the shared_ptr to the snapshot is
/// held. Taking and holding one copies nothing; a snapshot that is held keeps the memory of what
/// has changed since.
///
/// Nodes are in it for every agent that reads something of nodes or of the cluster, pods for those
/// with Needs().ClusterPods(). Only the program makes snapshots; tests take them from a
/// testing::FakeCluster.
///
///     absl::StatusOr<ClusterView> view = deps.cluster->Take();
///     if (!view.ok()) return view.status();
///     const std::optional<NodeView> node = view->snapshot->FindNode("worker-1");
///     if (node.has_value()) used_milli_cpu = node->RequestedMilliCpu();
class ClusterSnapshot {
 public:
  ClusterSnapshot(const ClusterSnapshot&) = delete;
  ClusterSnapshot& operator=(const ClusterSnapshot&) = delete;

  size_t NodeCount() const;
  /// Visits every node, in no particular order; the same order in the same snapshot.
  void ForEachNode(absl::FunctionRef<void(const NodeView& node)> visit) const;
  /// The node of that name, or nothing. Costs a look into a hash table.
  std::optional<NodeView> FindNode(std::string_view name) const;

  /// The number of all pods, finished ones included.
  size_t PodCount() const;
  /// Visits every pod, in no particular order: finished pods and those on nodes that are not known,
  /// too.
  void ForEachPod(absl::FunctionRef<void(const PodView& pod)> visit) const;
  /// The pod of that name in that namespace, or nothing. Costs a look into a hash table.
  std::optional<PodView> FindPod(std::string_view namespace_, std::string_view name) const;
  /// NodeView::Pods() of the node of that name; empty if there is no such node.
  PodRange PodsOn(std::string_view node) const;

  size_t PendingPodCount() const;
  /// Visits the pods that have no node and are not finished, by namespace and name. Assumed pods
  /// have a node.
  void ForEachPendingPod(absl::FunctionRef<void(const PodView& pod)> visit) const;

  /// Counts changes of nodes and pods, assumptions included. In one process two snapshots of the
  /// same generation are equal in everything but resource versions; a later one has a larger one.
  uint64_t Generation() const;

 private:
  friend class cluster::Snapshot;  // the only implementation
  explicit ClusterSnapshot(const internal::SnapshotReader& reader) : reader_(&reader) {}
  ~ClusterSnapshot() = default;

  const internal::SnapshotReader* const reader_;
};

namespace internal {

/// How the classes above read what the program keeps; src/cluster implements it. Agents do not use
/// it, and it may change at any time.
class SnapshotReader {
 public:
  virtual size_t NodeCount(const ClusterSnapshot& snapshot) const = 0;
  virtual void ForEachNode(const ClusterSnapshot& snapshot,
                           absl::FunctionRef<void(const NodeView& node)> visit) const = 0;
  virtual std::optional<NodeView> FindNode(const ClusterSnapshot& snapshot,
                                           std::string_view name) const = 0;
  virtual size_t PodCount(const ClusterSnapshot& snapshot) const = 0;
  virtual void ForEachPod(const ClusterSnapshot& snapshot,
                          absl::FunctionRef<void(const PodView& pod)> visit) const = 0;
  virtual std::optional<PodView> FindPod(const ClusterSnapshot& snapshot,
                                         std::string_view namespace_,
                                         std::string_view name) const = 0;
  virtual size_t PendingPodCount(const ClusterSnapshot& snapshot) const = 0;
  virtual void ForEachPendingPod(const ClusterSnapshot& snapshot,
                                 absl::FunctionRef<void(const PodView& pod)> visit) const = 0;
  virtual uint64_t Generation(const ClusterSnapshot& snapshot) const = 0;

  virtual PodRange PodsOf(const cluster::NodeState& state) const = 0;
  virtual PodView PodAt(const cluster::NodeState& state, size_t i) const = 0;

  virtual std::string_view Name(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view Namespace(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view Uid(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view NodeName(const cluster::PodRecord& pod) const = 0;
  virtual bool IsAssumed(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view Phase(const cluster::PodRecord& pod) const = 0;
  virtual bool IsFinished(const cluster::PodRecord& pod) const = 0;
  virtual int32_t Priority(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view ResourceVersion(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view Label(const cluster::PodRecord& pod, std::string_view key) const = 0;
  virtual std::string_view Annotation(const cluster::PodRecord& pod,
                                      std::string_view key) const = 0;
  virtual void ForEachRequest(
      const cluster::PodRecord& pod,
      absl::FunctionRef<void(std::string_view resource, const Quantity& quantity)> visit) const = 0;
  virtual int64_t CreationTime(const cluster::PodRecord& pod) const = 0;
  virtual int64_t ScheduledTime(const cluster::PodRecord& pod) const = 0;
  virtual int64_t StartTime(const cluster::PodRecord& pod) const = 0;
  virtual int64_t EndTime(const cluster::PodRecord& pod) const = 0;
  virtual std::string_view StatusReason(const cluster::PodRecord& pod) const = 0;
  virtual void ForEachContainerState(
      const cluster::PodRecord& pod,
      absl::FunctionRef<void(const ContainerState& state)> visit) const = 0;
  virtual Pod Unpack(const cluster::PodRecord& pod) const = 0;

 protected:
  ~SnapshotReader() = default;

  PodView View(const cluster::PodRecord& pod) const { return {pod, *this}; }
  NodeView View(const Node& node, const ResourceList& requested,
                const cluster::NodeState& state) const {
    return {node, requested, state, *this};
  }
  PodRange Range(const cluster::NodeState& state, size_t size) const {
    return {state, size, *this};
  }
};

}  // namespace internal
}  // namespace outrigger
