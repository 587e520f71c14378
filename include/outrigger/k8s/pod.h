#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/selector.h"
#include "outrigger/k8s/string_map.h"
#include "outrigger/k8s/taint.h"

namespace outrigger {

struct Node;

/// The part of a container that scheduling reads.
struct Container {
  std::string name;
  ResourceList requests;
  ResourceList limits;
  /// An init container with restartPolicy Always, which keeps running: a native sidecar.
  bool restart_always = false;
};

/// A term of pod affinity or anti-affinity.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  // absent: matches no pod
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
};

struct WeightedPodAffinityTerm {
  int32_t weight = 1;  // 1..100
  PodAffinityTerm term;
};

/// spec.affinity. Absent required node affinity matches every node.
struct Affinity {
  std::optional<NodeSelector> required_node;
  std::vector<PreferredSchedulingTerm> preferred_node;
  std::vector<PodAffinityTerm> required_pod;
  std::vector<WeightedPodAffinityTerm> preferred_pod;
  std::vector<PodAffinityTerm> required_pod_anti;
  std::vector<WeightedPodAffinityTerm> preferred_pod_anti;
};

/// A pod, as far as scheduling reads it. A plain value; fields that were absent are empty.
struct Pod {
  std::string name;
  std::string namespace_;
  std::string uid;
  StringMap labels;
  StringMap annotations;

  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::optional<ResourceList> pod_requests;  // spec.resources.requests (KEP-2837)

  std::string node_name;            // spec.nodeName: bound there
  std::string nominated_node_name;  // status.nominatedNodeName
  std::string phase;                // status.phase
  std::string scheduler_name;
  std::string priority_class_name;
  int32_t priority = 0;
  StringMap node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
};

/// True if `node` satisfies the pod's nodeSelector and required node affinity.
bool MatchesNodeSelectorAndAffinity(const Pod& pod, const Node& node);

}  // namespace outrigger
