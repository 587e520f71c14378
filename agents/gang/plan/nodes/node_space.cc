#include "gang/plan/nodes/node_space.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gang/plan/groups/limits.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::plan {
namespace {

// As if the pod kept all others away, by each label that it names and nodes have. That is more than
// it asks, in as few terms as there are such labels.
void KeepAllAway(PodPairs* pairs, Pod* pod) {
  std::vector<PodAffinityTerm>& terms = pod->affinity.required_pod_anti;
  std::set<std::string> labels;
  for (const PodAffinityTerm& term : terms) labels.insert(term.topology_key);
  terms.clear();
  for (const std::string& label : labels) {
    if (pairs->IsOnNoNode(label)) continue;
    PodAffinityTerm& term = terms.emplace_back();
    term.topology_key = label;
    term.label_selector.emplace();
    term.namespace_selector.emplace();
  }
}

// What a pod that has its place is to others: what it asked of them for itself is over.
Pod AsNeighbour(Pod pod, PodPairs* pairs) {
  pod.topology_spread.clear();
  pod.affinity.required_pod.clear();
  const size_t terms = pod.affinity.required_pod_anti.size();
  const bool too_many =
      terms > kMostPodAffinityTerms ||
      (pairs->apart_terms() + terms > kMostBoundTerms && !pairs->KnowsApartTermsOf(pod));
  if (too_many) KeepAllAway(pairs, &pod);
  return pod;
}

// A PodGroup's minResources may name what a quota counts, beside what nodes have: "pods",
// "count/pods", "requests.cpu", "limits.cpu".
bool IsOfQuotas(std::string_view name) {
  return name == kPods || name.starts_with("count/") || name.starts_with("requests.") ||
         name.starts_with("limits.");
}

int64_t RoomIn(const int64_t* row, const std::vector<Amount>& requests, size_t without) {
  int64_t room = kAnyAmount;
  for (const auto& [column, value] : requests) {
    if (column == without) continue;
    if (row[column] < value) return 0;  // most nodes are full: a division costs as much as the rest
    room = std::min(room, row[column] / value);
  }
  return room;
}

constexpr size_t kNoColumn = ~size_t{0};

}  // namespace

void BoundPods::Set(size_t slot, const cluster::NodeState* state) {
  if (slot >= counted_.size()) counted_.resize(slot + 1);
  std::vector<Entry> before = std::exchange(counted_[slot], {});
  std::vector<Entry>& now = counted_[slot];
  auto old = before.begin();
  const auto drop_until = [&](const cluster::PodKey* key) {
    while (old != before.end() && (key == nullptr || old->first->key() < *key)) {
      pairs_->Remove(old->second, slot);
      ++old;
    }
  };
  static const std::vector<cluster::PodPtr> none;
  for (const cluster::PodPtr& pod : state == nullptr ? none : state->pods) {
    if (!Counts(*pod)) continue;
    const cluster::PodKey key = pod->key();
    drop_until(&key);
    if (old != before.end() && old->first == pod) {
      now.push_back(std::move(*old));
      ++old;
      continue;
    }
    now.emplace_back(pod, pairs_->AddKind(AsNeighbour(pod->Unpack(), pairs_)));
    pairs_->Add(now.back().second, slot);
    any_ = true;
  }
  drop_until(nullptr);
}

void BoundPods::CountAll(const std::vector<const cluster::NodeState*>& states) {
  all_ = true;
  for (size_t slot = 0; slot < states.size(); ++slot) Set(slot, states[slot]);
}

bool BoundPods::Counts(const cluster::PodRecord& pod) const {
  return all_ || pod.has_required_anti_affinity() || pod.has_host_ports();
}

void NodeSpace::Follow(const std::shared_ptr<const cluster::Snapshot>& snapshot) {
  // Slots that are cut off, or hold a pretended node, are no longer in order.
  Clear();
  bool reorder = snapshot->node_slots() != nodes_.size() || !pretended_.empty();
  if (reorder) ++node_generation_;
  Resize(snapshot->node_slots());
  pretended_.clear();
  std::vector<Slot> changed;
  for (Slot slot = 0; slot < real_; ++slot) {
    const cluster::NodeState* state = snapshot->NodeAt(slot);
    // An unchanged node is the same object in both, and the old snapshot is still held: a new
    // object cannot have its address.
    if (state == states_[slot]) continue;
    const Node* before = nodes_[slot];
    const uint64_t revision = before == nullptr ? 0 : before->revision;
    const std::string name = before == nullptr ? std::string() : before->name;
    states_[slot] = state;
    nodes_[slot] = state == nullptr ? nullptr : state->node.get();
    if (state != nullptr) Learn(*state->node);
    Load(slot);
    pairs_.SetNode(slot, state == nullptr ? nullptr : state->node);
    changed.push_back(slot);
    if (state != nullptr && before != nullptr && state->node->revision == revision) continue;
    ++node_generation_;
    Judge(slot);
    reorder |= state == nullptr || name != state->node->name;
  }
  // Once all nodes are known: what a pod asks is judged by the labels that nodes have.
  for (const Slot slot : changed) bound_.Set(slot, states_[slot]);
  any_pairs_ |= bound_.any();
  snapshot_ = snapshot;
  if (reorder) Reorder();
  Measure();
  Clear();
}

