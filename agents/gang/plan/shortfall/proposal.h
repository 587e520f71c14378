#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/search/seats.h"
#include "gang/plan/shortfall/shortfall.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/node.h"

namespace outrigger::plan {

/// A label of which every node has a value of its own.
inline constexpr const char* kHostname = "kubernetes.io/hostname";

/// The least node that takes one member of the shape and nothing beside it, within a domain if
/// `labels` are given (with the values of `domain`). Without a name. Nothing: no node that could be
/// named would be taken by the member (its selectors ask for a node by name, or exclude each
/// other).
std::optional<Node> WantedNode(const NodeSpace& space, ShapeIndex shape,
                               const std::vector<std::string>& labels, const Domain* domain);

/// An amount of a resource as people write it.
Quantity QuantityOf(std::string_view name, int64_t value);

/// "cpu 8, memory 16Gi free and label gpu=a100": what tells such a node from others.
std::string TextOfWanted(const Node& node, const std::vector<std::string>& domain_labels);

/// "cpu 8, memory 16Gi"; "no resources".
std::string TextOfRequests(const NodeSpace& space, ShapeIndex shape);

/// Nodes that might do for a unit that does not fit, and what there is without them.
struct Proposal {
  std::vector<Node> nodes;         // one for each member that finds no place
  std::vector<Node> kinds;         // one for each shape of a member
  int64_t fit = 0;                 // members that do
  bool possible = true;            // no node would do, otherwise
  std::string domain;              // "r7": in which; empty: anywhere
  std::string in_all;              // "cpu 64 in all, 52 free": what is short of that, or empty
  std::vector<ShapeIndex> shapes;  // of the members
};

/// What the unit lacks beside what is placed: in the domain in which the fewest nodes are missing,
/// or in the whole cluster where none is required. Leaves nothing placed.
Proposal Propose(const Workshop& workshop, const Unit& unit, const Seats& seats);

/// Labels that a node may need so that members may be beside, or apart from, other pods: for each
/// set of values that nodes have of the labels by which required pod affinity, anti-affinity and
/// hard spread of members divide them, and for values that no node has, at last. `most` sets at
/// most. Names of hosts are left out: every node has its own.
std::vector<StringMap> NeighbourLabels(const NodeSpace& space, const Unit& unit, size_t most);

}  // namespace outrigger::plan
