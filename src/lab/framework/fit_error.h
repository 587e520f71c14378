#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace outrigger::lab {

/// How many nodes were rejected for which reason.
using ReasonCounts = std::map<std::string, size_t, std::less<>>;

/// What kube-scheduler writes about a pod for which no node is left (framework.FitError): "0/9
/// nodes are available: 9 node(s) were unschedulable."
std::string FitErrorText(size_t nodes, const ReasonCounts& reasons);

/// The same if there are no nodes at all (scheduler.ErrNoNodesAvailable).
inline constexpr char kNoNodes[] = "no nodes available to schedule pods";

}  // namespace outrigger::lab
