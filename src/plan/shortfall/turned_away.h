#pragma once

#include <string>

#include "plan/nodes/node_space.h"

namespace outrigger::plan {

/// "not counted: 2 nodes with room, with taint a=b:NoSchedule, which no toleration covers": what
/// most of the nodes that have room for one more member of the shape turn it away for, of what its
/// author does not see in the pod: taints and cordons. Empty if no node does.
std::string TurnedAway(const NodeSpace& space, ShapeIndex shape);

}  // namespace outrigger::plan
