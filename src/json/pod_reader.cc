#include <algorithm>
#include <utility>

#include "json/object_readers.h"
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
    at.Key("operator").Malformed(op, "Exists or Equal");
  } else if (!effect.empty() && !toleration.effect) {
    at.Key("effect").Malformed(effect, kAcceptedEffect);
  } else {
    tolerations->push_back(std::move(toleration));
  }
  return status;
}

absl::Status ReadMetadata(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool metadata = needs.Has(Needs::kPodMetadata);
  return ReadObject(value, at, Field{"name", &pod->name}, Field{"namespace", &pod->namespace_},
                    Field{"uid", &pod->uid}, Field{"labels", &pod->labels, metadata},
                    Field{"annotations", &pod->annotations, metadata});
}

absl::Status ReadSpec(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool resources = needs.Has(Needs::kPodResources);
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const auto pod_resources = [pod](Value object, const Path& place) {
    return ReadObject(object, place, Field{"requests", &pod->pod_requests});
  };
  const auto tolerations = [pod](Value list, const Path& place) {
    return ForEachElement(list, place, [pod](Value item, const Path& where) {
      return ReadField(item, where, [pod](Value toleration, const Path& path) {
        return AppendToleration(toleration, path, &pod->tolerations);
      });
    });
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
      Field{"affinity", &pod->affinity, scheduling}, Field{"tolerations", tolerations, scheduling});
}

absl::Status ReadStatus(Value value, const Path& at, Pod* pod) {
  return ReadObject(value, at, Field{"phase", &pod->phase},
                    Field{"nominatedNodeName", &pod->nominated_node_name});
}

}  // namespace

absl::Status ReadPod(Value value, const Path& at, const Needs& needs, Pod* pod) {
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const auto metadata = [&](Value object, const Path& place) {
    return ReadMetadata(object, place, needs, pod);
  };
  const auto spec = [&](Value object, const Path& place) {
    return ReadSpec(object, place, needs, pod);
  };
  const auto status = [&](Value object, const Path& place) {
    return ReadStatus(object, place, pod);
  };
  *pod = Pod();
  return ReadObject(value, at, Field{"metadata", metadata},
                    Field{"spec", spec, scheduling || needs.Has(Needs::kPodResources)},
                    Field{"status", status, scheduling});
}

}  // namespace outrigger::json
