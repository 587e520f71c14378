#include "cluster/snapshot_reader.h"

#include "cluster/snapshot.h"

namespace outrigger::cluster {
namespace {

class Reader final : public internal::SnapshotReader {
 public:
  size_t NodeCount(const ClusterSnapshot& snapshot) const override {
    return Snapshot::Of(snapshot).node_count();
  }
  void ForEachNode(const ClusterSnapshot& snapshot,
                   absl::FunctionRef<void(const NodeView& node)> visit) const override {
    const Snapshot& nodes = Snapshot::Of(snapshot);
    for (size_t i = 0; i < nodes.node_slots(); ++i) {
      if (const NodeState* const state = nodes.NodeAt(i)) visit(ViewOf(*state));
    }
  }
  std::optional<NodeView> FindNode(const ClusterSnapshot& snapshot,
                                   std::string_view name) const override {
    const NodeState* const state = Snapshot::Of(snapshot).FindNode(name);
    if (state == nullptr) return std::nullopt;
    return ViewOf(*state);
  }

  size_t PodCount(const ClusterSnapshot& snapshot) const override {
    return Snapshot::Of(snapshot).pod_count();
  }
  void ForEachPod(const ClusterSnapshot& snapshot,
                  absl::FunctionRef<void(const PodView& pod)> visit) const override {
    Snapshot::Of(snapshot).ForEachPod([&](const PodPtr& pod) { visit(View(*pod)); });
  }
  std::optional<PodView> FindPod(const ClusterSnapshot& snapshot, std::string_view namespace_,
                                 std::string_view name) const override {
    const PodRecord* const pod = Snapshot::Of(snapshot).FindPod(namespace_, name);
    if (pod == nullptr) return std::nullopt;
    return View(*pod);
  }
  size_t PendingPodCount(const ClusterSnapshot& snapshot) const override {
    return Snapshot::Of(snapshot).pending_count();
  }
  void ForEachPendingPod(const ClusterSnapshot& snapshot,
                         absl::FunctionRef<void(const PodView& pod)> visit) const override {
    Snapshot::Of(snapshot).ForEachPendingPod([&](const PodPtr& pod) { visit(View(*pod)); });
  }
  uint64_t Generation(const ClusterSnapshot& snapshot) const override {
    return Snapshot::Of(snapshot).generation();
  }

  PodRange PodsOf(const NodeState& state) const override { return Range(state, state.pods.size()); }
  PodView PodAt(const NodeState& state, size_t i) const override { return View(*state.pods[i]); }

  std::string_view Name(const PodRecord& pod) const override { return pod.name(); }
  std::string_view Namespace(const PodRecord& pod) const override { return pod.namespace_(); }
  std::string_view Uid(const PodRecord& pod) const override { return pod.uid(); }
  std::string_view NodeName(const PodRecord& pod) const override { return pod.node_name(); }
  bool IsAssumed(const PodRecord& pod) const override { return pod.is_assumed(); }
  std::string_view Phase(const PodRecord& pod) const override { return pod.phase(); }
  bool IsFinished(const PodRecord& pod) const override { return pod.is_terminal(); }
  int32_t Priority(const PodRecord& pod) const override { return pod.priority(); }
  std::string_view ResourceVersion(const PodRecord& pod) const override {
    return pod.resource_version();
  }
  std::string_view Label(const PodRecord& pod, std::string_view key) const override {
    return pod.Label(key);
  }
  std::string_view Annotation(const PodRecord& pod, std::string_view key) const override {
    return pod.Annotation(key);
  }
  void ForEachRequest(const PodRecord& pod,
                      absl::FunctionRef<void(std::string_view resource, const Quantity& quantity)>
                          visit) const override {
    pod.ForEachRequest(visit);
  }
  int64_t CreationTime(const PodRecord& pod) const override { return pod.times().creation; }
  int64_t ScheduledTime(const PodRecord& pod) const override { return pod.times().scheduled; }
  int64_t StartTime(const PodRecord& pod) const override { return pod.times().start; }
  int64_t EndTime(const PodRecord& pod) const override { return pod.times().end; }
  std::string_view StatusReason(const PodRecord& pod) const override { return pod.status_reason(); }
  void ForEachContainerState(
      const PodRecord& pod,
      absl::FunctionRef<void(const ContainerState& state)> visit) const override {
    pod.ForEachContainerState(visit);
  }
  Pod Unpack(const PodRecord& pod) const override { return pod.Unpack(); }

 private:
  NodeView ViewOf(const NodeState& state) const {
    return View(*state.node, state.requested, state);
  }
};

}  // namespace

const internal::SnapshotReader& ReaderOfSnapshots() {
  static const Reader reader;
  return reader;
}

}  // namespace outrigger::cluster
