#include "cluster/snapshot.h"

#include <atomic>
#include <vector>

#include "cluster/contents.h"
#include "cluster/node_editor.h"
#include "outrigger/agent/cluster_snapshot.h"

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

// Returns what the SDK's ClusterSnapshot reads a cluster::Snapshot with. Lives for ever.
const internal::SnapshotReader& ReaderOfSnapshots() {
  static const Reader reader;
  return reader;
}

}  // namespace

Snapshot::Snapshot(const Contents& contents)
    : ClusterSnapshot(ReaderOfSnapshots()), contents_(std::make_unique<const Contents>(contents)) {}

Snapshot::~Snapshot() = default;

size_t Snapshot::node_slots() const {
  return contents_->nodes.size();
}

size_t Snapshot::node_count() const {
  return contents_->node_count;
}

const NodeState* Snapshot::NodeAt(size_t index) const {
  if (index >= contents_->nodes.size()) return nullptr;
  const NodeCell* cell = contents_->nodes[index].get();
  return cell == nullptr ? nullptr : &cell->state;
}

const NodeState* Snapshot::FindNode(std::string_view name) const {
  const auto slot = contents_->names.Find(name);
  return slot.has_value() ? NodeAt(*slot) : nullptr;
}

bool Snapshot::FindNodes(std::span<const std::string_view> names, std::span<NodeRef> found) const {
  std::vector<bool> seen(node_slots());
  bool differ = true;
  contents_->names.FindAll(names, [&](size_t i, size_t slot) {
    if (slot == NameTable::kNone) {
      found[i] = NodeRef();
      return;
    }
    differ = differ && !seen[slot];
    seen[slot] = true;
    found[i] = contents_->refs[slot];
  });
  return differ;
}

size_t Snapshot::pod_count() const {
  return contents_->pods.size();
}

const PodRecord* Snapshot::FindPod(std::string_view namespace_, std::string_view name) const {
  const PodPtr* pod = contents_->pods.Find({namespace_, name});
  return pod == nullptr ? nullptr : pod->get();
}

void Snapshot::ForEachPod(absl::FunctionRef<void(const PodPtr& pod)> visit) const {
  contents_->pods.ForEach(visit);
}

size_t Snapshot::pending_count() const {
  return contents_->pending.size();
}

void Snapshot::ForEachPendingPod(absl::FunctionRef<void(const PodPtr& pod)> visit) const {
  contents_->pending.ForEach(visit);
}

std::optional<size_t> Snapshot::FindIndex(std::type_index type) const {
  for (size_t i = 0; i < contents_->index_types.size(); ++i) {
    if (contents_->index_types[i] == type) return i;
  }
  return std::nullopt;
}

void Snapshot::ForEachPodOf(size_t index, std::string_view value,
                            absl::FunctionRef<void(const PodPtr& pod)> visit) const {
  if (index >= contents_->indexes.size()) return;
  const IndexBucket* group = contents_->indexes[index].Find(value);
  if (group != nullptr) group->pods.ForEach(visit);
}

std::shared_ptr<const Snapshot> Snapshot::Without(std::span<const PodRecord* const> pods) const {
  // Far from the epochs of any Cluster: every block is copied before it is changed.
  static std::atomic<uint64_t> next_epoch{uint64_t{1} << 63};
  const uint64_t epoch = next_epoch++;
  Contents contents = *contents_;
  NodeEditor nodes(&contents, &epoch);
  for (const PodRecord* pod : pods) nodes.RemovePod(pod->node_name(), pod->key());
  return std::make_shared<const Snapshot>(contents);
}

uint64_t Snapshot::generation() const {
  return contents_->generation;
}

}  // namespace outrigger::cluster
