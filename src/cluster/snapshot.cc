#include "cluster/snapshot.h"

#include <algorithm>
#include <array>

#include "cluster/contents.h"

namespace outrigger::cluster {

Snapshot::Snapshot(const Contents& contents)
    : contents_(std::make_unique<const Contents>(contents)) {}

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

void Snapshot::FindNodes(std::span<const std::string_view> names,
                         std::span<const NodeState*> found) const {
  constexpr size_t kAtOnce = 64;  // more than the processor can wait for
  std::array<uint64_t, kAtOnce> hashes{};
  for (size_t begin = 0; begin < names.size(); begin += kAtOnce) {
    const size_t end = std::min(begin + kAtOnce, names.size());
    for (size_t i = begin; i < end; ++i) {
      hashes[i - begin] = HashOf(names[i]);
      contents_->names.Prefetch(hashes[i - begin]);
    }
    for (size_t i = begin; i < end; ++i) {
      const auto slot = contents_->names.Find(names[i], hashes[i - begin]);
      found[i] = slot.has_value() ? NodeAt(*slot) : nullptr;
      if (found[i] != nullptr) __builtin_prefetch(&found[i]->node);
    }
    for (size_t i = begin; i < end; ++i) {
      if (found[i] != nullptr) __builtin_prefetch(&found[i]->node->revision);
    }
  }
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

void Snapshot::ForEachPodOf(size_t index, std::string_view value,
                            absl::FunctionRef<void(const PodPtr& pod)> visit) const {
  if (index >= contents_->indexes.size()) return;
  const PodGroup* group = contents_->indexes[index].Find(value);
  if (group != nullptr) group->pods.ForEach(visit);
}

uint64_t Snapshot::generation() const {
  return contents_->generation;
}

}  // namespace outrigger::cluster
