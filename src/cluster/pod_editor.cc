#include "cluster/pod_editor.h"

#include "fmt/format.h"

namespace outrigger::cluster {
namespace {

enum class Where : uint8_t { kNowhere, kPending, kNode };

Where WhereIs(const PodRecord& pod) {
  if (pod.is_terminal()) return Where::kNowhere;
  return pod.node_name().empty() ? Where::kPending : Where::kNode;
}

bool SamePlace(const PodRecord& a, const PodRecord& b) {
  return WhereIs(a) == WhereIs(b) && (WhereIs(a) != Where::kNode || a.node_name() == b.node_name());
}

// What the index files the pod under; empty: not at all.
std::string ValueOf(const PodIndex& index, const PodRecord& pod) {
  const std::string_view key = index.key(pod);
  if (key.empty() || !index.per_namespace) return std::string(key);
  return fmt::format("{}/{}", pod.namespace_(), key);
}

}  // namespace

PodEditor::PodEditor(const std::vector<PodIndex>& indexes, Contents* contents, NodeEditor* nodes,
                     const uint64_t* epoch)
    : indexes_(indexes), contents_(*contents), nodes_(*nodes), epoch_(*epoch) {
  contents_.indexes.resize(indexes_.size());
  for (const PodIndex& index : indexes_) contents_.index_types.push_back(index.type);
}

PodPtr PodEditor::Find(const PodKey& key) const {
  const PodPtr* pod = contents_.pods.Find(key);
  return pod == nullptr ? nullptr : *pod;
}

Effect PodEditor::Put(const PodPtr& pod) {
  const PodPtr old = Find(pod->key());
  const bool same = old != nullptr && old->SameContent(*pod);
  if (same && old->resource_version() == pod->resource_version()) return Effect::kNone;

  contents_.pods.Set(pod, epoch_);
  if (old != nullptr && !SamePlace(*old, *pod)) Displace(*old);
  Place(pod);
  for (size_t i = 0; i < indexes_.size(); ++i) {
    const std::string value = ValueOf(indexes_[i], *pod);
    const std::string old_value = old == nullptr ? "" : ValueOf(indexes_[i], *old);
    if (old_value != value) Unfile(i, old_value, pod->key());
    File(i, value, pod);
  }
  if (same) return Effect::kVersion;
  return old != nullptr && old->SameButStates(*pod) ? Effect::kState : Effect::kContent;
}

bool PodEditor::Remove(const PodKey& key) {
  const PodPtr old = Find(key);
  if (old == nullptr) return false;
  // From here on with the key in the record: `key` may be a view into what goes.
  contents_.pods.Erase(old->key(), epoch_);
  Displace(*old);
  for (size_t i = 0; i < indexes_.size(); ++i) Unfile(i, ValueOf(indexes_[i], *old), old->key());
  return true;
}

void PodEditor::Place(const PodPtr& pod) {
  switch (WhereIs(*pod)) {
    case Where::kNowhere:
      return;
    case Where::kPending:
      return contents_.pending.Put(pod, epoch_);
    case Where::kNode:
      return nodes_.PutPod(pod->node_name(), pod);
  }
}

void PodEditor::Displace(const PodRecord& pod) {
  switch (WhereIs(pod)) {
    case Where::kNowhere:
      return;
    case Where::kPending:
      return contents_.pending.Erase(pod.key(), epoch_);
    case Where::kNode:
      return nodes_.RemovePod(pod.node_name(), pod.key());
  }
}

void PodEditor::File(size_t index, std::string_view value, const PodPtr& pod) {
  if (value.empty()) return;
  IndexBuckets& groups = contents_.indexes[index];
  IndexBucket* group = groups.Mutable(value, epoch_);
  if (group == nullptr) {
    groups.Set({std::string(value), {}}, epoch_);
    group = groups.Mutable(value, epoch_);
  }
  group->pods.Put(pod, epoch_);
}

void PodEditor::Unfile(size_t index, std::string_view value, const PodKey& key) {
  if (value.empty()) return;
  IndexBuckets& groups = contents_.indexes[index];
  IndexBucket* group = groups.Mutable(value, epoch_);
  if (group == nullptr) return;
  group->pods.Erase(key, epoch_);
  if (group->pods.size() == 0) groups.Erase(value, epoch_);
}

}  // namespace outrigger::cluster
