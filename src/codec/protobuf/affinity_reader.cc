// Field numbers: k8s.io/api/core/v1/generated.proto and, of label selectors,
// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto, v0.36.

#include <optional>
#include <string>
#include <string_view>

#include "codec/protobuf/pod_reading.h"
#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

absl::Status ReadOperator(Bytes bytes, const Path& at, SelectorOperator* op) {
  absl::Status status = CheckText(bytes, at);
  if (!status.ok()) return status;
  status = ParseSelectorOperator(json::Cut(bytes), op);
  return status.ok() ? status : json::Invalid(at, std::string(status.message()));
}

// NodeSelectorRequirement and LabelSelectorRequirement, which have the same numbers.
absl::Status ReadRequirement(Bytes bytes, const Path& at, SelectorRequirement* requirement) {
  return ReadMessage(bytes, at, Field{1, "key", &requirement->key},
                     Field{2, "operator", Into(&requirement->op, ReadOperator)},
                     Field{3, "values", &requirement->values});
}

absl::Status ReadLabelSelector(Bytes bytes, const Path& at, LabelSelector* selector) {
  return ReadMessage(
      bytes, at, Field{1, "matchLabels", &selector->match_labels},
      Field{2, "matchExpressions", Into(&selector->match_expressions, ReadRequirement)});
}

absl::Status ReadNodeSelectorTerm(Bytes bytes, const Path& at, NodeSelectorTerm* term) {
  return ReadMessage(bytes, at,
                     Field{1, "matchExpressions", Into(&term->match_expressions, ReadRequirement)},
                     Field{2, "matchFields", Into(&term->match_fields, ReadRequirement)});
}

absl::Status ReadNodeSelector(Bytes bytes, const Path& at, NodeSelector* selector) {
  return ReadMessage(bytes, at,
                     Field{1, "nodeSelectorTerms", Into(&selector->terms, ReadNodeSelectorTerm)});
}

absl::Status ReadPreferred(Bytes bytes, const Path& at, PreferredSchedulingTerm* preferred) {
  return ReadMessage(bytes, at, Field{1, "weight", &preferred->weight},
                     Field{2, "preference", Into(&preferred->preference, ReadNodeSelectorTerm)});
}

absl::Status ReadPodTermFields(Bytes bytes, const Path& at, PodAffinityTerm* term) {
  return ReadMessage(
      bytes, at, Field{1, "labelSelector", Into(&term->label_selector, ReadLabelSelector)},
      Field{2, "namespaces", &term->namespaces}, Field{3, "topologyKey", &term->topology_key},
      Field{4, "namespaceSelector", Into(&term->namespace_selector, ReadLabelSelector)});
}

void Normalize(PodAffinityTerm* term) {
  if (term->label_selector) term->label_selector->match_labels.Normalize();
  if (term->namespace_selector) term->namespace_selector->match_labels.Normalize();
}

absl::Status ReadPodTerm(Bytes bytes, const Path& at, PodAffinityTerm* term) {
  absl::Status status = ReadPodTermFields(bytes, at, term);
  Normalize(term);
  return status;
}

absl::Status ReadWeightedPodTerm(Bytes bytes, const Path& at, WeightedPodAffinityTerm* weighted) {
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "weight", &weighted->weight},
                  Field{2, "podAffinityTerm", Into(&weighted->term, ReadPodTermFields)});
  Normalize(&weighted->term);
  return status;
}

// The two kinds of rules, as node affinity, pod affinity and pod anti-affinity all have them.
template <typename Required, typename Preferred>
auto Rules(Required required, Preferred preferred) {
  return [required, preferred](Bytes bytes, const Path& at) {
    return ReadMessage(bytes, at,
                       Field{1, "requiredDuringSchedulingIgnoredDuringExecution", required},
                       Field{2, "preferredDuringSchedulingIgnoredDuringExecution", preferred});
  };
}

}  // namespace

absl::Status ReadAffinity(Bytes bytes, const Path& at, Affinity* affinity) {
  return ReadMessage(bytes, at,
                     Field{1, "nodeAffinity",
                           Rules(Into(&affinity->required_node, ReadNodeSelector),
                                 Into(&affinity->preferred_node, ReadPreferred))},
                     Field{2, "podAffinity",
                           Rules(Into(&affinity->required_pod, ReadPodTerm),
                                 Into(&affinity->preferred_pod, ReadWeightedPodTerm))},
                     Field{3, "podAntiAffinity",
                           Rules(Into(&affinity->required_pod_anti, ReadPodTerm),
                                 Into(&affinity->preferred_pod_anti, ReadWeightedPodTerm))});
}

absl::Status ReadTopologySpread(Bytes bytes, const Path& at, TopologySpreadConstraint* constraint) {
  std::string_view when;
  std::optional<std::string_view> affinity;
  std::optional<std::string_view> taints;
  absl::Status status = ReadMessage(
      bytes, at, Field{1, "maxSkew", &constraint->max_skew},
      Field{2, "topologyKey", &constraint->topology_key}, Field{3, "whenUnsatisfiable", &when},
      Field{4, "labelSelector", Into(&constraint->label_selector, ReadLabelSelector)},
      Field{5, "minDomains", &constraint->min_domains}, Field{6, "nodeAffinityPolicy", &affinity},
      Field{7, "nodeTaintsPolicy", &taints},
      Field{8, "matchLabelKeys", &constraint->match_label_keys});
  if (constraint->label_selector) constraint->label_selector->match_labels.Normalize();
  json::SetPolicies(when, affinity, taints, constraint);
  return status;
}

}  // namespace outrigger::protobuf
