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

/// What the kubelet reports of a container's resources; requests in the spec may have been changed
/// since (resizing in place).
struct ContainerStatus {
  std::string name;
  /// resources.requests, what the container runs with, if the status has resources.
  std::optional<ResourceList> requests;
  ResourceList allocated;  // allocatedResources, what the node has set aside
};

/// How a container ended.
struct ContainerEnd {
  int32_t exit_code = 0;
  std::string reason = {};  // "Error", "OOMKilled", "Completed", ...
  int64_t started = 0;      // seconds since 1970, UTC; 0: not known
  int64_t finished = 0;     // as started
  friend bool operator==(const ContainerEnd&, const ContainerEnd&) = default;
};

/// What the kubelet reports of the life of a container.
struct ContainerState {
  std::string name = {};
  bool init = false;                     // of status.initContainerStatuses
  int64_t restarts = 0;                  // restartCount
  int64_t running_since = 0;             // seconds since 1970, UTC; 0: it does not run
  std::string waiting_reason = {};       // "CrashLoopBackOff", "ImagePullBackOff", ...
  std::optional<ContainerEnd> end = {};  // state.terminated: it has ended and waits for nothing
  std::optional<ContainerEnd> last_end = {};  // lastState.terminated: how it ended before
  friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

/// How kube-scheduler counts a pod during a resize; depends on its version.
enum class ResizeCounting : uint8_t {
  kByPod,        // 1.37: the largest of what spec, allocation and status say of the whole pod
  kByContainer,  // 1.33 to 1.36: the sum of the largest of these three of each container
};

/// The object that manages another one.
struct OwnerReference {
  std::string kind;
  std::string name;
  std::string uid;
  std::string api_version = {};  // "apps/v1"
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
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

/// A host port that the pod uses.
struct HostPort {
  std::string ip;                // of the node; empty or "0.0.0.0": all that it has
  std::string protocol = "TCP";  // or UDP, SCTP
  int32_t port = 0;              // 1..65535
};

/// One of spec.topologySpreadConstraints: how evenly to spread pods over the values of a node
/// label. An unknown policy is not honoured, as in kube-scheduler.
struct TopologySpreadConstraint {
  int32_t max_skew = 1;
  std::string topology_key;
  bool hard = false;                            // DoNotSchedule
  std::optional<LabelSelector> label_selector;  // of the pods that count; absent: none
  std::optional<int32_t> min_domains;
  bool honor_affinity = true;  // only nodes count that the pod's node selector and affinity match
  bool honor_taints = false;   // only nodes count whose taints the pod tolerates
  std::vector<std::string> match_label_keys;
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

/// A pod: the fields that scheduling uses. A plain value; absent fields are empty.
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
  std::optional<ResourceList> pod_limits;    // spec.resources.limits

  std::string node_name;            // spec.nodeName: bound there
  std::string nominated_node_name;  // status.nominatedNodeName
  std::string phase;                // status.phase; see IsFinished()
  std::string scheduler_name;
  std::string priority_class_name;
  int32_t priority = 0;
  StringMap node_selector;
  Affinity affinity;
  std::vector<Toleration> tolerations;
  /// Of containers and of init containers that keep running: what schedutil.GetHostPorts() gives.
  std::vector<HostPort> host_ports;
  std::vector<TopologySpreadConstraint> topology_spread;
  bool never_preempts = false;   // spec.preemptionPolicy is Never
  std::string scheduling_group;  // spec.schedulingGroup.podGroupName
  std::string workload;          // spec.workloadRef.name, which only Kubernetes 1.35 has
  /// The PersistentVolumeClaims of its volumes, those of ephemeral volumes included; in its
  /// namespace.
  std::vector<std::string> claims;
  /// Its ResourceClaims, in its namespace. A claim from a template is listed once the status names
  /// it.
  std::vector<std::string> resource_claims;
  int32_t claims_to_come = 0;  // number of claims from templates that its status does not name yet

  // The pod's lifecycle; requires Needs().PodStatus().
  std::string resource_version;
  int64_t generation = 0;     // counts changes of the spec; 0: the server does not count them
  int64_t creation_time = 0;  // seconds since 1970, UTC; 0: not known
  bool being_deleted = false;
  std::optional<OwnerReference> controller;  // the owner that is marked as the controller
  std::vector<std::string> scheduling_gates;
  std::string qos_class;
  std::string unscheduled_reason;  // of the condition PodScheduled, as is the message
  std::string unscheduled_message;
  int64_t scheduled_time = 0;  // since when PodScheduled is true, as creation_time; 0: not known

  /// The images of all containers, init containers included: sorted, each once.
  /// Needs().PodImages() asks for them.
  std::vector<std::string> images;

  // What the kubelet reports. Needs().PodTimes() asks for the times, the two above included,
  // Needs().PodContainerStates() for all.
  int64_t start_time = 0;  // status.startTime: the kubelet knows of the pod; as creation_time
  /// Of a finished pod: when the last of its containers ended (the largest finishedAt); else 0.
  int64_t end_time = 0;
  std::string status_reason;  // status.reason: "Evicted", ...
  /// Init containers first, in the order of the status.
  std::vector<ContainerState> container_states;

  // Further parts of what Needs().PodStatus() asks for.
  /// Only those that report resources; others say nothing about what the pod asks for.
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceList> status_requests;  // status.resources.requests, if status.resources is
  ResourceList status_allocated;                // status.allocatedResources
  bool resize_infeasible = false;  // condition PodResizePending with the reason Infeasible
  /// For PodRequestsOnNode(). Not read from the object: the client of an API server knows its
  /// version.
  ResizeCounting resize_counting = ResizeCounting::kByPod;

  /// True if the pod has finished: it no longer uses resources of its node.
  bool IsFinished() const { return phase == "Succeeded" || phase == "Failed"; }
};

/// True if `node` satisfies the pod's nodeSelector and required node affinity.
bool MatchesNodeSelectorAndAffinity(const Pod& pod, const Node& node);

}  // namespace outrigger
