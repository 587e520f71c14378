// Field numbers: k8s.io/api/core/v1/generated.proto and
// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto, v0.36.

#include <optional>
#include <utility>

#include "json/accepted.h"
#include "json/taint_effect.h"
#include "protobuf/object_readers.h"
#include "protobuf/pod_reading.h"
#include "protobuf/reader.h"

namespace outrigger::protobuf {
namespace {

absl::Status ReadContainer(Bytes bytes, const Path& at, Container* container) {
  std::string_view restart_policy;
  const auto resources = [container](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &container->limits},
                       Field{2, "requests", &container->requests});
  };
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "name", &container->name}, Field{8, "resources", resources},
                  Field{24, "restartPolicy", &restart_policy});
  container->requests.Normalize();
  container->limits.Normalize();
  container->restart_always = restart_policy == "Always";
  return status;
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

// Keeps the owner if it is the controller; there is one at most.
absl::Status KeepController(Bytes bytes, const Path& at,
                            std::optional<OwnerReference>* controller) {
  OwnerReference owner;
  bool is_controller = false;
  absl::Status status =
      ReadMessage(bytes, at, Field{1, "kind", &owner.kind}, Field{3, "name", &owner.name},
                  Field{4, "uid", &owner.uid}, Field{6, "controller", &is_controller});
  if (is_controller) *controller = std::move(owner);
  return status;
}

absl::Status ReadGate(Bytes bytes, const Path& at, std::string* name) {
  return ReadMessage(bytes, at, Field{1, "name", name});
}

absl::Status ReadMetadata(Bytes bytes, const Path& at, PodReading* reading) {
  const bool metadata = reading->needs.Has(Needs::kPodMetadata);
  const bool life = reading->needs.Has(Needs::kPodStatus);
  Pod* const pod = reading->pod;
  const auto created = [pod](Bytes time, const Path& place) {
    std::optional<int64_t> seconds;
    absl::Status status = ReadTime(time, place, &seconds);
    pod->creation_time = seconds.value_or(0);
    return status;
  };
  const auto deleted = [pod](Bytes time, const Path& place) {
    std::optional<int64_t> seconds;
    absl::Status status = ReadTime(time, place, &seconds);
    pod->being_deleted = seconds.has_value();
    return status;
  };
  const auto owner = [pod](Bytes message, const Path& place) {
    return KeepController(message, place, &pod->controller);
  };
  return ReadMessage(
      bytes, at, Field{1, "name", &pod->name}, Field{3, "namespace", &pod->namespace_},
      Field{5, "uid", &pod->uid}, Field{6, "resourceVersion", &pod->resource_version, life},
      Field{8, "creationTimestamp", created, life}, Field{9, "deletionTimestamp", deleted, life},
      Field{11, "labels", &pod->labels, metadata},
      Field{12, "annotations", &pod->annotations, metadata},
      Field{13, "ownerReferences", Counted(&reading->owners, owner), life});
}

absl::Status ReadSpec(Bytes bytes, const Path& at, PodReading* reading) {
  const bool resources = reading->needs.Has(Needs::kPodResources);
  const bool scheduling = reading->needs.Has(Needs::kPodScheduling);
  Pod* const pod = reading->pod;
  const auto toleration = [pod](Bytes message, const Path& place) {
    return AppendToleration(message, place, &pod->tolerations);
  };
  const auto pod_resources = [pod](Bytes message, const Path& place) {
    return ReadMessage(message, place, Field{1, "limits", &pod->pod_limits},
                       Field{2, "requests", &pod->pod_requests});
  };
  return ReadMessage(
      bytes, at, Field{2, "containers", Into(&pod->containers, ReadContainer), resources},
      Field{7, "nodeSelector", &pod->node_selector, scheduling},
      Field{10, "nodeName", &pod->node_name, scheduling},
      Field{18, "affinity", Into(&pod->affinity, ReadAffinity), scheduling},
      Field{19, "schedulerName", &pod->scheduler_name, scheduling},
      Field{20, "initContainers", Into(&pod->init_containers, ReadContainer), resources},
      Field{22, "tolerations", Counted(&reading->tolerations, toleration), scheduling},
      Field{24, "priorityClassName", &pod->priority_class_name, scheduling},
      Field{25, "priority", &pod->priority, scheduling},
      Field{32, "overhead", &pod->overhead, resources},
      Field{38, "schedulingGates", Into(&pod->scheduling_gates, ReadGate),
            reading->needs.Has(Needs::kPodStatus)},
      Field{40, "resources", pod_resources, resources});
}

void Normalize(Pod* pod) {
  pod->labels.Normalize();
  pod->annotations.Normalize();
  pod->node_selector.Normalize();
  pod->overhead.Normalize();
  pod->status_allocated.Normalize();
  if (pod->pod_requests) pod->pod_requests->Normalize();
  if (pod->pod_limits) pod->pod_limits->Normalize();
  if (pod->status_requests) pod->status_requests->Normalize();
}

}  // namespace

absl::Status ReadPod(std::string_view object, const Path& at, const Needs& needs, Pod* pod) {
  const bool scheduling = needs.Has(Needs::kPodScheduling);
  const bool life = needs.Has(Needs::kPodStatus);
  PodReading reading{needs, pod};
  *pod = Pod();
  absl::Status status =
      ReadMessage(object, at, Field{1, "metadata", Into(&reading, ReadMetadata)},
                  Field{2, "spec", Into(&reading, ReadSpec),
                        scheduling || life || needs.Has(Needs::kPodResources)},
                  Field{3, "status", Into(&reading, ReadPodStatus), scheduling || life});
  Normalize(pod);
  return status;
}

}  // namespace outrigger::protobuf
