#pragma once

#include <cstdint>

#include "devices/allocation/demand/demand.h"
#include "devices/allocation/pools/inventory_state.h"
#include "devices/allocation/search/ground.h"
#include "outrigger/agent/verdict.h"

namespace outrigger::devices {

/// Why a demand does not fit on a ground, of which that is known: the cheapest change that would
/// help. Rejected if devices given back would do, else Unresolvable. What it costs, three
/// times `budget` at most, is added to `spent`.
Verdict Explain(const InventoryState& state, const DemandData& demand, const Ground& ground,
                int64_t budget, int64_t* spent);

}  // namespace outrigger::devices
