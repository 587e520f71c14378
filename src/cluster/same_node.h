#pragma once

#include "outrigger/k8s/node.h"

namespace outrigger::cluster {

/// True if the two are the same to the bit, but for revision and resource version.
bool SameNode(const Node& a, const Node& b);

}  // namespace outrigger::cluster
