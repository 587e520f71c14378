#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/pools/inventory_state.h"
#include "devices/reasons/suppositions.h"
#include "devices/search/ground.h"

namespace outrigger::devices {

/// Of a demand that fits on empty pools: the fewest claims with which it fits if they give back
/// what they hold. Among as many those that hold the fewest devices here, then by name. `at_least`:
/// so many devices must come back; 1 if that is not known.
///
/// Of many claims not every set is tried: then it fits with what is returned, and not without any
/// one of them (of the first few dozen), and fewer might do. If the steps run out it can be all.
std::vector<std::string> FindGiveBack(const InventoryState& state, const Ground& ground,
                                      Suppositions* suppositions, int64_t at_least);

}  // namespace outrigger::devices
