#pragma once

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

}  // namespace outrigger::plan
