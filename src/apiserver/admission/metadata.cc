// Rules of metadata (apimachinery/pkg/api/validation/objectmeta.go) and of kinds' strategies.

#include <array>
#include <ctime>
#include <string_view>

#include "apiserver/admission/admission.h"
#include "fmt/chrono.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kServiceRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kKeyRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr size_t kMostAnnotationBytes = size_t{256} << 10;

std::string WhyNoName(const KindName& kind, const std::string& name) {
  if (kind.group == "rbac.authorization.k8s.io") {
    if (name == "." || name == "..") return fmt::format("may not be '{}'", name);
    for (const char c : {'/', '%'}) {
      if (name.find(c) != name.npos) return fmt::format("may not contain '{}'", c);
    }
    return "";
  }
  if (kind.kind == "Namespace" && kind.group.empty()) {
    if (name.find('.') != name.npos) return "must not contain dots";
    return IsDnsLabel(name) ? "" : std::string(kLabelRule);
  }
  if (kind.kind == "Service" && kind.group.empty()) {
    const bool starts_well = !name.empty() && name[0] >= 'a' && name[0] <= 'z';
    return IsDnsLabel(name) && starts_well ? "" : std::string(kServiceRule);
  }
  if (name.size() > 253) return "must be no more than 253 characters";
  return IsDnsSubdomain(name) ? "" : std::string(kSubdomainRule);
}

void CheckMaps(const Json& metadata, std::vector<Cause>* causes) {
  if (const auto labels = metadata.find("labels"); labels != metadata.end()) {
    for (const auto& [key, value] : labels->items()) {
      if (!IsLabelKey(key)) {
        causes->push_back(InvalidValue("metadata.labels", key, std::string(kKeyRule)));
      }
      if (!IsLabelValue(value.get<std::string>())) {
        const bool is_long = value.get_ref<const std::string&>().size() > 63;
        causes->push_back(
            InvalidValue("metadata.labels", value,
                         is_long ? "must be no more than 63 bytes" : std::string(kValueRule)));
      }
    }
  }
  const auto annotations = metadata.find("annotations");
  if (annotations == metadata.end()) return;
  size_t bytes = 0;
  for (const auto& [key, value] : annotations->items()) {
    bytes += key.size() + value.get_ref<const std::string&>().size();
    if (!IsLabelKey(key)) {
      causes->push_back(InvalidValue("metadata.annotations", key, std::string(kKeyRule)));
    }
  }
  if (bytes > kMostAnnotationBytes) {
    causes->push_back({"FieldValueTooLong",
                       fmt::format("Too long: may not be more than {} bytes", kMostAnnotationBytes),
                       "metadata.annotations"});
  }
}

void CheckOwners(const Json& metadata, std::vector<Cause>* causes) {
  const auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end()) return;
  std::vector<std::string> controllers;
  for (size_t i = 0; i < owners->size(); ++i) {
    const Json& owner = (*owners)[i];
    const std::string at = fmt::format("metadata.ownerReferences[{}].", i);
    for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
      if (owner.value(key, "").empty()) {
        causes->push_back(RequiredValue(at + key, "must not be empty"));
      }
    }
    if (!owner.value("controller", false)) continue;
    controllers.push_back(fmt::format("{}/{}", owner.value("kind", ""), owner.value("name", "")));
  }
  if (controllers.size() > 1) {
    causes->push_back(
        InvalidValue("metadata.ownerReferences", *owners,
                     fmt::format("Only one reference can have Controller set to true. Found "
                                 "\"true\" in references for {} and {}",
                                 controllers[0], controllers[1])));
  }
}

void CheckFinalizers(const Json& metadata, std::vector<Cause>* causes) {
  const auto finalizers = metadata.find("finalizers");
  if (finalizers == metadata.end()) return;
  for (size_t i = 0; i < finalizers->size(); ++i) {
    const std::string name = (*finalizers)[i];
    if (!IsLabelKey(name)) {
      causes->push_back(InvalidValue("metadata.finalizers", name, std::string(kKeyRule)));
    }
    const bool is_standard =
        name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
    if (is_standard || name.find('/') != name.npos) continue;
    causes->push_back(
        InvalidValue(fmt::format("metadata.finalizers[{}]", i), name,
                     "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

}  // namespace

std::vector<Cause> CheckMetadata(const KindName& kind, bool namespaced, const Json& object) {
  std::vector<Cause> causes;
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
  static const std::array<KindName, 3> kKinds = {
      {{"", "Node"}, {"", "PersistentVolume"}, {"storage.k8s.io", "VolumeAttachment"}}};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

bool HasGeneration(const KindName& kind) {
  static const std::array<KindName, 14> kKinds = {
      {{"", "Pod"},
       {"", "ReplicationController"},
       {"apps", "Deployment"},
       {"apps", "ReplicaSet"},
       {"apps", "StatefulSet"},
       {"apps", "DaemonSet"},
       {"batch", "Job"},
       {"batch", "CronJob"},
       {"policy", "PodDisruptionBudget"},
       {"networking.k8s.io", "NetworkPolicy"},
       {"scheduling.k8s.io", "PriorityClass"},
       {"apiextensions.k8s.io", "CustomResourceDefinition"},
       {"resource.k8s.io", "ResourceSlice"},
       {"resource.k8s.io", "DeviceClass"}}};
  return std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace outrigger::apiserver
