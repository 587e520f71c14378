#pragma once

#include <cstddef>
#include <string>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/pod_group.h"

// What one pod or group may ask of the planner. The API server bounds most of this by the size of
// an object alone, and an author of one pod must not hold up everybody else.

namespace outrigger::plan {

// Each costs a term that is kept for as long as the pod is there, and is compared with all pods;
// Kubernetes' own scalability tests use one or two.
inline constexpr size_t kMostSpreadConstraints = 64;
inline constexpr size_t kMostPodAffinityTerms = 64;
// Of anti-affinity, of all pods that have their place: as many workloads as a large cluster has,
// each with a term of its own.
inline constexpr size_t kMostBoundTerms = 16'384;
// Values and expressions in selectors, which are compared with every node or pod.
inline constexpr size_t kMostSelectorValues = 1000;
inline constexpr size_t kMostTolerations = 1000;
inline constexpr size_t kMostHostPorts = 256;
// Each is a column of amounts of all nodes.
inline constexpr size_t kMostResources = 64;
// Each divides all nodes once more.
inline constexpr size_t kMostTopologyLevels = 8;
inline constexpr size_t kMostRoles = 1000;

/// What a pod asks for that is more than is planned: "exceeds a limit of the planner: 5000 topology
/// spread constraints, 64 are accepted"; empty: nothing is.
std::string ExcessOf(const Pod& pod);
/// The same of a group's object.
std::string ExcessOf(const PodGroup& group);

}  // namespace outrigger::plan
