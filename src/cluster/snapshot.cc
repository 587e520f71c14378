#include "cluster/snapshot.h"

#include <atomic>
#include <vector>

#include "cluster/contents.h"
#include "cluster/node_editor.h"
#include "cluster/snapshot_reader.h"

namespace outrigger::cluster {

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
