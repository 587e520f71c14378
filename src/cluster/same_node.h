#pragma once

#include "outrigger/k8s/node.h"

namespace outrigger::cluster {

/// True if the two are the same to the bit, but for revision, resource version, and what
/// SameState() compares.
bool SameButState(const Node& a, const Node& b);
/// True if what only ChangeScope::kAllAndStates has is the same.
bool SameState(const Node& a, const Node& b);

}  // namespace outrigger::cluster
