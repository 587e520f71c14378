#include "equality.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

// Every struct is taken apart by a structured binding, which does not compile once a field is
// added: so none is forgotten.

namespace outrigger::testing {
namespace {

bool Eq(const Quantity& a, const Quantity& b) {
  return a == b && a.format() == b.format() && a.ToString() == b.ToString() &&
         a.AsInt64() == b.AsInt64() && a.Value() == b.Value();
}
bool Eq(const Container& a, const Container& b);
bool Eq(const ContainerStatus& a, const ContainerStatus& b);
bool Eq(const ContainerEnd& a, const ContainerEnd& b);
bool Eq(const ContainerState& a, const ContainerState& b);
bool Eq(const OwnerReference& a, const OwnerReference& b);
bool Eq(const Toleration& a, const Toleration& b);
bool Eq(const Taint& a, const Taint& b);
bool Eq(const SelectorRequirement& a, const SelectorRequirement& b);
bool Eq(const LabelSelector& a, const LabelSelector& b);
bool Eq(const NodeSelectorTerm& a, const NodeSelectorTerm& b);
bool Eq(const NodeSelector& a, const NodeSelector& b);
bool Eq(const PreferredSchedulingTerm& a, const PreferredSchedulingTerm& b);
bool Eq(const PodAffinityTerm& a, const PodAffinityTerm& b);
bool Eq(const WeightedPodAffinityTerm& a, const WeightedPodAffinityTerm& b);
bool Eq(const HostPort& a, const HostPort& b);
bool Eq(const TopologySpreadConstraint& a, const TopologySpreadConstraint& b);

bool Eq(const ResourceList& a, const ResourceList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ResourceList::Entry& x, const ResourceList::Entry& y) {
                      return x.name == y.name && Eq(x.quantity, y.quantity);
                    });
}
template <typename T>
bool Eq(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return Eq(x, y); });
}
template <typename T>
bool Eq(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || Eq(*a, *b));
}

bool Eq(const Container& a, const Container& b) {
  const auto& [name, requests, limits, restart_always] = a;
  return name == b.name && Eq(requests, b.requests) && Eq(limits, b.limits) &&
         restart_always == b.restart_always;
}
bool Eq(const ContainerStatus& a, const ContainerStatus& b) {
  const auto& [name, requests, allocated] = a;
  return name == b.name && Eq(requests, b.requests) && Eq(allocated, b.allocated);
}
bool Eq(const ContainerEnd& a, const ContainerEnd& b) {
  const auto& [exit_code, reason, started, finished] = a;
  return exit_code == b.exit_code && reason == b.reason && started == b.started &&
         finished == b.finished;
}
bool Eq(const ContainerState& a, const ContainerState& b) {
  const auto& [name, init, restarts, running_since, waiting_reason, end, last_end] = a;
  return name == b.name && init == b.init && restarts == b.restarts &&
         running_since == b.running_since && waiting_reason == b.waiting_reason && Eq(end, b.end) &&
         Eq(last_end, b.last_end);
}
bool Eq(const OwnerReference& a, const OwnerReference& b) {
  const auto& [kind, name, uid, api_version] = a;
  return kind == b.kind && name == b.name && uid == b.uid && api_version == b.api_version;
}
bool Eq(const Toleration& a, const Toleration& b) {
  const auto& [key, value, exists, effect] = a;
  return key == b.key && value == b.value && exists == b.exists && effect == b.effect;
}
bool Eq(const Taint& a, const Taint& b) {
  const auto& [key, value, effect] = a;
  return key == b.key && value == b.value && effect == b.effect;
}
bool Eq(const SelectorRequirement& a, const SelectorRequirement& b) {
  const auto& [key, op, values] = a;
  return key == b.key && op == b.op && values == b.values;
}
bool Eq(const LabelSelector& a, const LabelSelector& b) {
  const auto& [labels, expressions] = a;
  return labels == b.match_labels && Eq(expressions, b.match_expressions);
}
bool Eq(const NodeSelectorTerm& a, const NodeSelectorTerm& b) {
  const auto& [expressions, fields] = a;
  return Eq(expressions, b.match_expressions) && Eq(fields, b.match_fields);
}
bool Eq(const NodeSelector& a, const NodeSelector& b) {
  const auto& [terms] = a;
  return Eq(terms, b.terms);
}
bool Eq(const PreferredSchedulingTerm& a, const PreferredSchedulingTerm& b) {
  const auto& [weight, preference] = a;
  return weight == b.weight && Eq(preference, b.preference);
}
bool Eq(const PodAffinityTerm& a, const PodAffinityTerm& b) {
  const auto& [labels, namespaces, namespace_selector, topology_key] = a;
  return Eq(labels, b.label_selector) && namespaces == b.namespaces &&
         Eq(namespace_selector, b.namespace_selector) && topology_key == b.topology_key;
}
bool Eq(const WeightedPodAffinityTerm& a, const WeightedPodAffinityTerm& b) {
  const auto& [weight, term] = a;
  return weight == b.weight && Eq(term, b.term);
}
bool Eq(const HostPort& a, const HostPort& b) {
  const auto& [ip, protocol, port] = a;
  return ip == b.ip && protocol == b.protocol && port == b.port;
}
bool Eq(const TopologySpreadConstraint& a, const TopologySpreadConstraint& b) {
  const auto& [skew, key, hard, selector, domains, honor_affinity, honor_taints, label_keys] = a;
  return skew == b.max_skew && key == b.topology_key && hard == b.hard &&
         Eq(selector, b.label_selector) && domains == b.min_domains &&
         honor_affinity == b.honor_affinity && honor_taints == b.honor_taints &&
         label_keys == b.match_label_keys;
}
bool Eq(const Affinity& a, const Affinity& b) {
  const auto& [node, preferred_node, pod, preferred_pod, anti, preferred_anti] = a;
  return Eq(node, b.required_node) && Eq(preferred_node, b.preferred_node) &&
         Eq(pod, b.required_pod) && Eq(preferred_pod, b.preferred_pod) &&
         Eq(anti, b.required_pod_anti) && Eq(preferred_anti, b.preferred_pod_anti);
}

}  // namespace

