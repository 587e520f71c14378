#pragma once

#include <cstdint>
#include <vector>

#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// What happened to what, as far as it may make a pod schedulable (framework.ClusterEvent).
struct ClusterEvent {
  enum class Resource : uint8_t {
    kNode,
    kAssignedPod,     // a pod that has a node
    kUnscheduledPod,  // a pod that waits for one: the one that is looked at
  };
  /// Bits: a registration names several, an event that happens mostly one.
  enum Action : uint32_t {
    kAdd = 1U << 0,
    kDelete = 1U << 1,
    kUpdateAllocatable = 1U << 2,  // of nodes, as are the following
    kUpdateNodeLabel = 1U << 3,
    kUpdateNodeTaint = 1U << 4,  // taints, and whether it is cordoned
    kUpdateNodeAnnotation = 1U << 5,
    kUpdatePodLabel = 1U << 6,  // of pods, as are the following
    kUpdatePodToleration = 1U << 7,
    kUpdatePodSchedulingGates = 1U << 8,  // the last gate is gone
  };
  Resource resource = Resource::kNode;
  uint32_t actions = 0;

  /// True if this registration asks for what happened.
  bool Matches(const ClusterEvent& happened) const {
    return resource == happened.resource && (actions & happened.actions) != 0;
  }
  friend bool operator==(const ClusterEvent&, const ClusterEvent&) = default;
};

/// What of a node has changed that scheduling may look at, one event each; empty: nothing.
std::vector<ClusterEvent> ChangesOf(const Node& before, const Node& after);
/// The same of a pod that waits for a node.
std::vector<ClusterEvent> ChangesOf(const Pod& before, const Pod& after);

}  // namespace outrigger::lab
