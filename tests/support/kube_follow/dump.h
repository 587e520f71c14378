#pragma once

#include <string>

#include "cluster/snapshot.h"

namespace outrigger::kube_follow {

/// Everything of `snapshot` that tests compare, as one line of JSON: nodes, pods, and what pods
/// request by node.
std::string Dump(const cluster::Snapshot& snapshot);

}  // namespace outrigger::kube_follow
