#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/string_map.h"
#include "outrigger/k8s/taint.h"

namespace outrigger {

/// A node, as far as scheduling reads it.
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
  std::string resource_version;
  /// Nodes with the same revision, unless it is 0, are equal in every field but resource_version:
  /// what was computed from one holds for the other. Unique in the process; 0 where nobody vouches
  /// for that.
  uint64_t revision = 0;
  /// False for a node of which only the name is known (names-only call, node not in the snapshot).
  bool known = true;
};

/// A node and, beside the pointer, its revision: what was worked out of a node earlier can be found
/// without a look at the node itself, which of thousands is more than the processor's caches hold.
struct NodeRef {
  NodeRef() = default;
  explicit NodeRef(const Node& of) : node(&of), revision(of.revision) {}

  const Node* node = nullptr;
  uint64_t revision = 0;
};

/// A revision that no other node of this process has had. Thread-safe.
uint64_t NextNodeRevision();

}  // namespace outrigger
