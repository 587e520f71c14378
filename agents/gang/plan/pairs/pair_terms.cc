#include "gang/plan/pairs/pair_terms.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cluster/pod_archive.h"

namespace outrigger::plan {
namespace {

constexpr std::string_view kName = "kubernetes.io/metadata.name";

bool IsGuessed(const LabelSelector& selector) {
  const auto& labels = selector.match_labels;
  const auto& expressions = selector.match_expressions;
  return std::any_of(labels.begin(), labels.end(),
                     [](const auto& label) { return label.first != kName; }) ||
         std::any_of(expressions.begin(), expressions.end(),
                     [](const auto& requirement) { return requirement.key != kName; });
}

constexpr std::string_view kAllAddresses = "0.0.0.0";

std::string_view AddressOf(const HostPort& port) {
  return port.ip.empty() ? kAllAddresses : std::string_view(port.ip);
}

template <typename... Values>
std::string Packed(const Values&... values) {
  std::string out;
  cluster::PackArchive archive(&out);
  archive(values...);
  return out;
}

// As mergeLabelSetWithSelector() of 1.36: who has no selector gets none.
std::optional<LabelSelector> EffectiveSelector(const TopologySpreadConstraint& constraint,
                                               const StringMap& labels) {
  std::optional<LabelSelector> selector = constraint.label_selector;
  if (!selector.has_value()) return selector;
  for (const std::string& key : constraint.match_label_keys) {
    const std::string* value = labels.Find(key);
    if (value != nullptr) {
      selector->match_expressions.push_back({key, SelectorOperator::kIn, {*value}});
    }
  }
  return selector;
}

std::vector<std::string> HardKeys(const Pod& pod) {
  std::vector<std::string> keys;
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    if (constraint.hard) keys.push_back(constraint.topology_key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

bool PodMatcher::Matches(const PodIdentity& pod, bool if_guessed) const {
  const auto in_namespaces = [&] {
    if (std::binary_search(namespaces.begin(), namespaces.end(), pod.namespace_)) return true;
    if (!namespace_selector.has_value()) return false;
    if (guessed) return if_guessed;
    return namespace_selector->Matches({{std::string(kName), pod.namespace_}});
  };
  return selector.has_value() && in_namespaces() && selector->Matches(pod.labels);
}

PodMatcher MatcherOf(const PodAffinityTerm& term, const std::string& namespace_) {
  PodMatcher matcher{term.label_selector, term.namespaces, term.namespace_selector};
  auto& namespaces = matcher.namespaces;
  if (namespaces.empty() && !term.namespace_selector.has_value()) namespaces = {namespace_};
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
  matcher.guessed = term.namespace_selector.has_value() && IsGuessed(*term.namespace_selector);
  return matcher;
}

bool NearTerms::Matches(const PodIdentity& pod) const {
  return std::all_of(matchers.begin(), matchers.end(),
                     [&](const PodMatcher& matcher) { return matcher.Matches(pod, false); });
}

bool NearTerms::IsVacant() const {
  return std::none_of(matchers.begin(), matchers.end(),
                      [](const PodMatcher& matcher) { return matcher.guessed; }) &&
         std::all_of(matching.begin(), matching.end(),
                     [](const Tally& tally) { return tally.total() == 0; });
}

SpreadTerm::SpreadTerm(const Pod& pod, const TopologySpreadConstraint& constraint)
    : namespace_(pod.namespace_),
      selector(EffectiveSelector(constraint, pod.labels)),
      topology_key(constraint.topology_key),
      keys(HardKeys(pod)),
      honor_taints(constraint.honor_taints) {
  if (constraint.honor_affinity) {
    filter.node_selector = pod.node_selector;
    filter.affinity.required_node = pod.affinity.required_node;
  }
  if (honor_taints) filter.tolerations = pod.tolerations;
}

bool SpreadTerm::Counts(const PodIdentity& pod, bool being_deleted) const {
  const bool empty =
      selector && selector->match_labels.empty() && selector->match_expressions.empty();
  return !being_deleted && !empty && pod.namespace_ == namespace_ && Selects(pod.labels);
}

bool SpreadTerm::Includes(const Node& node) const {
  if (!MatchesNodeSelectorAndAffinity(filter, node)) return false;
  return !honor_taints || FindUntoleratedTaint(node.taints, filter.tolerations) == nullptr;
}

std::string SpreadTerm::Key() const {
  return Packed(namespace_, selector, topology_key, keys, honor_taints, filter.node_selector,
                filter.affinity.required_node, filter.tolerations);
}

bool Conflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  const std::string_view one = AddressOf(a);
  const std::string_view other = AddressOf(b);
  return one == other || one == kAllAddresses || other == kAllAddresses;
}

std::string KeyOf(const PodMatcher& matcher, const std::string& topology_key) {
  return Packed(matcher.selector, matcher.namespaces, matcher.namespace_selector, topology_key);
}

std::string KeyOf(const HostPort& port) {
  return Packed(std::string(AddressOf(port)), port.protocol, port.port);
}

// What constraints of a pod share is packed once.
std::vector<std::string> SpreadKeysOf(const Pod& pod) {
  const std::string of_all = Packed(pod.namespace_, HardKeys(pod));
  const std::string affinity = Packed(pod.node_selector, pod.affinity.required_node);
  const std::string tolerations = Packed(pod.tolerations);
  std::vector<std::string> keys;
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    if (!constraint.hard) continue;
    std::string& key =
        keys.emplace_back(Packed(EffectiveSelector(constraint, pod.labels), constraint.topology_key,
                                 constraint.honor_affinity, constraint.honor_taints));
    key += of_all;
    if (constraint.honor_affinity) key += affinity;
    if (constraint.honor_taints) key += tolerations;
  }
  return keys;
}

std::string KindKeyOf(const Pod& pod) {
  std::vector<TopologySpreadConstraint> hard;
  for (const TopologySpreadConstraint& constraint : pod.topology_spread) {
    if (constraint.hard) hard.push_back(constraint);
  }
  std::string key = Packed(pod.namespace_, pod.labels, pod.being_deleted, pod.host_ports,
                           pod.affinity.required_pod, pod.affinity.required_pod_anti, hard);
  // The inclusion policies of a spread look at these.
  if (!hard.empty()) {
    key += Packed(pod.node_selector, pod.affinity.required_node, pod.tolerations);
  }
  return key;
}

}  // namespace outrigger::plan