// What is offered for the first time may have shared a column.
void NodeSpace::Learn(const Node& node) {
  for (const auto& [name, quantity] : node.allocatable) {
    if (offered_.contains(name)) continue;
    offered_.insert(name);
    is_stale_ |= columns_.Shares(name);
  }
}

void NodeSpace::Pretend(const std::vector<Node>& nodes) {
  Clear();
  if (nodes.empty() && pretended_.empty()) return;
  Resize(real_);
  pretended_ = nodes;
  nodes_.resize(real_ + nodes.size());
  states_.resize(nodes_.size());
  held_.resize(nodes_.size());
  base_.resize(nodes_.size() * columns_.size());
  allocatable_.resize(base_.size());
  for (ShapeState& state : shapes_) state.may_take.resize(nodes_.size());
  for (size_t i = 0; i < pretended_.size(); ++i) {
    const Slot slot = static_cast<Slot>(real_ + i);
    nodes_[slot] = &pretended_[i];
    pretended_slots_[pretended_[i].name] = slot;
    pairs_.SetNode(slot, std::make_shared<const Node>(pretended_[i]));
    Load(slot);
    Judge(slot);
  }
  ++node_generation_;
  Reorder();
  Measure();
  Clear();
}

void NodeSpace::Expect(const Pod& pod) {
  const auto hard = [](const TopologySpreadConstraint& constraint) { return constraint.hard; };
  const bool looks_around =
      !pod.affinity.required_pod.empty() || !pod.affinity.required_pod_anti.empty() ||
      std::any_of(pod.topology_spread.begin(), pod.topology_spread.end(), hard);
  any_pairs_ |= looks_around || !pod.host_ports.empty();
  if (!looks_around || bound_.counts_all()) return;
  bound_.CountAll(states_);
}

std::optional<KindIndex> NodeSpace::KindOf(const Pod& pod) {
  if (!any_pairs_) return std::nullopt;
  return pairs_.AddKind(pod);
}

ShapeIndex NodeSpace::ShapeOf(const std::shared_ptr<const Pod>& pod,
                              const std::vector<NodeSelector>& pinned,
                              std::optional<KindIndex> pair_kind) {
  std::string signature = SignatureOf(*pod, pinned);
  if (pair_kind) signature += "|" + KindKeyOf(*pod);
  const ProfileChecks& profile = checks_->Of(*pod);
  for (const FilterPlugin plugin : profile.plugins) signature += "|" + std::string(NameOf(plugin));
  if (profile.added_affinity) signature += "|of " + pod->scheduler_name;
  const auto [at, is_new] =
      by_signature_.try_emplace(signature, static_cast<ShapeIndex>(shapes_.size()));
  if (!is_new) return at->second;
  const size_t columns = columns_.size();
  ShapeState& state = shapes_.emplace_back();
  state.shape = {.requests = RequestsOf(*pod), .example = pod, .pinned = pinned, .kind = pair_kind};
  state.shape.JudgeBy(profile);
  state.signature = std::move(signature);
  state.may_take.resize(nodes_.size());
  for (Slot slot = 0; slot < nodes_.size(); ++slot) {
    const bool may = nodes_[slot] != nullptr && plan::MayTake(state.shape, *nodes_[slot]);
    state.may_take[slot] = may ? 1 : 0;
  }
  if (columns_.size() != columns) Reload();
  return at->second;
}

std::vector<Amount> NodeSpace::RequestsOf(const Pod& pod) {
  if (checks_->Of(pod).Has(FilterPlugin::kNodeResourcesFit)) return {};
  std::vector<Amount> requests = {{Columns::kPodCount, 1}};
  for (const auto& [name, quantity] : PodRequests(pod)) {
    const int64_t value = Columns::ValueOf(name, quantity);
    if (value > 0 && name != kPods) requests.push_back({columns_.Of(name, IsOffered(name)), value});
  }
  std::sort(requests.begin(), requests.end(),
            [](const Amount& a, const Amount& b) { return a.column < b.column; });
  return requests;
}

