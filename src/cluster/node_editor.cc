#include "cluster/node_editor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cluster/packing.h"
#include "outrigger/k8s/node.h"

namespace outrigger::cluster {
namespace {

bool Same(const ResourceList& a, const ResourceList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ResourceList::Entry& x, const ResourceList::Entry& y) {
                      return x.name == y.name && Identical(x.quantity, y.quantity);
                    });
}

bool Same(const std::vector<Taint>& a, const std::vector<Taint>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Taint& x, const Taint& y) {
    return x.key == y.key && x.value == y.value && x.effect == y.effect;
  });
}

// True if the two are the same to the bit, but for revision, resource version, and what
// SameState() compares.
bool SameButState(const Node& a, const Node& b) {
  // Named in full, so that a field that is added has to be thought of here.
  const auto& [name, labels, annotations, allocatable, capacity, taints, unschedulable, addresses,
               ready, resource_version, revision, known] = a;
  static_cast<void>(addresses);
  static_cast<void>(ready);
  static_cast<void>(resource_version);
  static_cast<void>(revision);
  return name == b.name && labels == b.labels && annotations == b.annotations &&
         Same(allocatable, b.allocatable) && Same(capacity, b.capacity) && Same(taints, b.taints) &&
         unschedulable == b.unschedulable && known == b.known;
}

// True if what only ChangeScope::kAllAndStates has is the same.
bool SameState(const Node& a, const Node& b) {
  return a.addresses == b.addresses && a.ready == b.ready;
}

std::vector<PodPtr>::iterator LowerBound(std::vector<PodPtr>& pods, const PodKey& key) {
  return std::lower_bound(
      pods.begin(), pods.end(), key,
      [](const PodPtr& pod, const PodKey& wanted) { return pod->key() < wanted; });
}

// The pod that `pod` took the place of, or null.
PodPtr Put(std::vector<PodPtr>& pods, const PodPtr& pod) {
  const auto at = LowerBound(pods, pod->key());
  if (at != pods.end() && (*at)->key() == pod->key()) return std::exchange(*at, pod);
  pods.insert(at, pod);
  return nullptr;
}

void Erase(std::vector<PodPtr>& pods, const PodKey& key) {
  const auto at = LowerBound(pods, key);
  if (at != pods.end() && (*at)->key() == key) pods.erase(at);
}

void AddRequests(const PodRecord& pod, NodeState* state) {
  pod.ForEachRequest([state](std::string_view name, const Quantity& quantity) {
    const Quantity* sum = state->requested.Find(name);
    state->requested.Set(name, sum == nullptr ? quantity : *sum + quantity);
  });
}

void CountPods(NodeState* state) {
  state->requested.Set(kPods, Quantity::FromInt(static_cast<int64_t>(state->pods.size())));
}

// Sums up anew: taking away is not exact where amounts are absurd, and would leave resources behind
// of which nothing is asked for.
void Sum(NodeState* state) {
  state->requested.clear();
  for (const PodPtr& pod : state->pods) AddRequests(*pod, state);
  CountPods(state);
}

// A copy has no room to spare in its sequences, while what a decoder has grown does.
std::shared_ptr<const Node> Kept(const Node& node, uint64_t revision) {
  auto kept = std::make_shared<Node>(node);
  kept->revision = revision;
  return kept;
}

}  // namespace

Effect NodeEditor::Upsert(const Node& node) {
  const auto slot = contents_.names.Find(node.name);
  if (!slot.has_value()) {
    Add(node);
    return Effect::kContent;
  }
  const Node& there = *contents_.nodes[*slot]->state.node;
  const bool same_but_state = SameButState(there, node);
  const bool same = same_but_state && SameState(there, node);
  if (same && there.resource_version == node.resource_version) return Effect::kNone;
  const uint64_t revision = same ? there.revision : NextNodeRevision();
  PutNode(*slot, Kept(node, revision));
  if (same) return Effect::kVersion;
  return same_but_state ? Effect::kState : Effect::kContent;
}

void NodeEditor::Add(const Node& node) {
  const size_t slot = TakeSlot();
  Ref<NodeCell> cell(new NodeCell(epoch_));
  cell->state.index = slot;
  if (auto waiting = waiting_.extract(node.name)) cell->state.pods = std::move(waiting.mapped());
  Sum(&cell->state);
  contents_.nodes.Mutable(slot, epoch_) = std::move(cell);
  PutNode(slot, Kept(node, NextNodeRevision()));
  contents_.names.Set(node.name, slot, epoch_);
  ++contents_.node_count;
}

bool NodeEditor::Remove(std::string_view name) {
  const auto slot = contents_.names.Find(name);
  if (!slot.has_value()) return false;
  const Ref<NodeCell> gone = std::exchange(contents_.nodes.Mutable(*slot, epoch_), {});
  contents_.refs.Mutable(*slot, epoch_) = {};
  if (!gone->state.pods.empty()) waiting_[std::string(name)] = gone->state.pods;
  contents_.names.Erase(name, epoch_);
  --contents_.node_count;
  FreeSlot(*slot);
  return true;
}

size_t NodeEditor::TakeSlot() {
  if (!free_.empty()) return free_.extract(free_.begin()).value();
  contents_.nodes.Grow(epoch_);
  contents_.refs.Grow(epoch_);
  return contents_.nodes.size() - 1;
}

void NodeEditor::FreeSlot(size_t slot) {
  free_.insert(slot);
  while (!free_.empty() && *free_.rbegin() + 1 == contents_.nodes.size()) {
    free_.erase(std::prev(free_.end()));
    contents_.nodes.Shrink();
    contents_.refs.Shrink();
  }
}

NodeState& NodeEditor::Mutable(size_t slot) {
  return Own(contents_.nodes.Mutable(slot, epoch_), epoch_).state;
}

void NodeEditor::PutNode(size_t slot, std::shared_ptr<const Node> node) {
  contents_.refs.Mutable(slot, epoch_) = NodeRef(*node);
  Mutable(slot).node = std::move(node);
}

void NodeEditor::PutPod(std::string_view node, const PodPtr& pod) {
  const auto slot = contents_.names.Find(node);
  if (!slot.has_value()) {
    Put(waiting_[std::string(node)], pod);
    return;
  }
  NodeState& state = Mutable(*slot);
  const PodPtr replaced = Put(state.pods, pod);
  if (replaced == nullptr) {
    AddRequests(*pod, &state);
    CountPods(&state);
  } else if (!replaced->SameRequests(*pod)) {
    Sum(&state);
  }
}

void NodeEditor::RemovePod(std::string_view node, const PodKey& pod) {
  if (const auto slot = contents_.names.Find(node)) {
    NodeState& state = Mutable(*slot);
    Erase(state.pods, pod);
    Sum(&state);
    return;
  }
  const auto waiting = waiting_.find(std::string(node));
  if (waiting == waiting_.end()) return;
  Erase(waiting->second, pod);
  if (waiting->second.empty()) waiting_.erase(waiting);
}

}  // namespace outrigger::cluster
