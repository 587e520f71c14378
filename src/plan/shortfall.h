#pragma once

#include <cstddef>
#include <span>

#include "outrigger/plan/planner.h"
#include "plan/domains.h"
#include "plan/node_space.h"
#include "plan/shape_table.h"

namespace outrigger::plan {

/// What a plan is made with.
struct Workshop {
  NodeSpace* space;
  DomainTable* domains;
  ShapeTable* shapes;
};

/// Planner::Explain() on nodes that are up to date. Leaves no pretended node behind.
Shortfall FindShortfall(const Workshop& workshop, std::span<const Unit> units, size_t index,
                        const PlanOptions& options);

}  // namespace outrigger::plan
