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

}  // namespace outrigger::plan