std::vector<Amount> NodeSpace::AmountsOf(const ResourceList& list) {
  const size_t columns = columns_.size();
  std::vector<Amount> amounts;
  for (const auto& [name, quantity] : list) {
    const int64_t value = Columns::ValueOf(name, quantity);
    if (value > 0 && !IsOfQuotas(name))
      amounts.push_back({columns_.Of(name, IsOffered(name)), value});
  }
  if (columns_.size() != columns) Reload();
  return amounts;
}

void NodeSpace::Resize(size_t slots) {
  pretended_slots_.clear();
  for (size_t slot = slots; slot < nodes_.size(); ++slot) {
    bound_.Set(slot, nullptr);
    pairs_.SetNode(slot, nullptr);
  }
  real_ = slots;
  nodes_.resize(slots);
  states_.resize(slots);
  held_.resize(slots);
  base_.resize(slots * columns_.size());
  allocatable_.resize(base_.size());
  for (ShapeState& state : shapes_) state.may_take.resize(slots);
}

void NodeSpace::Reload() {
  base_.assign(nodes_.size() * columns_.size(), 0);
  allocatable_.assign(base_.size(), 0);
  for (Slot slot = 0; slot < nodes_.size(); ++slot) Load(slot);
  free_ = base_;
  Measure();
}

void NodeSpace::Measure() {
  largest_.assign(columns_.size(), 1);
  for (Slot slot = 0; slot < nodes_.size(); ++slot) {
    const int64_t* row = &allocatable_[slot * columns_.size()];
    for (size_t column = 0; column < columns_.size(); ++column) {
      largest_[column] = std::max(largest_[column], row[column]);
    }
  }
}

double NodeSpace::Weight(ShapeIndex shape) const {
  double weight = 0;
  for (const auto& [column, value] : shapes_[shape].shape.requests) {
    weight = std::max(weight, static_cast<double>(value) / static_cast<double>(largest_[column]));
  }
  return weight;
}

void NodeSpace::Load(Slot slot) {
  const size_t columns = columns_.size();
  int64_t* allocatable = &allocatable_[slot * columns];
  int64_t* base = &base_[slot * columns];
  if (nodes_[slot] == nullptr) {
    std::fill_n(allocatable, columns, 0);
    std::fill_n(base, columns, 0);
    return;
  }
  columns_.Fill(nodes_[slot]->allocatable, allocatable);
  std::copy_n(allocatable, columns, base);
  if (states_[slot] != nullptr) {  // a pretended one is empty
    std::vector<int64_t> requested(columns);
    columns_.Fill(states_[slot]->requested, requested.data());
    for (size_t column = 0; column < columns; ++column) base[column] -= requested[column];
  }
  if (!checks_->device_resources.empty()) AddDevices(allocatable, base);
}

// A node without a device plugin for what a DeviceClass serves is judged by its devices, which is
// kube-scheduler's part.
void NodeSpace::AddDevices(int64_t* allocatable, int64_t* base) const {
  for (size_t column = 0; column < columns_.size(); ++column) {
    if (allocatable[column] > 0 || !checks_->device_resources.contains(columns_.Name(column))) {
      continue;
    }
    allocatable[column] = base[column] = kAnyAmount;
  }
}

void NodeSpace::Judge(Slot slot) {
  for (ShapeState& state : shapes_) {
    const bool may = nodes_[slot] != nullptr && plan::MayTake(state.shape, *nodes_[slot]);
    state.may_take[slot] = may ? 1 : 0;
  }
}

void NodeSpace::Reorder() {
  in_order_.clear();
  for (Slot slot = 0; slot < nodes_.size(); ++slot) {
    if (nodes_[slot] != nullptr) in_order_.push_back(slot);
  }
  std::sort(in_order_.begin(), in_order_.end(),
            [&](Slot a, Slot b) { return nodes_[a]->name < nodes_[b]->name; });
}

Slot NodeSpace::Find(std::string_view name) const {
  if (!pretended_slots_.empty()) {
    const auto at = pretended_slots_.find(std::string(name));
    if (at != pretended_slots_.end()) return at->second;
  }
  const cluster::NodeState* state = snapshot_ == nullptr ? nullptr : snapshot_->FindNode(name);
  return state == nullptr ? kNoSlot : static_cast<Slot>(state->index);
}

void NodeSpace::Clear() {
  for (const auto& [where, count] : placed_) {
    for (int64_t i = 0; i < count; ++i) pairs_.Remove(where.first, where.second);
  }
  placed_.clear();
  free_ = base_;
  std::fill(held_.begin(), held_.end(), 0);
}

int64_t NodeSpace::FreeInAll(size_t column) const {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t sum = 0;
  for (const Slot slot : in_order_) {
    if (held_[slot] != 0 || nodes_[slot]->unschedulable) continue;
    const int64_t free = std::max<int64_t>(0, Row(slot)[column]);
    sum = free > kMost - sum ? kMost : sum + free;
  }
  return sum;
}

