#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outrigger/k8s/node.h"
#include "outrigger/plan/unit.h"
#include "plan/round/workshop.h"
#include "plan/search/seats.h"

namespace outrigger::plan {

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
