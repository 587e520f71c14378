#pragma once

#include <vector>

#include "devices/demand/demand.h"
#include "devices/search/ground.h"
#include "devices/search/search.h"
#include "outrigger/devices/allocator.h"

namespace outrigger::devices {

/// Gives each pick of a solution names of devices: for each claim of `demand` what it gets.
std::vector<ClaimAllocation> NamePicks(const DemandData& demand, const Ground& ground,
                                       const std::vector<Pick>& picks);

}  // namespace outrigger::devices
