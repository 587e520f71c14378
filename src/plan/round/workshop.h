#pragma once

#include <cstdint>

#include "plan/nodes/domains.h"
#include "plan/nodes/node_space.h"
#include "plan/nodes/shape_table.h"

namespace outrigger::plan {

/// What a plan is made with.
struct Workshop {
  NodeSpace* space;
  DomainTable* domains;
  ShapeTable* shapes;
  uint64_t generation = 0;  // another one: others than before, and shapes have other indices
};

}  // namespace outrigger::plan
