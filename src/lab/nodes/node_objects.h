#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lab/nodes/shape.h"

// Nodes as JSON: what their kubelets write, and what files say.

namespace outrigger::lab {

using WallTime = std::chrono::system_clock::time_point;

/// "172.16.0.1": the address of node number `index`.
std::string AddressOfNode(size_t index);

/// Adds the Nodes of one document of a file, also of a list as `kubectl get -o yaml` prints it:
/// what a node has from the cluster it comes from is left out (addresses, conditions, ...).
/// InvalidArgument: another kind, or a node without a name or amounts.
absl::Status AddNodes(const std::string& json, std::vector<SimulatedNode>* nodes);

/// The Node as it is created; also a merge patch of one that exists, and of its status.
/// `ready_since`: what its condition Ready says.
std::string NodeJson(const SimulatedNode& node, size_t index, WallTime ready_since);
/// A strategic merge patch of the status: the node is still ready.
std::string NodeHeartbeat(WallTime ready_since, WallTime now);

/// The Lease as it is created; also a merge patch that renews it.
std::string LeaseJson(std::string_view node, std::string_view node_uid, WallTime now);

}  // namespace outrigger::lab
