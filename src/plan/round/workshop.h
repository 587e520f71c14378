#pragma once

#include "plan/nodes/domains.h"
#include "plan/nodes/node_space.h"
#include "plan/nodes/shape_table.h"

namespace outrigger::plan {

/// What a plan is made with.
struct Workshop {
  NodeSpace* space;
  DomainTable* domains;
  ShapeTable* shapes;
};

}  // namespace outrigger::plan
