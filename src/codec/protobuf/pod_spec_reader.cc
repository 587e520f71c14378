// Field numbers: k8s.io/api/core/v1/generated.proto, v0.36. Only v0.35 has workloadRef.

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
                           std::vector<HostPort>* ports) {
  std::string_view restart_policy;
  const auto resources = [container](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &container->limits},
                       Field{2, "requests", &container->requests});
  };
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "name", &container->name},
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
                   std::vector<HostPort>* host_ports) {
  return [=, &needs](Bytes bytes, const Path& at) {
    Container container;
    std::vector<HostPort> ports;
    absl::Status status = ReadContainer(bytes, at, needs, &container, &ports);
    if (kind == Kind::kContainer || container.restart_always) {
      json::KeepHostPorts(std::move(ports), host_ports);
    }
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

}  // namespace

absl::Status ReadPodSpec(Bytes bytes, const Path& at, PodReading* reading) {
  const bool resources = reading->needs.Has(Needs::kPodResources);
  const bool scheduling = reading->needs.Has(Needs::kPodScheduling);
  const bool placed = scheduling || reading->needs.Has(Needs::kClusterPods);
  Pod* const pod = reading->pod;
  json::PodParts* const parts = &reading->parts;
  const auto container =
      KeepContainer(Kind::kContainer, reading->needs, &pod->containers, &parts->ports);
  const auto init_container = KeepContainer(Kind::kInitContainer, reading->needs,
                                            &pod->init_containers, &parts->init_ports);
  const auto toleration = [pod](Bytes message, const Path& place) {
    return AppendToleration(message, place, &pod->tolerations);
  };
  const auto pod_resources = [pod](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &pod->pod_limits},
                       Field{2, "requests", &pod->pod_requests});
  };
  return ReadMessage(
      bytes, at, Field{1, "volumes", Into(&parts->volumes, ReadVolume), scheduling},
      Field{2, "containers", Counted(&reading->containers, container), resources || scheduling},
      Field{7, "nodeSelector", &pod->node_selector, scheduling},
      Field{10, "nodeName", &pod->node_name, placed},
      Field{18, "affinity", Into(&pod->affinity, ReadAffinity), scheduling},
      Field{19, "schedulerName", &pod->scheduler_name, scheduling},
      Field{20, "initContainers", Counted(&reading->init_containers, init_container),
            resources || scheduling},
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

}  // namespace outrigger::protobuf
