#pragma once

#include <type_traits>

#include "outrigger/k8s/pod.h"

// What a pod consists of, in the order in which it is packed and unpacked: Fields(value, archive)
// calls archive(field...) with every field, so that both directions name them once. T is the type
// named in the comment, or that type const.

namespace outrigger::cluster {

template <typename T, typename Bare>
concept Is = std::is_same_v<std::remove_const_t<T>, Bare>;

template <Is<Container> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.requests, value.limits, value.restart_always);
}
template <Is<ContainerStatus> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.requests, value.allocated);
}
template <Is<ContainerEnd> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.exit_code, value.reason, value.started, value.finished);
}
template <Is<ContainerState> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.name, value.init, value.restarts, value.running_since, value.waiting_reason,
          value.end, value.last_end);
}
template <Is<OwnerReference> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.kind, value.name, value.uid, value.api_version);
}
template <Is<Toleration> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.key, value.value, value.exists, value.effect);
}
template <Is<SelectorRequirement> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.key, value.op, value.values);
}
template <Is<LabelSelector> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.match_labels, value.match_expressions);
}
template <Is<NodeSelectorTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.match_expressions, value.match_fields);
}
template <Is<NodeSelector> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.terms);
}
template <Is<PreferredSchedulingTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.weight, value.preference);
}
template <Is<PodAffinityTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.label_selector, value.namespaces, value.namespace_selector, value.topology_key);
}
template <Is<WeightedPodAffinityTerm> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.weight, value.term);
}
template <Is<Affinity> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.required_node, value.preferred_node, value.required_pod, value.preferred_pod,
          value.required_pod_anti, value.preferred_pod_anti);
}

template <Is<HostPort> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.ip, value.protocol, value.port);
}
template <Is<TopologySpreadConstraint> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.max_skew, value.topology_key, value.hard, value.label_selector, value.min_domains,
          value.honor_affinity, value.honor_taints, value.match_label_keys);
}

/// The fields that PodRecord does not read by itself, but for those below and PodTimes.
template <Is<Pod> T, typename Archive>
void Fields(T& value, Archive& archive) {
  archive(value.containers, value.init_containers, value.overhead, value.pod_requests,
          value.pod_limits, value.nominated_node_name, value.scheduler_name,
          value.priority_class_name, value.node_selector, value.affinity, value.tolerations,
          value.generation, value.being_deleted, value.controller, value.scheduling_gates,
          value.qos_class, value.unscheduled_reason, value.unscheduled_message,
          value.container_statuses, value.init_container_statuses, value.status_requests,
          value.status_allocated, value.resize_infeasible, value.resize_counting);
}

/// What few pods have. Of a pod that has nothing of it each is a zero byte when packed.
template <Is<Pod> T, typename Archive>
void RareFields(T& value, Archive& archive) {
  archive(value.host_ports, value.topology_spread, value.never_preempts, value.scheduling_group,
          value.claims, value.resource_claims, value.claims_to_come, value.workload);
}

/// What the kubelet reports of a pod's life, but for the times.
template <Is<Pod> T, typename Archive>
void StateFields(T& value, Archive& archive) {
  archive(value.status_reason, value.container_states);
}

}  // namespace outrigger::cluster
