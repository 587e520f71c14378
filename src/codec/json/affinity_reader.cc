#include <optional>
#include <string>
#include <string_view>

#include "codec/json/object_readers.h"
#include "codec/json/pod_parts.h"

namespace outrigger::json {

// Found by Read() of their vectors, so they are not in an unnamed namespace.

static absl::Status Read(Value value, const Path& at, NodeSelectorTerm* term) {
  return ReadObject(value, at, Field{"matchExpressions", &term->match_expressions},
                    Field{"matchFields", &term->match_fields});
}

absl::Status Read(Value value, const Path& at, NodeSelector* selector) {
  return ReadObject(value, at, Field{"nodeSelectorTerms", &selector->terms});
}

static absl::Status Read(Value value, const Path& at, PreferredSchedulingTerm* preferred) {
  return ReadObject(value, at, Field{"weight", &preferred->weight},
                    Field{"preference", &preferred->preference});
}

static absl::Status Read(Value value, const Path& at, PodAffinityTerm* term) {
  return ReadObject(value, at, Field{"labelSelector", &term->label_selector},
                    Field{"namespaces", &term->namespaces},
                    Field{"namespaceSelector", &term->namespace_selector},
                    Field{"topologyKey", &term->topology_key});
}

static absl::Status Read(Value value, const Path& at, WeightedPodAffinityTerm* weighted) {
  return ReadObject(value, at, Field{"weight", &weighted->weight},
                    Field{"podAffinityTerm", &weighted->term});
}

// The two kinds of rules, as node affinity, pod affinity and pod anti-affinity all have them.
template <typename Required, typename Preferred>
static auto Rules(Required* required, Preferred* preferred) {
  return [required, preferred](Value value, const Path& at) {
    return ReadObject(value, at, Field{"requiredDuringSchedulingIgnoredDuringExecution", required},
                      Field{"preferredDuringSchedulingIgnoredDuringExecution", preferred});
  };
}

absl::Status Read(Value value, const Path& at, Affinity* affinity) {
  return ReadObject(
      value, at, Field{"nodeAffinity", Rules(&affinity->required_node, &affinity->preferred_node)},
      Field{"podAffinity", Rules(&affinity->required_pod, &affinity->preferred_pod)},
      Field{"podAntiAffinity", Rules(&affinity->required_pod_anti, &affinity->preferred_pod_anti)});
}

absl::Status Read(Value value, const Path& at, TopologySpreadConstraint* constraint) {
  std::string_view when;
  std::optional<std::string_view> affinity;
  std::optional<std::string_view> taints;
  absl::Status status = ReadObject(
      value, at, Field{"maxSkew", &constraint->max_skew},
      Field{"topologyKey", &constraint->topology_key}, Field{"whenUnsatisfiable", &when},
      Field{"labelSelector", &constraint->label_selector},
      Field{"minDomains", &constraint->min_domains}, Field{"nodeAffinityPolicy", &affinity},
      Field{"nodeTaintsPolicy", &taints}, Field{"matchLabelKeys", &constraint->match_label_keys});
  SetPolicies(when, affinity, taints, constraint);
  return status;
}

absl::Status Read(Value value, const Path& at, SelectorRequirement* requirement) {
  return ReadObject(value, at, Field{"key", &requirement->key},
                    Field{"operator",
                          [requirement](Value op, const Path& place) {
                            std::string_view text;
                            absl::Status status = Read(op, place, &text);
                            if (!status.ok()) return status;
                            status = ParseSelectorOperator(Cut(text), &requirement->op);
                            return status.ok() ? status
                                               : Invalid(place, std::string(status.message()));
                          }},
                    Field{"values", &requirement->values});
}

absl::Status Read(Value value, const Path& at, LabelSelector* selector) {
  return ReadObject(value, at, Field{"matchLabels", &selector->match_labels},
                    Field{"matchExpressions", &selector->match_expressions});
}

}  // namespace outrigger::json
