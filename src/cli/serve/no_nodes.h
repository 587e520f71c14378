#pragma once

#include <string>
#include <vector>

#include "console/process/cluster_source.h"
#include "serve/engine/engine.h"

namespace outrigger::cli {

/// For the log of a process that has no nodes for names-only calls: which of `agents` cannot answer
/// such calls, and what to do. Empty if all can.
std::string NoNodesWarning(const std::vector<engine::ServedAgent>& agents,
                           const ClusterOptions& cluster, bool in_pod);

}  // namespace outrigger::cli
