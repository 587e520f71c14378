#pragma once

#include "gang/plan/nodes/domains.h"
#include "gang/plan/nodes/node_space.h"

namespace outrigger::plan {

/// What a plan is made with.
struct Workshop {
  NodeSpace* space;
  DomainTable* domains;
  ShapeTable* shapes;
};

}  // namespace outrigger::plan
