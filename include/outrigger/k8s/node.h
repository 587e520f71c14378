#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/string_map.h"
#include "outrigger/k8s/taint.h"

namespace outrigger {

/// One of status.addresses.
struct NodeAddress {
  std::string type;     // "InternalIP", "Hostname", ...
  std::string address;  // "10.0.0.1", "fd00::1", "worker-1"
  friend bool operator==(const NodeAddress&, const NodeAddress&) = default;
};

/// The status of a condition. kUnknown also where there is no such condition, or its status is none
/// of Kubernetes' three words.
enum class ConditionStatus : uint8_t { kUnknown, kFalse, kTrue };

/// A node: the fields that scheduling uses.
///
/// In a request only the fields that the agent's Needs name are filled; others may be empty even
/// where the real node has them.
struct Node {
  std::string name;
  StringMap labels;
  StringMap annotations;
  ResourceList allocatable;
  ResourceList capacity;
  std::vector<Taint> taints;
  bool unschedulable = false;
  std::vector<NodeAddress> addresses;  // in the order of the status
  /// The condition Ready; of several the first, as client-go takes it.
  ConditionStatus ready = ConditionStatus::kUnknown;
  std::string resource_version;
  /// Nodes with the same revision, unless it is 0, are equal in every field but resource_version:
  /// what was computed from one holds for the other. Unique in the process. 0 if the revision is
  /// not known.
  uint64_t revision = 0;
  /// False if only the name of the node is known (names-only call, node not in the snapshot).
  bool known = true;
};

/// A pointer to a node, and its revision: a value cached by revision is found without reading the
/// node itself. Thousands of nodes do not fit into the processor's caches.
struct NodeRef {
  NodeRef() = default;
  explicit NodeRef(const Node& of) : node(&of), revision(of.revision) {}

  const Node* node = nullptr;
  uint64_t revision = 0;
};

/// A revision that no other node of this process has had. Thread-safe.
uint64_t NextNodeRevision();

}  // namespace outrigger