bool Same(const Pod& a, const Pod& b) {
  const auto& [name, namespace_, uid, labels, annotations, containers, init_containers, overhead,
               pod_requests, pod_limits, node_name, nominated_node_name, phase, scheduler_name,
               priority_class_name, priority, node_selector, affinity, tolerations, host_ports,
               topology_spread, never_preempts, scheduling_group, workload, claims, resource_claims,
               claims_to_come, resource_version, generation, creation_time, being_deleted,
               controller, scheduling_gates, qos_class, unscheduled_reason, unscheduled_message,
               scheduled_time, images, start_time, end_time, status_reason, container_states,
               container_statuses, init_container_statuses, status_requests, status_allocated,
               resize_infeasible, resize_counting] = a;
  return name == b.name && namespace_ == b.namespace_ && uid == b.uid && labels == b.labels &&
         annotations == b.annotations && Eq(containers, b.containers) &&
         Eq(init_containers, b.init_containers) && Eq(overhead, b.overhead) &&
         Eq(pod_requests, b.pod_requests) && Eq(pod_limits, b.pod_limits) &&
         node_name == b.node_name && nominated_node_name == b.nominated_node_name &&
         phase == b.phase && scheduler_name == b.scheduler_name &&
         priority_class_name == b.priority_class_name && priority == b.priority &&
         node_selector == b.node_selector && Eq(affinity, b.affinity) &&
         Eq(tolerations, b.tolerations) && Eq(host_ports, b.host_ports) &&
         Eq(topology_spread, b.topology_spread) && never_preempts == b.never_preempts &&
         scheduling_group == b.scheduling_group && workload == b.workload && claims == b.claims &&
         resource_claims == b.resource_claims && claims_to_come == b.claims_to_come &&
         resource_version == b.resource_version && generation == b.generation &&
         creation_time == b.creation_time && being_deleted == b.being_deleted &&
         Eq(controller, b.controller) && scheduling_gates == b.scheduling_gates &&
         qos_class == b.qos_class && unscheduled_reason == b.unscheduled_reason &&
         unscheduled_message == b.unscheduled_message && scheduled_time == b.scheduled_time &&
         images == b.images && start_time == b.start_time && end_time == b.end_time &&
         status_reason == b.status_reason && Eq(container_states, b.container_states) &&
         Eq(container_statuses, b.container_statuses) &&
         Eq(init_container_statuses, b.init_container_statuses) &&
         Eq(status_requests, b.status_requests) && Eq(status_allocated, b.status_allocated) &&
         resize_infeasible == b.resize_infeasible && resize_counting == b.resize_counting;
}

bool Same(const Node& a, const Node& b) {
  const auto& [name, labels, annotations, allocatable, capacity, taints, unschedulable, addresses,
               ready, resource_version, revision, known] = a;
  return name == b.name && labels == b.labels && annotations == b.annotations &&
         Eq(allocatable, b.allocatable) && Eq(capacity, b.capacity) && Eq(taints, b.taints) &&
         unschedulable == b.unschedulable && addresses == b.addresses && ready == b.ready &&
         resource_version == b.resource_version && revision == b.revision && known == b.known;
}

bool SameAmounts(const ResourceList& a, const ResourceList& b) {
  const auto covers = [](const ResourceList& x, const ResourceList& y) {
    return std::all_of(x.begin(), x.end(), [&](const ResourceList::Entry& entry) {
      return entry.quantity == y.Get(entry.name);
    });
  };
  return covers(a, b) && covers(b, a);
}

}  // namespace outrigger::testing
