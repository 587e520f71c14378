#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/planner.h"

namespace outrigger::plan {

/// What a plan is made with.
struct Workshop {
  NodeSpace* space;
  DomainTable* domains;
  ShapeTable* shapes;
};

/// Planner::Explain() on nodes that are up to date. Leaves no pretended node behind.
Shortfall FindShortfall(const Workshop& workshop, std::span<const Unit> units, size_t index,
                        const PlanOptions& options, const std::stop_token& stop);

}  // namespace outrigger::plan
