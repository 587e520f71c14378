#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/selector.h"
#include "plan/nodes/columns.h"
#include "plan/pairs/pod_pairs.h"

namespace outrigger::plan {

using ShapeIndex = uint32_t;

/// What a pod asks of a node by itself: members of one shape are interchangeable.
struct Shape {
  /// Larger than 0, the first is one pod; by column. Empty where resources are not compared at all.
  std::vector<Amount> requests;
  std::shared_ptr<const Pod> example;
  std::vector<NodeSelector> pinned;
  /// What it may not be beside, or others not beside it; nothing if that plays no part.
  std::optional<KindIndex> kind;
  // What kube-scheduler does not compare for it.
  bool ignores_taints = false;
  bool ignores_cordons = false;
  bool ignores_node_affinity = false;
  bool ignores_anti_affinity = false;  // of others; the pod's own was taken out of it
};

/// Whether a node may take pods of the shape at all: cordons, taints, selectors, pinned volumes.
/// The answer holds for the node's revision.
bool MayTake(const Shape& shape, const Node& node);

/// A text that is equal for two pods if and only if they ask for the same. It orders shapes, too,
/// without regard to which of them was seen first.
std::string SignatureOf(const Pod& pod, const std::vector<NodeSelector>& pinned);

}  // namespace outrigger::plan
