#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include "gang/plan/planner.h"
#include "gang/plan/round/workshop.h"

namespace outrigger::plan {

/// Planner::Explain() on nodes that are up to date. Leaves no pretended node behind.
Shortfall FindShortfall(const Workshop& workshop, std::span<const Unit> units, size_t index,
                        const PlanOptions& options, const std::stop_token& stop);

}  // namespace outrigger::plan
