#include "gang/plan/shortfall/proposal.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gang/plan/search/attempt.h"
#include "gang/plan/search/ground.h"

namespace outrigger::plan {
namespace {

// A value that no node can have, and that says to people what is meant.
constexpr const char* kNewValue = "(a new one)";

bool IsBetter(const Proposal& a, const Proposal& b) {
  if (a.possible != b.possible) return a.possible;
  return a.possible ? a.nodes.size() < b.nodes.size() : a.fit > b.fit;
}

// Shapes of members that find no place on the ground; `fit`: how many do.
std::vector<ShapeIndex> OpenOn(Ground* ground, NodeSpace* space, const Seats& seats, int64_t* fit) {
  Seats trial = seats;
  Attempt attempt(space, ground, &trial);
  attempt.Greedy(/*keep_reservations=*/true, trial.order);
  std::vector<ShapeIndex> open;
  for (const uint32_t index : trial.order) {
    const Seat& seat = trial.seats[index];
    if (seat.slot != kNoSlot) {
      ++*fit;
    } else {
      open.push_back(seat.shape);
    }
  }
  attempt.Undo();
  return open;
}

Proposal ProposeOn(Ground* ground, const Workshop& work, const Unit& unit, const Seats& seats,
                   const Domain* domain) {
  Proposal proposal;
  proposal.shapes = seats.shapes;
  if (domain != nullptr) proposal.domain = TextOf(*domain);
  std::vector<ShapeIndex> open = OpenOn(ground, work.space, seats, &proposal.fit);
  // Those that are over the minimum need no node; roles may need more than the count says.
  if (seats.role_need.empty()) {
    const auto missing = static_cast<size_t>(std::max<int64_t>(1, seats.need - proposal.fit));
    // The largest are first.
    if (open.size() > missing)
      open.erase(open.begin(), open.end() - static_cast<ptrdiff_t>(missing));
  }
  for (const ShapeIndex shape : open) {
    auto node = WantedNode(*work.space, shape, unit.topology.required, domain);
    proposal.possible &= node.has_value();
    if (node.has_value()) proposal.nodes.push_back(std::move(*node));
  }
  for (const ShapeIndex shape : seats.shapes) {
    auto node = WantedNode(*work.space, shape, unit.topology.required, domain);
    if (node.has_value()) proposal.kinds.push_back(std::move(*node));
  }
  return proposal;
}

// One node more with what is then still short of Unit::min_resources.
void AddForAll(const NodeSpace& space, const Seats& seats, Proposal* proposal) {
  Node node;
  for (const auto& [column, wanted] : seats.in_all) {
    const std::string& name = space.columns().Name(column);
    int64_t free = space.FreeInAll(column);
    if (free < wanted && proposal->in_all.empty()) {
      proposal->in_all = absl::StrCat(name, " ", QuantityOf(name, wanted).ToString(), " in all, ",
                                      QuantityOf(name, free).ToString(), " free");
    }
    for (const Node& added : proposal->nodes) {
      const int64_t more = Columns::ValueOf(name, added.allocatable.Get(name));
      if (free < wanted) free = more > wanted - free ? wanted : free + more;
    }
    if (free < wanted) node.allocatable.Set(name, QuantityOf(name, wanted - free));
  }
  if (!node.allocatable.empty()) proposal->nodes.push_back(std::move(node));
}

void AddKeys(const std::vector<PodAffinityTerm>& terms, std::set<std::string>* keys) {
  for (const PodAffinityTerm& term : terms) keys->insert(term.topology_key);
}

// Labels by whose values members look at other pods.
std::set<std::string> KeysOf(const Unit& unit) {
  std::set<std::string> keys;
  for (const Member& member : unit.members) {
    AddKeys(member.pod->affinity.required_pod, &keys);
    AddKeys(member.pod->affinity.required_pod_anti, &keys);
    for (const TopologySpreadConstraint& constraint : member.pod->topology_spread) {
      if (constraint.hard) keys.insert(constraint.topology_key);
    }
  }
  keys.erase(kHostname);
  return keys;
}

Proposal ProposeSomewhere(const Workshop& work, const Unit& unit, const Seats& seats) {
  const auto& labels = unit.topology.required;
  if (labels.empty()) {
    Ground whole(work.space);
    return ProposeOn(&whole, work, unit, seats, nullptr);
  }
  std::optional<Proposal> best;
  for (const Domain& domain : work.domains->Of(labels)) {
    if (!JoinPlaced(*work.space, unit, seats, domain.slots)) continue;
    Ground ground(work.space, &domain.slots);
    Proposal proposal = ProposeOn(&ground, work, unit, seats, &domain);
    if (!best.has_value() || IsBetter(proposal, *best)) best = std::move(proposal);
  }
  const bool must_join = !unit.topology.bound_on.empty();
  if (best.has_value() && (best->possible || must_join)) return *std::move(best);
  // No node has the labels, or none of a domain could help.
  Domain nowhere;
  nowhere.values.assign(labels.size(), kNewValue);
  Ground ground(work.space, &nowhere.slots);
  Proposal elsewhere = ProposeOn(&ground, work, unit, seats, &nowhere);
  elsewhere.possible &= !must_join;
  return best.has_value() && !elsewhere.possible ? *std::move(best) : elsewhere;
}

}  // namespace

Quantity QuantityOf(std::string_view name, int64_t value) {
  if (name == kCpu) return Quantity::FromMilli(value);
  const bool bytes = name == kMemory || name == kEphemeralStorage || name.starts_with("hugepages-");
  return Quantity::FromInt(value,
                           bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI);
}

namespace {

// Gives the node the labels that the requirement asks for; what cannot be had that way shows when
// the node is judged.
void Satisfy(const SelectorRequirement& requirement, Node* node) {
  int64_t bound = 0;
  switch (requirement.op) {
    case SelectorOperator::kIn:
      if (!requirement.values.empty()) node->labels.Set(requirement.key, requirement.values[0]);
      return;
    case SelectorOperator::kExists:
      if (!node->labels.Contains(requirement.key)) node->labels.Set(requirement.key, "");
      return;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      if (requirement.values.empty() || !absl::SimpleAtoi(requirement.values[0], &bound)) return;
      bound += requirement.op == SelectorOperator::kGt ? 1 : -1;
      node->labels.Set(requirement.key, absl::StrCat(bound));
      return;
    case SelectorOperator::kNotIn:
    case SelectorOperator::kDoesNotExist:
      return;
  }
}

void SatisfyFirstTerm(const NodeSelector& selector, Node* node) {
  if (selector.terms.empty()) return;
  for (const auto& requirement : selector.terms.front().match_expressions) {
    Satisfy(requirement, node);
  }
}

Node WithRoomFor(const NodeSpace& space, ShapeIndex shape) {
  Node node;
  for (const auto& [column, value] : space.shape(shape).requests) {
    const std::string& name = space.columns().Name(column);
    node.allocatable.Set(name, QuantityOf(name, value));
  }
  return node;
}

// Labels as the shape's own words ask for them.
Node AsAsked(const Shape& shape, Node node) {
  for (const auto& [key, value] : shape.example->node_selector) node.labels.Set(key, value);
  if (shape.example->affinity.required_node) {
    SatisfyFirstTerm(*shape.example->affinity.required_node, &node);
  }
  if (shape.added) SatisfyFirstTerm(*shape.added, &node);
  for (const NodeSelector& selector : shape.pinned) SatisfyFirstTerm(selector, &node);
  return node;
}

}  // namespace

std::optional<Node> WantedNode(const NodeSpace& space, ShapeIndex index,
                               const std::vector<std::string>& labels, const Domain* domain) {
  const Shape& shape = space.shape(index);
  const auto place = [&](Node node) {
    for (size_t i = 0; domain != nullptr && i < labels.size(); ++i) {
      node.labels.Set(labels[i], domain->values[i]);
    }
    node.labels.Set(kHostname, "such-a-node");  // of its own: no local volume is there
    return node;
  };
  const Node bare = WithRoomFor(space, index);
  Node node = place(AsAsked(shape, bare));
  if (MayTake(shape, node)) return node;
  // One that is there and would be taken shows what labels it needs.
  for (const Slot slot : space.in_order()) {
    if (!space.MayTake(index, slot)) continue;
    node = bare;
    node.labels = space.node(slot).labels;
    node = place(node);
    if (MayTake(shape, node)) return node;
  }
  return std::nullopt;
}

std::string TextOfWanted(const Node& node, const std::vector<std::string>& domain_labels) {
  std::vector<std::string> amounts;
  for (const auto& [name, quantity] : node.allocatable) {
    if (name != kPods) amounts.push_back(absl::StrCat(name, " ", quantity.ToString()));
  }
  std::vector<std::string> labels;
  for (const auto& [key, value] : node.labels) {
    const bool of_domain =
        std::find(domain_labels.begin(), domain_labels.end(), key) != domain_labels.end();
    if (!of_domain) labels.push_back(absl::StrCat(key, "=", value));
  }
  std::string text = amounts.empty() ? "room for a pod" : absl::StrJoin(amounts, ", ") + " free";
  if (labels.empty()) return text;
  absl::StrAppend(&text, labels.size() == 1 ? " and label " : " and labels ",
                  absl::StrJoin(labels, ", "));
  return text;
}

std::string TextOfRequests(const NodeSpace& space, ShapeIndex shape) {
  std::vector<std::string> amounts;
  for (const auto& [column, value] : space.shape(shape).requests) {
    const std::string& name = space.columns().Name(column);
    if (name != kPods)
      amounts.push_back(absl::StrCat(name, " ", QuantityOf(name, value).ToString()));
  }
  return amounts.empty() ? "no resources" : absl::StrJoin(amounts, ", ");
}

Proposal Propose(const Workshop& work, const Unit& unit, const Seats& seats) {
  Proposal proposal = ProposeSomewhere(work, unit, seats);
  AddForAll(*work.space, seats, &proposal);
  return proposal;
}

std::vector<StringMap> NeighbourLabels(const NodeSpace& space, const Unit& unit, size_t most) {
  const std::set<std::string> keys = KeysOf(unit);
  std::vector<StringMap> sets;
  if (keys.empty() || most == 0) return sets;
  const std::vector<std::string> labels(keys.begin(), keys.end());
  for (const Domain& domain : Divide(space, space.in_order(), labels)) {
    if (sets.size() + 1 >= most) break;
    StringMap& set = sets.emplace_back();
    for (size_t i = 0; i < labels.size(); ++i) set.Set(labels[i], domain.values[i]);
  }
  StringMap& fresh = sets.emplace_back();
  for (const std::string& label : labels) fresh.Set(label, kNewValue);
  return sets;
}

}  // namespace outrigger::plan
