#pragma once

#include <string>
#include <vector>

#include "outrigger/plan/unit.h"
#include "plan/nodes/domains.h"
#include "plan/nodes/node_space.h"
#include "plan/search/seats.h"

namespace outrigger::plan {

/// Nodes on which the unit would fit, were they empty: of `before` as long as they suffice, then
/// those with the most room now. Empty: there are not enough.
std::vector<Slot> ChooseKept(const NodeSpace& space, DomainTable* domains, const Unit& unit,
                             const Seats& seats, const std::vector<std::string>& before);

/// True if `kept` has room for the unit now.
bool HaveRoom(const NodeSpace& space, const Seats& seats, const std::vector<Slot>& kept);

/// Which member is to have room on which of `kept`, once the pods that run there are gone: by seat,
/// the node's name; empty: none has room left. On a node are members of one shape; they stay where
/// Seat::reserved has them if they can. What is placed virtually there keeps its room.
std::vector<std::string> ShareOut(const NodeSpace& space, const Seats& seats,
                                  std::vector<Slot> kept);

}  // namespace outrigger::plan
