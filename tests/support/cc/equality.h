#pragma once

#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::testing {

/// True if both are the same in every field, quantities also in format and text. (Quantity's own ==
/// compares amounts.)
bool Same(const Pod& a, const Pod& b);
/// The same of nodes, revision included.
bool Same(const Node& a, const Node& b);
/// The same amounts of everything; a resource that is missing is zero.
bool SameAmounts(const ResourceList& a, const ResourceList& b);

}  // namespace outrigger::testing
