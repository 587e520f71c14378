#include "plan/nodes/node_space.h"

#include <algorithm>
#include <utility>

#include "outrigger/k8s/resources.h"

namespace outrigger::plan {
namespace {

// Volcano's own controllers write what a quota counts beside what nodes have: "pods",
// "count/pods", "requests.cpu", "limits.cpu".
bool IsOfQuotas(std::string_view name) {
  return name == kPods || name.starts_with("count/") || name.starts_with("requests.") ||
         name.starts_with("limits.");
}

}  // namespace

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
  const UncheckedByProfile& unchecked = checks_->Of(*pod);
  for (const FilterPlugin plugin : unchecked.plugins)
    signature += "|" + std::string(NameOf(plugin));
  const auto [at, is_new] =
      by_signature_.try_emplace(signature, static_cast<ShapeIndex>(shapes_.size()));
  if (!is_new) return at->second;
  const size_t columns = columns_.size();
  ShapeState& state = shapes_.emplace_back();
  state.shape = {.requests = RequestsOf(*pod),
                 .example = pod,
                 .pinned = pinned,
                 .kind = pair_kind,
                 .ignores_taints = unchecked.Has(FilterPlugin::kTaintToleration),
                 .ignores_cordons = unchecked.Has(FilterPlugin::kNodeUnschedulable),
                 .ignores_node_affinity = unchecked.Has(FilterPlugin::kNodeAffinity),
                 .ignores_anti_affinity = unchecked.Has(FilterPlugin::kInterPodAffinity)};
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

}  // namespace outrigger::plan
