#include "gang/plan/groups/limits.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace outrigger::plan {
namespace {

std::string Excess(size_t number, std::string_view what, size_t most) {
  if (number <= most) return "";
  return fmt::format("exceeds a limit of the planner: {} {}, at most {}", number, what, most);
}

size_t ValuesOf(const std::vector<SelectorRequirement>& requirements) {
  size_t values = 0;
  for (const SelectorRequirement& requirement : requirements) {
    values += 1 + requirement.values.size();
  }
  return values;
}

size_t ValuesOf(const std::optional<LabelSelector>& selector) {
  if (!selector) return 0;
  return selector->match_labels.size() + ValuesOf(selector->match_expressions);
}

size_t ValuesOf(const std::optional<NodeSelector>& selector) {
  size_t values = 0;
  if (!selector) return values;
  for (const NodeSelectorTerm& term : selector->terms) {
    values += 1 + ValuesOf(term.match_expressions) + ValuesOf(term.match_fields);
  }
  return values;
}

size_t ValuesOf(const std::vector<PodAffinityTerm>& terms) {
  size_t values = 0;
  for (const PodAffinityTerm& term : terms) {
    values +=
        term.namespaces.size() + ValuesOf(term.label_selector) + ValuesOf(term.namespace_selector);
  }
  return values;
}

size_t ValuesOf(const Pod& pod) {
  size_t values = pod.node_selector.size() + ValuesOf(pod.affinity.required_node) +
                  ValuesOf(pod.affinity.required_pod) + ValuesOf(pod.affinity.required_pod_anti);
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    values += ValuesOf(constraint.label_selector) + constraint.match_label_keys.size();
  }
  return values;
}

size_t ResourcesOf(const Pod& pod) {
  size_t largest = std::max(pod.overhead.size(), pod.pod_requests ? pod.pod_requests->size() : 0);
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      largest = std::max(largest, container.requests.size());
    }
  }
  // The sum, which costs more, only where it can be too many.
  const size_t containers = pod.containers.size() + pod.init_containers.size() + 2;
  return largest * containers <= kMostResources ? largest : PodRequests(pod).size();
}

}  // namespace

std::string ExcessOf(const Pod& pod) {
  const size_t spread = static_cast<size_t>(
      std::count_if(pod.topology_spread.begin(), pod.topology_spread.end(),
                    [](const TopologySpreadConstraint& constraint) { return constraint.hard; }));
  const size_t terms = pod.affinity.required_pod.size() + pod.affinity.required_pod_anti.size();
  for (std::string excess :
       {Excess(spread, "topology spread constraints", kMostSpreadConstraints),
        Excess(terms, "pod affinity and anti-affinity terms", kMostPodAffinityTerms),
        Excess(pod.tolerations.size(), "tolerations", kMostTolerations),
        Excess(pod.host_ports.size(), "host ports", kMostHostPorts),
        Excess(ResourcesOf(pod), "resources", kMostResources),
        Excess(ValuesOf(pod), "labels and values in selectors", kMostSelectorValues)}) {
    if (!excess.empty()) return excess;
  }
  return "";
}

std::string ExcessOf(const PodGroup& group) {
  std::string excess = Excess(group.min_task_member.size(), "roles", kMostRoles);
  if (!excess.empty()) return excess;
  return Excess(group.min_resources.size(), "resources", kMostResources);
}

}  // namespace outrigger::plan
