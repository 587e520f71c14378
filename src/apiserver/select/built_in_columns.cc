// The columns of pkg/printers/internalversion of Kubernetes 1.37, of the kinds that a scheduler's
// users look at.

#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "apiserver/select/cells.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

Json NumberCell(const CellSource& source) {
  const Json& value = source.first();
  return value.is_number_integer() ? value : Json(0);
}

Json FlagCell(const CellSource& source) {
  return source.first() == true;
}

Json SizeCell(const CellSource& source) {
  size_t size = 0;
  for (const char* map : {"data", "binaryData"}) {
    const Json* const found = ValueAt(source.object, map);
    size += found == nullptr ? 0 : found->size();
  }
  return size;
}

Json NodeStatusCell(const CellSource& source) {
  const std::string_view ready = ConditionOf(source.object, "Ready");
  std::string status = ready.empty() ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
  if (IsTrueAt(source.object, "spec.unschedulable")) status += ",SchedulingDisabled";
  return status;
}

Json NodeRolesCell(const CellSource& source) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [key, value] : source.first().items()) {
    if (key.starts_with(kPrefix)) roles.push_back(key.substr(kPrefix.size()));
  }
  return roles.empty() ? Json() : Json(absl::StrJoin(roles, ","));
}

Json ServicePortsCell(const CellSource& source) {
  std::vector<std::string> texts;
  for (const Json& port : source.first()) {
    texts.push_back(fmt::format("{}/{}", NumberAt(port, "port"), TextAt(port, "protocol")));
  }
  return texts.empty() ? Json() : Json(absl::StrJoin(texts, ","));
}

Json ReadyOfWantedCell(const CellSource& source) {
  return fmt::format("{}/{}", NumberAt(source.object, "status.readyReplicas"),
                     NumberAt(source.object, "spec.replicas"));
}

