// Field numbers: k8s.io/api/core/v1/generated.proto and, of label selectors,
// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto, v0.36. Only v0.35 has workloadRef.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json/words.h"
#include "codec/protobuf/pod_reading.h"
#include "codec/protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

absl::Status ReadPort(Bytes bytes, const Path& at, HostPort* port) {
  return ReadMessage(bytes, at, Field{2, "hostPort", &port->port},
                     Field{4, "protocol", &port->protocol}, Field{5, "hostIP", &port->ip});
}

absl::Status ReadContainer(Bytes bytes, const Path& at, const Needs& needs, Container* container,
                           std::vector<HostPort>* ports, std::string* image) {
  std::string_view restart_policy;
  const auto resources = [container](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &container->limits},
                       Field{2, "requests", &container->requests});
  };
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "name", &container->name},
                  Field{2, "image", image, needs.Has(Needs::kPodImages)},
                  Field{6, "ports", Into(ports, ReadPort), needs.Has(Needs::kPodScheduling)},
                  Field{8, "resources", resources, needs.Has(Needs::kPodResources)},
                  Field{24, "restartPolicy", &restart_policy});
  container->requests.Normalize();
  container->limits.Normalize();
  container->restart_always = restart_policy == "Always";
  return status;
}

enum class Kind : uint8_t { kContainer, kInitContainer };

// Keeps a container, and the ports of the node that it takes, as far as they are needed.
auto KeepContainer(Kind kind, const Needs& needs, std::vector<Container>* containers,
                   json::PodParts* parts) {
  std::vector<HostPort>* const host_ports =
      kind == Kind::kContainer ? &parts->ports : &parts->init_ports;
  return [=, &needs](Bytes bytes, const Path& at) {
    Container container;
    std::vector<HostPort> ports;
    std::string image;
    absl::Status status = ReadContainer(bytes, at, needs, &container, &ports, &image);
    if (kind == Kind::kContainer || container.restart_always) {
      json::KeepHostPorts(std::move(ports), host_ports);
    }
    if (!image.empty()) parts->images.push_back(std::move(image));
    if (needs.Has(Needs::kPodResources)) containers->push_back(std::move(container));
    return status;
  };
}

absl::Status ReadVolumeSource(Bytes bytes, const Path& at, json::PodVolume* volume) {
  const auto claim = [volume](Bytes message, const Path& place) {
    if (!volume->claim.has_value()) volume->claim.emplace();
    return ReadMessage(message, place, Field{1, "claimName", &*volume->claim});
  };
  const auto ephemeral = [volume](Bytes /*message*/, const Path& /*place*/) {
    volume->ephemeral = true;
    return absl::OkStatus();
  };
  return ReadMessage(bytes, at, Field{10, "persistentVolumeClaim", claim},
                     Field{29, "ephemeral", ephemeral});
}

absl::Status ReadVolume(Bytes bytes, const Path& at, json::PodVolume* volume) {
  // In JSON the source's fields stand in the volume.
  const auto source = [volume, &at](Bytes message, const Path& /*place*/) {
    return ReadVolumeSource(message, at, volume);
  };
  return ReadMessage(bytes, at, Field{1, "name", &volume->name}, Field{2, "volumeSource", source});
}

// Appends the toleration. One whose operator or effect is not known is left out and listed, as in
// JSON.
absl::Status AppendToleration(Bytes bytes, const Path& at, std::vector<Toleration>* tolerations) {
  Toleration toleration;
  std::string_view op;
  std::string_view effect;
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "key", &toleration.key}, Field{2, "operator", &op},
                  Field{3, "value", &toleration.value}, Field{4, "effect", &effect});
  if (!status.ok()) return status;
  toleration.exists = op == "Exists";
  toleration.effect = json::ParseEffect(effect);
  if (!op.empty() && op != "Exists" && op != "Equal") {
    at.Key("operator").Malformed(op, json::kAcceptedOperator);
  } else if (!effect.empty() && !toleration.effect) {
    at.Key("effect").Malformed(effect, json::kAcceptedEffect);
  } else {
    tolerations->push_back(std::move(toleration));
  }
  return status;
}

absl::Status ReadGate(Bytes bytes, const Path& at, std::string* name) {
  return ReadMessage(bytes, at, Field{1, "name", name});
}

absl::Status ReadSchedulingGroup(Bytes bytes, const Path& at, Pod* pod) {
  return ReadMessage(bytes, at, Field{1, "podGroupName", &pod->scheduling_group});
}

absl::Status ReadWorkload(Bytes bytes, const Path& at, Pod* pod) {
  return ReadMessage(bytes, at, Field{1, "name", &pod->workload});
}

// A later word takes the place of an earlier one, also where the spec comes in parts.
auto PreemptionPolicy(Pod* pod) {
  return [pod](Bytes word, const Path& at) {
    pod->never_preempts = word == "Never";
    return CheckText(word, at);
  };
}

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

absl::Status ReadPodSpec(Bytes bytes, const Path& at, PodReading* reading) {
  const bool resources = reading->needs.Has(Needs::kPodResources);
  const bool scheduling = reading->needs.Has(Needs::kPodScheduling);
  const bool contents = resources || scheduling || reading->needs.Has(Needs::kPodImages);
  const bool placed = scheduling || reading->needs.Has(Needs::kClusterPods);
  Pod* const pod = reading->pod;
  json::PodParts* const parts = &reading->parts;
  const auto container = KeepContainer(Kind::kContainer, reading->needs, &pod->containers, parts);
  const auto init_container =
      KeepContainer(Kind::kInitContainer, reading->needs, &pod->init_containers, parts);
  const auto toleration = [pod](Bytes message, const Path& place) {
    return AppendToleration(message, place, &pod->tolerations);
  };
  const auto pod_resources = [pod](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &pod->pod_limits},
                       Field{2, "requests", &pod->pod_requests});
  };
  return ReadMessage(
      bytes, at, Field{1, "volumes", Into(&parts->volumes, ReadVolume), scheduling},
      Field{2, "containers", Counted(&reading->containers, container), contents},
      Field{7, "nodeSelector", &pod->node_selector, scheduling},
      Field{10, "nodeName", &pod->node_name, placed},
      Field{18, "affinity", Into(&pod->affinity, ReadAffinity), scheduling},
      Field{19, "schedulerName", &pod->scheduler_name, scheduling},
      Field{20, "initContainers", Counted(&reading->init_containers, init_container), contents},
      Field{22, "tolerations", Counted(&reading->tolerations, toleration), scheduling},
      Field{24, "priorityClassName", &pod->priority_class_name, scheduling},
      Field{25, "priority", &pod->priority, placed},
      Field{31, "preemptionPolicy", PreemptionPolicy(pod), scheduling},
      Field{32, "overhead", &pod->overhead, resources},
      Field{33, "topologySpreadConstraints", Into(&pod->topology_spread, ReadTopologySpread),
            scheduling},
      Field{38, "schedulingGates", Into(&pod->scheduling_gates, ReadGate),
            reading->needs.Has(Needs::kPodStatus)},
      Field{39, "resourceClaims", Into(&parts->claims, ReadNamedClaim<3>), scheduling},
      Field{40, "resources", pod_resources, resources},
      Field{42, "workloadRef", Into(pod, ReadWorkload), scheduling},
      Field{43, "schedulingGroup", Into(pod, ReadSchedulingGroup), scheduling});
}

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
