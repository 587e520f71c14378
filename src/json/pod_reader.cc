#include <algorithm>
#include <utility>

#include "json/accepted.h"
#include "json/object_readers.h"
#include "json/pod_status_reader.h"
#include "json/taint_effect.h"

namespace outrigger::json {

// Found by Read() of its vector, so it is not in the unnamed namespace.
static absl::Status Read(Value value, const Path& at, Container* container) {
  std::string_view restart_policy;
  absl::Status status = ReadObject(
      value, at, Field{"name", &container->name},
      Field{"resources",
            [container](Value resources, const Path& place) {
              return ReadObject(resources, place, Field{"requests", &container->requests},
                                Field{"limits", &container->limits});
            }},
      Field{"restartPolicy", &restart_policy});
  container->restart_always = restart_policy == "Always";
  return status;
}

namespace {

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

// Keeps the owner that is the controller; there is one at most.
absl::Status ReadOwners(Value value, const Path& at, std::optional<OwnerReference>* controller) {
  return ForEachElement(value, at, [controller](Value item, const Path& where) {
    OwnerReference owner;
    bool is_controller = false;
    absl::Status status = ReadField(item, where, [&](Value object, const Path& place) {
      return ReadObject(object, place, Field{"kind", &owner.kind}, Field{"name", &owner.name},
                        Field{"uid", &owner.uid}, Field{"controller", &is_controller});
    });
    if (is_controller) *controller = std::move(owner);
    return status;
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

absl::Status ReadMetadata(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool metadata = needs.Has(Needs::kPodMetadata);
  const bool life = needs.Has(Needs::kPodStatus);
  const auto created = [pod](Value time, const Path& place) {
    return ReadTime(time, place, &pod->creation_time);
  };
  const auto deleted = [pod](Value time, const Path& place) {
    int64_t seconds = 0;
    pod->being_deleted = true;
    return ReadTime(time, place, &seconds);
  };
  const auto owners = [pod](Value list, const Path& place) {
    return ReadOwners(list, place, &pod->controller);
  };
  return ReadObject(value, at, Field{"name", &pod->name}, Field{"namespace", &pod->namespace_},
                    Field{"uid", &pod->uid}, Field{"labels", &pod->labels, metadata},
                    Field{"annotations", &pod->annotations, metadata},
                    Field{"resourceVersion", &pod->resource_version, life},
                    Field{"creationTimestamp", created, life},
                    Field{"deletionTimestamp", deleted, life},
                    Field{"ownerReferences", owners, life});
}

absl::Status ReadSpec(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool resources = needs.Has(Needs::kPodResources);
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const auto pod_resources = [pod](Value object, const Path& place) {
    return ReadObject(object, place, Field{"requests", &pod->pod_requests},
                      Field{"limits", &pod->pod_limits});
  };
  const auto tolerations = [pod](Value list, const Path& place) {
    return ForEachElement(list, place, [pod](Value item, const Path& where) {
      return ReadField(item, where, [pod](Value toleration, const Path& path) {
        return AppendToleration(toleration, path, &pod->tolerations);
      });
    });
  };
  const auto gates = [pod](Value list, const Path& place) {
    return ReadGates(list, place, &pod->scheduling_gates);
  };
  return ReadObject(
      value, at, Field{"containers", &pod->containers, resources},
      Field{"initContainers", &pod->init_containers, resources},
      Field{"overhead", &pod->overhead, resources}, Field{"resources", pod_resources, resources},
      Field{"nodeName", &pod->node_name, scheduling},
      Field{"schedulerName", &pod->scheduler_name, scheduling},
      Field{"priorityClassName", &pod->priority_class_name, scheduling},
      Field{"priority", &pod->priority, scheduling},
      Field{"nodeSelector", &pod->node_selector, scheduling},
      Field{"affinity", &pod->affinity, scheduling}, Field{"tolerations", tolerations, scheduling},
      Field{"schedulingGates", gates, needs.Has(Needs::kPodStatus)});
}

template <typename ObjectOrValue>
absl::Status ReadFields(ObjectOrValue object, const Path& at, const Needs& needs, Pod* pod) {
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const bool life = needs.Has(Needs::kPodStatus);
  const auto metadata = [&](Value part, const Path& place) {
    return ReadMetadata(part, place, needs, pod);
  };
  const auto spec = [&](Value part, const Path& place) {
    return ReadSpec(part, place, needs, pod);
  };
  const auto status = [&](Value part, const Path& place) {
    return ReadPodStatus(part, place, needs, pod);
  };
  *pod = Pod();
  return ReadObject(object, at, Field{"metadata", metadata},
                    Field{"spec", spec, scheduling || life || needs.Has(Needs::kPodResources)},
                    Field{"status", status, scheduling || life});
}

}  // namespace

absl::Status ReadPod(Value value, const Path& at, const Needs& needs, Pod* pod) {
  return ReadFields(value, at, needs, pod);
}

absl::Status ReadPod(Object object, const Path& at, const Needs& needs, Pod* pod) {
  return ReadFields(object, at, needs, pod);
}

}  // namespace outrigger::json
