#pragma once

#include <vector>

#include "devices/demand/demand.h"
#include "devices/search/ground.h"
#include "devices/search/search.h"
#include "outrigger/devices/allocator.h"

namespace outrigger::devices {

/// How good a solution is for those that come later, by the definitions at Scores.
Scores Score(const DemandData& demand, const Ground& ground, const std::vector<Pick>& picks,
             const Weights& weights);

}  // namespace outrigger::devices