int64_t NodeSpace::Room(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(Row(slot), shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWhenEmpty(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(&allocatable_[slot * columns_.size()], shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWhenLeft(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return 0;
  const size_t row = slot * columns_.size();
  std::vector<int64_t> left(columns_.size());
  for (size_t column = 0; column < left.size(); ++column) {
    left[column] = allocatable_[row + column] - (base_[row + column] - free_[row + column]);
  }
  return RoomIn(left.data(), shapes_[shape].shape.requests, kNoColumn);
}

int64_t NodeSpace::RoomWithout(ShapeIndex shape, Slot slot, size_t column) const {
  if (!MayTake(shape, slot)) return 0;
  return RoomIn(Row(slot), shapes_[shape].shape.requests, column);
}

int64_t NodeSpace::RoomInColumn(ShapeIndex shape, Slot slot, size_t column) const {
  if (!MayTake(shape, slot)) return 0;
  for (const auto& [of, value] : shapes_[shape].shape.requests) {
    if (of == column) return std::max<int64_t>(0, Row(slot)[column] / value);
  }
  return std::numeric_limits<int64_t>::max();
}

bool NodeSpace::HasRoom(ShapeIndex shape, Slot slot) const {
  if (!MayTake(shape, slot)) return false;
  const int64_t* row = Row(slot);
  for (const auto& [column, value] : shapes_[shape].shape.requests) {
    if (row[column] < value) return false;
  }
  return true;
}

void NodeSpace::Take(ShapeIndex shape, Slot slot, int64_t count) {
  int64_t* row = &free_[slot * columns_.size()];
  for (const auto& [column, value] : shapes_[shape].shape.requests) row[column] -= count * value;
  const auto& kind = shapes_[shape].shape.kind;
  if (!kind) return;
  placed_[{*kind, slot}] += count;
  for (; count > 0; --count) pairs_.Add(*kind, slot);
  for (; count < 0; ++count) pairs_.Remove(*kind, slot);
}

void ShapeTable::Learn(std::span<const Unit> units) {
  FindEntries(units);
  std::vector<KindIndex> kinds;
  for (const auto& [member, entry] : members_) {
    if (!entry->kind) entry->kind = space_->KindOf(*entry->pod);
    if (entry->kind) kinds.push_back(*entry->kind);
  }
  space_->Ask(kinds);
  learnt_.clear();
  for (const auto& [member, entry] : members_) learnt_.push_back(ShapeOf(*member, entry));
}

void ShapeTable::FindEntries(std::span<const Unit> units) {
  members_.clear();
  for (const Unit& unit : units) {
    for (const Member& member : unit.members) {
      Entry* entry = is_under_way_ ? EntryOfThisRound(member) : nullptr;
      if (entry == nullptr) {
        entry = in_step_.Find(member.pod.get(), [&](const Pod*) { return EntryOf(member); });
      }
      entry->used = round_;
      members_.emplace_back(&member, entry);
    }
  }
  is_under_way_ = true;
}

// Of a pod that was asked for in this round already; or null. It is not asked for in step twice:
// a round of many plans would hold each pod as many times.
ShapeTable::Entry* ShapeTable::EntryOfThisRound(const Member& member) {
  const auto found = entries_.find(member.pod.get());
  return found != entries_.end() && found->second.used == round_ ? &found->second : nullptr;
}

ShapeTable::Entry* ShapeTable::EntryOf(const Member& member) {
  auto [at, is_new] = entries_.try_emplace(member.pod.get());
  Entry& entry = at->second;
  if (is_new) {
    entry.pod = member.pod;
    space_->Expect(*member.pod);
  }
  return &entry;
}

ShapeIndex ShapeTable::Of(const Member& member) {
  return ShapeOf(member, EntryOf(member));
}

ShapeIndex ShapeTable::ShapeOf(const Member& member, Entry* entry) {
  const bool matters = space_->Matters(entry->kind);
  const auto kind = matters ? entry->kind : std::nullopt;
  // Where its volumes are may change while the pod stays the same object.
  if (!member.pinned.empty()) return space_->ShapeOf(member.pod, member.pinned, kind);
  if (!entry->known || entry->matters != matters) {
    entry->shape = space_->ShapeOf(member.pod, {}, kind);
    entry->known = true;
    entry->matters = matters;
  }
  return entry->shape;
}

void ShapeTable::Sweep() {
  in_step_.EndRound([this](Entry* entry) {
    if (entry->used != round_) entries_.erase(entry->pod.get());
  });
  ++round_;
  is_under_way_ = false;
}

}  // namespace outrigger::plan
