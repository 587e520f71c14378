#include <string_view>
#include <utility>

#include "codec/json/object_readers.h"
#include "codec/json/pod_part_readers.h"
#include "codec/json/words.h"

namespace outrigger::json {

// Found by Read() of their vectors, so they are not in an unnamed namespace.

static absl::Status Read(Value value, const Path& at, HostPort* port) {
  return ReadObject(value, at, Field{"hostIP", &port->ip}, Field{"hostPort", &port->port},
                    Field{"protocol", &port->protocol});
}

static absl::Status Read(Value value, const Path& at, PodVolume* volume) {
  const auto claim = [volume](Value source, const Path& place) {
    return ReadObject(source, place, Field{"claimName", &volume->claim.emplace()});
  };
  const auto ephemeral = [volume](Value source, const Path& place) {
    volume->ephemeral = true;
    return SkipValue(source, place);
  };
  return ReadObject(value, at, Field{"name", &volume->name}, Field{"persistentVolumeClaim", claim},
                    Field{"ephemeral", ephemeral});
}

absl::Status Read(Value value, const Path& at, NamedClaim* claim) {
  return ReadObject(value, at, Field{"name", &claim->name},
                    Field{"resourceClaimName", &claim->claim});
}

namespace {

absl::Status ReadContainer(Value value, const Path& at, const Needs& needs, Container* container,
                           std::vector<HostPort>* ports, std::string* image) {
  std::string_view restart_policy;
  const auto resources = [container](Value object, const Path& place) {
    return ReadObject(object, place, Field{"requests", &container->requests},
                      Field{"limits", &container->limits});
  };
  absl::Status status = ReadObject(value, at, Field{"name", &container->name},
                                   Field{"image", image, needs.Has(Needs::kPodImages)},
                                   Field{"resources", resources, needs.Has(Needs::kPodResources)},
                                   Field{"restartPolicy", &restart_policy},
                                   Field{"ports", ports, needs.Has(Needs::kPodScheduling)});
  container->restart_always = restart_policy == "Always";
  return status;
}

enum class Kind : uint8_t { kContainer, kInitContainer };

// Keeps the containers, and the ports of the node that they take, as far as they are needed.
auto Containers(Kind kind, const Needs& needs, std::vector<Container>* containers,
                PodParts* parts) {
  std::vector<HostPort>* const host_ports =
      kind == Kind::kContainer ? &parts->ports : &parts->init_ports;
  return [=, &needs](Value list, const Path& at) {
    return ForEachElement(list, at, [=, &needs](Value item, const Path& where) {
      Container container;
      std::vector<HostPort> ports;
      std::string image;
      absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
        return ReadContainer(object, place, needs, &container, &ports, &image);
      });
      if (kind == Kind::kContainer || container.restart_always) {
        KeepHostPorts(std::move(ports), host_ports);
      }
      if (!image.empty()) parts->images.push_back(std::move(image));
      if (needs.Has(Needs::kPodResources)) containers->push_back(std::move(container));
      return status;
    });
  };
}

// Appends the toleration. One whose operator or effect is not known tolerates nothing that this
// program knows: it is left out and listed.
absl::Status AppendToleration(Value value, const Path& at, std::vector<Toleration>* tolerations) {
  Toleration toleration;
  std::string_view op;
  std::string_view effect;
  absl::Status status =
      ReadObject(value, at, Field{"key", &toleration.key}, Field{"value", &toleration.value},
                 Field{"operator", &op}, Field{"effect", &effect});
  if (!status.ok()) return status;
  toleration.exists = op == "Exists";
  toleration.effect = ParseEffect(effect);
  if (!op.empty() && op != "Exists" && op != "Equal") {
    at.Key("operator").Malformed(op, kAcceptedOperator);
  } else if (!effect.empty() && !toleration.effect) {
    at.Key("effect").Malformed(effect, kAcceptedEffect);
  } else {
    tolerations->push_back(std::move(toleration));
  }
  return status;
}

absl::Status ReadTolerations(Value value, const Path& at, std::vector<Toleration>* tolerations) {
  return ForEachElement(value, at, [tolerations](Value item, const Path& where) {
    return ReadField(item, where, [tolerations](Value toleration, const Path& place) {
      return AppendToleration(toleration, place, tolerations);
    });
  });
}

absl::Status ReadGates(Value value, const Path& at, std::vector<std::string>* gates) {
  return ForEachElement(value, at, [gates](Value item, const Path& where) {
    std::string& name = gates->emplace_back();
    return ReadField(item, where, [&name](Value gate, const Path& place) {
      return ReadObject(gate, place, Field{"name", &name});
    });
  });
}

absl::Status ReadSchedulingGroup(Value value, const Path& at, Pod* pod) {
  return ReadObject(value, at, Field{"podGroupName", &pod->scheduling_group});
}

absl::Status ReadWorkload(Value value, const Path& at, Pod* pod) {
  return ReadObject(value, at, Field{"name", &pod->workload});
}

}  // namespace

absl::Status ReadPodSpec(Value value, const Path& at, const Needs& needs, Pod* pod,
                         PodParts* parts) {
  const bool resources = needs.Has(Needs::kPodResources);
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const bool contents = resources || scheduling || needs.Has(Needs::kPodImages);
  const bool placed = scheduling || needs.Has(Needs::kClusterPods);
  std::string_view preemption;
  const auto pod_resources = [pod](Value object, const Path& place) {
    return ReadObject(object, place, Field{"requests", &pod->pod_requests},
                      Field{"limits", &pod->pod_limits});
  };
  const auto tolerations = [pod](Value list, const Path& place) {
    return ReadTolerations(list, place, &pod->tolerations);
  };
  const auto gates = [pod](Value list, const Path& place) {
    return ReadGates(list, place, &pod->scheduling_gates);
  };
  const auto group = [pod](Value object, const Path& place) {
    return ReadSchedulingGroup(object, place, pod);
  };
  const auto workload = [pod](Value object, const Path& place) {
    return ReadWorkload(object, place, pod);
  };
  absl::Status status = ReadObject(
      value, at,
      Field{"containers", Containers(Kind::kContainer, needs, &pod->containers, parts), contents},
      Field{"initContainers", Containers(Kind::kInitContainer, needs, &pod->init_containers, parts),
            contents},
      Field{"overhead", &pod->overhead, resources}, Field{"resources", pod_resources, resources},
      Field{"nodeName", &pod->node_name, placed},
      Field{"schedulerName", &pod->scheduler_name, scheduling},
      Field{"priorityClassName", &pod->priority_class_name, scheduling},
      Field{"priority", &pod->priority, placed}, Field{"preemptionPolicy", &preemption, scheduling},
      Field{"nodeSelector", &pod->node_selector, scheduling},
      Field{"affinity", &pod->affinity, scheduling}, Field{"tolerations", tolerations, scheduling},
      Field{"topologySpreadConstraints", &pod->topology_spread, scheduling},
      Field{"schedulingGroup", group, scheduling}, Field{"workloadRef", workload, scheduling},
      Field{"volumes", &parts->volumes, scheduling},
      Field{"resourceClaims", &parts->claims, scheduling},
      Field{"schedulingGates", gates, needs.Has(Needs::kPodStatus)});
  pod->never_preempts = preemption == "Never";
  return status;
}

}  // namespace outrigger::json
