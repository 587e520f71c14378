#pragma once

#include "gang/plan/nodes/node_space.h"
#include "gang/plan/planner.h"
#include "gang/plan/search/ground.h"
#include "gang/plan/search/seats.h"

namespace outrigger::plan {

/// Why a unit does not fit on what is free now: nothing of it is placed, before and afterwards.
/// `gave_up`: the search was cut short.
Cause FindCause(NodeSpace* space, const Unit& unit, const Seats& seats, bool gave_up);

/// Fewer members, or members of a role, exist than must be placed; or kNone.
Cause FindMissing(const Unit& unit, const Seats& seats);

}  // namespace outrigger::plan
