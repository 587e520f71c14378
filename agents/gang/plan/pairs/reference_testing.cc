#include "reference_testing.h"

#include <algorithm>
#include <map>

namespace outrigger::plan {
namespace {

bool InNamespaces(const Pod& owner, const PodAffinityTerm& term, const Pod& other,
                  bool if_unknown) {
  const auto& names = term.namespaces;
  if (names.empty() && !term.namespace_selector) return owner.namespace_ == other.namespace_;
  if (std::find(names.begin(), names.end(), other.namespace_) != names.end()) return true;
  if (!term.namespace_selector) return false;
  return term.namespace_selector->match_labels.empty() || if_unknown;
}

bool Matches(const Pod& owner, const PodAffinityTerm& term, const Pod& other, bool if_unknown) {
  return InNamespaces(owner, term, other, if_unknown) && term.label_selector &&
         term.label_selector->Matches(other.labels);
}

bool MatchesAll(const Pod& owner, const Pod& other) {
  return std::all_of(
      owner.affinity.required_pod.begin(), owner.affinity.required_pod.end(),
      [&](const PodAffinityTerm& term) { return Matches(owner, term, other, false); });
}

bool HasUnknownNamespaces(const Pod& pod) {
  return std::any_of(pod.affinity.required_pod.begin(), pod.affinity.required_pod.end(),
                     [](const PodAffinityTerm& term) {
                       return term.namespace_selector &&
                              !term.namespace_selector->match_labels.empty();
                     });
}

bool Selects(const Pod& owner, const TopologySpreadConstraint& constraint, const Pod& other) {
  if (!constraint.label_selector || !constraint.label_selector->Matches(other.labels)) return false;
  return std::all_of(constraint.match_label_keys.begin(), constraint.match_label_keys.end(),
                     [&](const std::string& key) {
                       const std::string* wanted = owner.labels.Find(key);
                       const std::string* found = other.labels.Find(key);
                       return wanted == nullptr || (found != nullptr && *found == *wanted);
                     });
}

bool SelectsByAnything(const Pod& owner, const TopologySpreadConstraint& constraint) {
  const auto& keys = constraint.match_label_keys;
  return (constraint.label_selector && (!constraint.label_selector->match_labels.empty() ||
                                        !constraint.label_selector->match_expressions.empty())) ||
         std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) { return owner.labels.Contains(key); });
}

}  // namespace

bool PairsReference::SameDomain(size_t a, size_t b, const std::string& key) const {
  if (!nodes[a] || !nodes[b]) return false;
  const std::string* one = nodes[a]->labels.Find(key);
  const std::string* other = nodes[b]->labels.Find(key);
  return one != nullptr && other != nullptr && *one == *other;
}

bool PairsReference::PortsFree(const Pod& pod, size_t slot) const {
  const auto all = [](const HostPort& port) { return port.ip.empty() || port.ip == "0.0.0.0"; };
  for (const auto& [at, other] : pods) {
    for (const HostPort& a : pod.host_ports) {
      for (const HostPort& b : other.host_ports) {
        if (at == slot && a.port == b.port && a.protocol == b.protocol &&
            (a.ip == b.ip || all(a) || all(b))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool PairsReference::Counts(const Pod& pod, const TopologySpreadConstraint& constraint,
                            const Node& node) const {
  for (const TopologySpreadConstraint& other : pod.topology_spread) {
    if (other.hard && !node.labels.Contains(other.topology_key)) return false;
  }
  if (constraint.honor_affinity && !MatchesNodeSelectorAndAffinity(pod, node)) return false;
  return !constraint.honor_taints || FindUntoleratedTaint(node.taints, pod.tolerations) == nullptr;
}

bool PairsReference::Spreads(const Pod& pod, const TopologySpreadConstraint& constraint,
                             size_t slot) const {
  const std::string* here = nodes[slot]->labels.Find(constraint.topology_key);
  if (here == nullptr) return false;
  std::map<std::string, int64_t> counts;
  for (const auto& node : nodes) {
    if (node && Counts(pod, constraint, *node)) {
      counts.try_emplace(std::string(node->labels.Get(constraint.topology_key)), 0);
    }
  }
  for (const auto& [at, other] : pods) {
    if (!nodes[at] || !Counts(pod, constraint, *nodes[at]) || other.being_deleted ||
        other.namespace_ != pod.namespace_ || !SelectsByAnything(pod, constraint) ||
        !Selects(pod, constraint, other)) {
      continue;
    }
    ++counts[std::string(nodes[at]->labels.Get(constraint.topology_key))];
  }
  int64_t least = counts.empty() ? 0 : counts.begin()->second;
  for (const auto& [domain, count] : counts) least = std::min(least, count);
  if (static_cast<int64_t>(counts.size()) < constraint.min_domains.value_or(1)) least = 0;
  const int64_t self = Selects(pod, constraint, pod) ? 1 : 0;
  return counts[*here] + self - least <= constraint.max_skew;
}

bool PairsReference::IsNear(const Pod& pod, size_t slot) const {
  bool all = true;
  bool anybody = false;
  for (const PodAffinityTerm& term : pod.affinity.required_pod) {
    if (!nodes[slot]->labels.Contains(term.topology_key)) return false;
    bool here = false;
    for (const auto& [at, other] : pods) {
      if (!MatchesAll(pod, other)) continue;
      here |= SameDomain(at, slot, term.topology_key);
      anybody |= SameDomain(at, at, term.topology_key);
    }
    all &= here;
  }
  return all || (!anybody && MatchesAll(pod, pod) && !HasUnknownNamespaces(pod));
}

bool PairsReference::IsApart(const Pod& pod, size_t slot) const {
  for (const auto& [at, other] : pods) {
    for (const PodAffinityTerm& term : pod.affinity.required_pod_anti) {
      if (Matches(pod, term, other, true) && SameDomain(at, slot, term.topology_key)) return false;
    }
    for (const PodAffinityTerm& term : other.affinity.required_pod_anti) {
      if (Matches(other, term, pod, true) && SameDomain(at, slot, term.topology_key)) return false;
    }
  }
  return true;
}

PodPairs::Refusal PairsReference::Check(const Pod& pod, size_t slot) const {
  if (!PortsFree(pod, slot)) return PodPairs::Refusal::kHostPorts;
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    if (constraint.hard && !Spreads(pod, constraint, slot)) return PodPairs::Refusal::kSpread;
  }
  if (!IsNear(pod, slot)) return PodPairs::Refusal::kAffinity;
  return IsApart(pod, slot) ? PodPairs::Refusal::kNone : PodPairs::Refusal::kAntiAffinity;
}

}  // namespace outrigger::plan
