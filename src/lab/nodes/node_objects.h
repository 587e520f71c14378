#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lab/nodes/shape.h"

// What a kubelet writes about its node, as JSON.

namespace outrigger::lab {

using WallTime = std::chrono::system_clock::time_point;

/// "172.16.0.1": the address of node number `index`.
std::string AddressOfNode(size_t index);

/// The Node as it is created; also a merge patch of one that exists, and of its status.
/// `ready_since`: what its condition Ready says.
std::string NodeJson(const SimulatedNode& node, size_t index, WallTime ready_since);
/// A strategic merge patch of the status: the node is still ready.
std::string NodeHeartbeat(WallTime ready_since, WallTime now);

/// The Lease as it is created; also a merge patch that renews it.
std::string LeaseJson(std::string_view node, std::string_view node_uid, WallTime now);

}  // namespace outrigger::lab
