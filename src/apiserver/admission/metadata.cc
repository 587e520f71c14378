// Rules of metadata (apimachinery/pkg/api/validation/objectmeta.go) and of kinds' strategies.

#include <algorithm>
#include <ctime>
#include <string_view>

#include "apiserver/admission/admission.h"
#include "apiserver/admission/rules.h"
#include "apiserver/select/field_path.h"
#include "fmt/chrono.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr size_t kMostAnnotationBytes = size_t{256} << 10;

// "": it may be called so.
std::string WhyNoName(const KindName& kind, const std::string& name) {
  if (kind.group == "rbac.authorization.k8s.io") {
    const bool is_segment = name != "." && name != ".." && name.find_first_of("/%") == name.npos;
    return is_segment ? "" : "may not be a part of a path, nor contain '/' or '%'";
  }
  const bool is_label = kind.group.empty() && (kind.kind == "Namespace" || kind.kind == "Service");
  if (is_label) return IsDnsLabel(name) ? "" : kLabelRule;
  if (name.size() > 253) return "must be no more than 253 characters";
  return IsDnsSubdomain(name) ? "" : kSubdomainRule;
}

void CheckKeys(const Json& map, const char* at, Causes* causes) {
  for (const auto& [key, value] : map.items()) {
    if (!IsLabelKey(key)) causes->push_back(InvalidValue(at, key, kKeyRule));
  }
}

void CheckMaps(const Json& metadata, Causes* causes) {
  CheckKeys(PartOf(metadata, "labels"), "metadata.labels", causes);
  for (const Json& value : PartOf(metadata, "labels")) {
    if (IsLabelValue(TextAt(value, ""))) continue;
    const bool is_long = TextAt(value, "").size() > 63;
    causes->push_back(InvalidValue("metadata.labels", value,
                                   is_long ? "must be no more than 63 bytes" : kValueRule));
  }
  const Json& annotations = PartOf(metadata, "annotations");
  CheckKeys(annotations, "metadata.annotations", causes);
  size_t bytes = 0;
  for (const auto& [key, value] : annotations.items())
    bytes += key.size() + TextAt(value, "").size();
  if (bytes <= kMostAnnotationBytes) return;
  causes->push_back({"FieldValueTooLong",
                     fmt::format("Too long: may not be more than {} bytes", kMostAnnotationBytes),
                     "metadata.annotations"});
}

void CheckOwners(const Json& metadata, Causes* causes) {
  const Json& owners = ListAt(metadata, "ownerReferences");
  size_t controllers = 0;
  for (size_t i = 0; i < owners.size(); ++i) {
    for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
      if (!TextAt(owners[i], key).empty()) continue;
      causes->push_back(RequiredValue(fmt::format("metadata.ownerReferences[{}].{}", i, key),
                                      "must not be empty"));
    }
    controllers += IsTrueAt(owners[i], "controller");
  }
  if (controllers < 2) return;
  causes->push_back(InvalidValue("metadata.ownerReferences", owners,
                                 "Only one reference can have Controller set to true"));
}

void CheckFinalizers(const Json& metadata, Causes* causes) {
  for (const Json& finalizer : ListAt(metadata, "finalizers")) {
    const std::string& name = TextAt(finalizer, "");
    const bool is_standard =
        name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (is_standard || (IsLabelKey(name) && name.find('/') != name.npos)) continue;
    causes->push_back(
        InvalidValue("metadata.finalizers", name,
                     "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

}  // namespace

Causes CheckMetadata(const KindName& kind, bool namespaced, const Json& object) {
  Causes causes;
  const Json& metadata = object.at("metadata");
  const std::string name = metadata.value("name", "");
  // What it ends with is the server's.
  std::string prefix = metadata.value("generateName", "");
  if (prefix.ends_with('-')) prefix.back() = 'a';
  if (const std::string why = prefix.empty() ? "" : WhyNoName(kind, prefix); !why.empty()) {
    causes.push_back(InvalidValue("metadata.generateName", metadata["generateName"], why));
  }
  if (name.empty()) {
    causes.push_back(RequiredValue("metadata.name", "name or generateName is required"));
  } else if (const std::string why = WhyNoName(kind, name); !why.empty()) {
    causes.push_back(InvalidValue("metadata.name", name, why));
  }
  if (!namespaced && !metadata.value("namespace", "").empty()) {
    causes.push_back(ForbiddenValue("metadata.namespace", "not allowed on this type"));
  }
  CheckMaps(metadata, &causes);
  CheckOwners(metadata, &causes);
  CheckFinalizers(metadata, &causes);
  return causes;
}

bool KeepsStatusOfCreate(const KindName& kind) {
  return kind == KindName{"", "Node"} || kind == KindName{"", "PersistentVolume"} ||
         kind == KindName{"storage.k8s.io", "VolumeAttachment"};
}

bool HasGeneration(const KindName& kind) {
  constexpr std::string_view kKinds[] = {"Pod",
                                         "Deployment",
                                         "ReplicaSet",
                                         "ReplicationController",
                                         "Job",
                                         "StatefulSet",
                                         "DaemonSet",
                                         "CronJob",
                                         "PodDisruptionBudget",
                                         "NetworkPolicy",
                                         "PriorityClass",
                                         "CustomResourceDefinition",
                                         "ResourceSlice",
                                         "DeviceClass"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind.kind) != std::end(kKinds);
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace outrigger::apiserver
