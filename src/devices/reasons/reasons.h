#pragma once

#include <cstdint>

#include "devices/demand/demand.h"
#include "devices/pools/inventory_state.h"
#include "devices/search/ground.h"
#include "outrigger/agent/verdict.h"

namespace outrigger::devices {

/// Why a demand does not fit on a ground, of which that is known: the cheapest change that would
/// help. Rejected if devices given back would do, else Unresolvable.
Verdict Explain(const InventoryState& state, const DemandData& demand, const Ground& ground,
                int64_t budget);

}  // namespace outrigger::devices