Json JobStatusCell(const CellSource& source) {
  for (const char* type :
       {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (ConditionOf(source.object, type) == "True") return type;
  }
  return ValueAt(source.object, "metadata.deletionTimestamp") == nullptr ? "Running"
                                                                         : "Terminating";
}

Json JobCompletionsCell(const CellSource& source) {
  const int64_t succeeded = NumberAt(source.object, "status.succeeded");
  const int64_t parallelism = NumberAt(source.object, "spec.parallelism");
  if (ValueAt(source.object, "spec.completions") != nullptr) {
    return fmt::format("{}/{}", succeeded, NumberAt(source.object, "spec.completions"));
  }
  return fmt::format("{}/1{}", succeeded,
                     parallelism > 1 ? fmt::format(" of {}", parallelism) : "");
}

Json JobDurationCell(const CellSource& source) {
  absl::Time end = source.now;
  absl::ParseTime(absl::RFC3339_full, TextAt(source.object, "status.completionTime"), &end,
                  nullptr);
  return AgeCell({source.values, source.object, end});
}

// The last of the times that an event has.
Json EventAgeCell(const CellSource& source) {
  for (const char* path :
       {"series.lastObservedTime", "lastTimestamp", "firstTimestamp", "eventTime"}) {
    const Json* const time = ValueAt(source.object, path);
    if (time != nullptr) return AgeCell({{time}, source.object, source.now});
  }
  return nullptr;
}

Json EventObjectCell(const CellSource& source) {
  const Json& object = source.first();
  const std::string kind = absl::AsciiStrToLower(TextAt(object, "kind"));
  const std::string& name = TextAt(object, "name");
  return name.empty() ? kind : fmt::format("{}/{}", kind, name);
}

Json EventSourceCell(const CellSource& source) {
  const std::string& component = TextAt(source.object, "source.component");
  return component.empty() ? TextAt(source.object, "reportingComponent") : component;
}

Json PhaseCell(const CellSource& source) {
  if (ValueAt(source.object, "metadata.deletionTimestamp") != nullptr) return "Terminating";
  return TextAt(source.object, "status.phase");
}

Json AccessModesCell(const CellSource& source) {
  static const std::map<std::string, std::string> texts = {{"ReadWriteOnce", "RWO"},
                                                           {"ReadOnlyMany", "ROX"},
                                                           {"ReadWriteMany", "RWX"},
                                                           {"ReadWriteOncePod", "RWOP"}};
  return absl::StrJoin(source.values, ",", [](std::string* text, const Json* mode) {
    const auto found = texts.find(TextAt(*mode, ""));
    *text += found == texts.end() ? "" : found->second;
  });
}

Json ReferenceCell(const CellSource& source) {
  const Json& reference = source.first();
  if (reference.is_null()) return nullptr;
  return fmt::format("{}/{}", TextAt(reference, "namespace"), TextAt(reference, "name"));
}

Json ResourceClaimCell(const CellSource& source) {
  const bool deleted = ValueAt(source.object, "metadata.deletionTimestamp") != nullptr;
  if (ValueAt(source.object, "status.allocation") == nullptr) {
    return deleted ? "deleted" : "pending";
  }
  return fmt::format("{}allocated{}", deleted ? "deleted," : "",
                     ListAt(source.object, "status.reservedFor").empty() ? "" : ",reserved");
}

constexpr const char* kBirth = ".metadata.creationTimestamp";

constexpr ColumnRow kColumnRows[] = {
    {"Pod", "Ready", ".", PodReadyCell},
    {"Pod", "Status", ".", PodStatusCell},
    {"Pod", "Restarts", ".", PodRestartsCell},
    {"Pod", "Age", kBirth, AgeCell, "<unknown>"},
    {"Pod", "*IP", ".status.podIPs[0].ip", TextCell, "<none>"},
    {"Pod", "*Node", ".spec.nodeName", TextCell, "<none>"},
    {"Pod", "*Nominated Node", ".status.nominatedNodeName", TextCell, "<none>"},
    {"Pod", "*Readiness Gates", ".", PodGatesCell, "<none>"},
    {"Node", "Status", ".", NodeStatusCell},
    {"Node", "Roles", ".metadata.labels", NodeRolesCell, "<none>"},
    {"Node", "Age", kBirth, AgeCell, "<unknown>"},
    {"Node", "Version", ".status.nodeInfo.kubeletVersion", TextCell},
    {"Node", "*Internal-IP", ".status.addresses[?(@.type=='InternalIP')].address", TextCell,
     "<none>"},
    {"Node", "*External-IP", ".status.addresses[?(@.type=='ExternalIP')].address", TextCell,
     "<none>"},
    {"Node", "*OS-Image", ".status.nodeInfo.osImage", TextCell, "<unknown>"},
    {"Node", "*Kernel-Version", ".status.nodeInfo.kernelVersion", TextCell, "<unknown>"},
    {"Node", "*Container-Runtime", ".status.nodeInfo.containerRuntimeVersion", TextCell,
     "<unknown>"},
    {"Namespace", "Status", ".status.phase", TextCell},
    {"Namespace", "Age", kBirth, AgeCell, "<unknown>"},
    {"Service", "Type", ".spec.type", TextCell},
    {"Service", "Cluster-IP", ".spec.clusterIP", TextCell, "<none>"},
    {"Service", "External-IP", ".spec.externalIPs[*]", TextCell, "<none>"},
    {"Service", "Port(s)", ".spec.ports", ServicePortsCell, "<none>"},
    {"Service", "Age", kBirth, AgeCell, "<unknown>"},
    {"PersistentVolume", "Capacity", ".spec.capacity.storage", TextCell, "0"},
    {"PersistentVolume", "Access Modes", ".spec.accessModes[*]", AccessModesCell},
    {"PersistentVolume", "Reclaim Policy", ".spec.persistentVolumeReclaimPolicy", TextCell},
    {"PersistentVolume", "Status", ".", PhaseCell},
    {"PersistentVolume", "Claim", ".spec.claimRef", ReferenceCell},
    {"PersistentVolume", "StorageClass", ".spec.storageClassName", TextCell},
    {"PersistentVolume", "Age", kBirth, AgeCell, "<unknown>"},
    {"PersistentVolumeClaim", "Status", ".", PhaseCell},
    {"PersistentVolumeClaim", "Volume", ".spec.volumeName", TextCell},
    {"PersistentVolumeClaim", "Capacity", ".status.capacity.storage", TextCell},
    {"PersistentVolumeClaim", "Access Modes", ".status.accessModes[*]", AccessModesCell},
    {"PersistentVolumeClaim", "StorageClass", ".spec.storageClassName", TextCell},
    {"PersistentVolumeClaim", "Age", kBirth, AgeCell, "<unknown>"},
    {"ConfigMap", "Data", ".", SizeCell},
    {"ConfigMap", "Age", kBirth, AgeCell, "<unknown>"},
    {"Secret", "Type", ".type", TextCell},
    {"Secret", "Data", ".", SizeCell},
    {"Secret", "Age", kBirth, AgeCell, "<unknown>"},
    {"Event", "Last Seen", ".", EventAgeCell, "<unknown>"},
    {"Event", "Type", ".type", TextCell},
    {"Event", "Reason", ".reason", TextCell},
    {"Event", "Object", ".involvedObject", EventObjectCell},
    {"Event", "*Source", ".", EventSourceCell},
    {"Event", "Message", ".message", TextCell},
    {"Event", "*!Name", ".metadata.name", TextCell},
    {"apps/Deployment", "Ready", ".", ReadyOfWantedCell},
    {"apps/Deployment", "Up-to-date", ".status.updatedReplicas", NumberCell},
    {"apps/Deployment", "Available", ".status.availableReplicas", NumberCell},
    {"apps/Deployment", "Age", kBirth, AgeCell, "<unknown>"},
    {"apps/ReplicaSet", "#Desired", ".spec.replicas", NumberCell},
    {"apps/ReplicaSet", "#Current", ".status.replicas", NumberCell},
    {"apps/ReplicaSet", "#Ready", ".status.readyReplicas", NumberCell},
    {"apps/ReplicaSet", "Age", kBirth, AgeCell, "<unknown>"},
    {"apps/StatefulSet", "Ready", ".", ReadyOfWantedCell},
    {"apps/StatefulSet", "Age", kBirth, AgeCell, "<unknown>"},
    {"batch/Job", "Status", ".", JobStatusCell},
    {"batch/Job", "Completions", ".", JobCompletionsCell},
    {"batch/Job", "Duration", ".status.startTime", JobDurationCell},
    {"batch/Job", "Age", kBirth, AgeCell, "<unknown>"},
    {"policy/PodDisruptionBudget", "Min Available", ".spec.minAvailable", TextCell, "N/A"},
    {"policy/PodDisruptionBudget", "Max Unavailable", ".spec.maxUnavailable", TextCell, "N/A"},
    {"policy/PodDisruptionBudget", "#Allowed Disruptions", ".status.disruptionsAllowed",
     NumberCell},
    {"policy/PodDisruptionBudget", "Age", kBirth, AgeCell, "<unknown>"},
    {"scheduling.k8s.io/PriorityClass", "#Value", ".value", NumberCell},
    {"scheduling.k8s.io/PriorityClass", "?Global-Default", ".globalDefault", FlagCell},
    {"scheduling.k8s.io/PriorityClass", "Age", kBirth, AgeCell, "<unknown>"},
    {"scheduling.k8s.io/PriorityClass", "PreemptionPolicy", ".preemptionPolicy", TextCell},
    {"coordination.k8s.io/Lease", "Holder", ".spec.holderIdentity", TextCell},
    {"coordination.k8s.io/Lease", "Age", kBirth, AgeCell, "<unknown>"},
    {"storage.k8s.io/StorageClass", "Provisioner", ".provisioner", TextCell},
    {"storage.k8s.io/StorageClass", "ReclaimPolicy", ".reclaimPolicy", TextCell, "Delete"},
    {"storage.k8s.io/StorageClass", "VolumeBindingMode", ".volumeBindingMode", TextCell,
     "Immediate"},
    {"storage.k8s.io/StorageClass", "AllowVolumeExpansion", ".allowVolumeExpansion", FlagCell},
    {"storage.k8s.io/StorageClass", "Age", kBirth, AgeCell, "<unknown>"},
    {"resource.k8s.io/ResourceClaim", "State", ".", ResourceClaimCell},
    {"resource.k8s.io/ResourceClaim", "Age", kBirth, AgeCell, "<unknown>"},
    {"resource.k8s.io/ResourceSlice", "Node", ".spec.nodeName", TextCell},
    {"resource.k8s.io/ResourceSlice", "Driver", ".spec.driver", TextCell},
    {"resource.k8s.io/ResourceSlice", "Pool", ".spec.pool.name", TextCell},
    {"resource.k8s.io/ResourceSlice", "Age", kBirth, AgeCell, "<unknown>"},
    {"apiextensions.k8s.io/CustomResourceDefinition", "Created At", kBirth, TextCell},
};

}  // namespace

std::span<const ColumnRow> BuiltInColumns() {
  return kColumnRows;
}

Json TextCell(const CellSource& source) {
  std::vector<std::string> texts;
  for (const Json* value : source.values) {
    texts.push_back(value->is_string() ? value->get<std::string>() : value->dump());
  }
  std::string text = absl::StrJoin(texts, ",");
  return text.empty() ? Json() : Json(text);
}

Json AgeCell(const CellSource& source) {
  absl::Time time;
  const std::string& text = TextAt(source.first(), "");
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) return nullptr;
  return AgeText(source.now - time);
}

}  // namespace outrigger::apiserver
