#include "plan/shortfall/proposal.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "plan/search/attempt.h"
#include "plan/search/ground.h"
#include "plan/shortfall/wanted_node.h"

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
