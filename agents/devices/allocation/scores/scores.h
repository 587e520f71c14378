#pragma once

#include <vector>

#include "devices/allocation/allocator.h"
#include "devices/allocation/demand/demand.h"
#include "devices/allocation/search/ground.h"
#include "devices/allocation/search/search.h"

namespace outrigger::devices {

/// How good a solution is for those that come later, by the definitions at Scores.
Scores Score(const DemandData& demand, const Ground& ground, const std::vector<Pick>& picks,
             const Weights& weights);

}  // namespace outrigger::devices
