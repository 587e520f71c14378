#pragma once

#include <string>
#include <vector>

#include "devices/dra/allocator.h"
#include "devices/dra/plan.h"
#include "devices/dra/search.h"

namespace outrigger::dra {

/// How well the devices that `search` found suit the node: as
/// agents/devices/allocation/scores/scores.cc has it.
Scores Score(const Plan& plan, const Search& search, const std::vector<std::string>& groups);

}  // namespace outrigger::dra
