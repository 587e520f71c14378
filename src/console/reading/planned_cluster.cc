#include "console/reading/planned_cluster.h"

#include <utility>

#include "console/format/text.h"
#include "console/reading/cluster_objects.h"
#include "fmt/format.h"
#include "gang/plan/pods.h"
#include "kube/resource.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// More would hide what a person wants to see.
constexpr size_t kMostNotes = 100;

cluster::ClusterOptions ViewOptions() {
  cluster::ClusterOptions options;
  options.indexes = {plan::PlannedPodsIndex()};
  return options;
}

// kNone for what is no PodGroup that anybody plans.
Dialect DialectOf(std::string_view api_version) {
  for (const kube::PodGroupKind& kind : kube::kPodGroupKinds) {
    kube::Resource resource = kind.resource;
    for (const std::string_view version : kind.versions) {
      resource.version = version;
      if (api_version == kube::ApiVersionOf(resource)) return kind.dialect;
    }
  }
  return Dialect::kNone;
}

void AddNotes(std::vector<json::MalformedValue> malformed, const std::string& owner,
              std::vector<std::string>* notes) {
  for (json::MalformedValue& value : malformed) {
    if (notes->size() >= kMostNotes) return;
    value.node.clear();
    notes->push_back(NoteOf(value, owner));
  }
}

}  // namespace

ClusterTaker::ClusterTaker(std::string where, std::string expected)
    : expected_(std::move(expected)), cluster_(ViewOptions()) {
  result_.where = std::move(where);
}

absl::Status ClusterTaker::Take(const json::ListedObject& object) {
  ++kinds_[std::string(object.kind.substr(0, 64))];
  if (object.kind == "Node") return TakeNode(object);
  if (object.kind == "Pod") return TakePod(object);
  if (object.kind == "PodGroup") return TakePodGroup(object);
  if (object.kind == "PriorityClass") return TakePriorityClass(object);
  if (object.kind == kube::kVolumes.kind) return TakeVolume(object);
  if (object.kind == kube::kVolumeClaims.kind) return TakeVolumeClaim(object);
  if (object.kind == kube::kDeviceClaims.kind) return TakeDeviceClaim(object);
  if (object.kind == kube::kDeviceClasses.kind) return TakeDeviceClass(object);
  return absl::OkStatus();
}

absl::Status ClusterTaker::TakeName(std::string name) {
  const auto [at, is_new] = names_.insert(std::move(name));
  if (is_new) return absl::OkStatus();
  return absl::InvalidArgumentError(Printable(fmt::format("{} is given twice", *at)));
}

absl::Status ClusterTaker::TakeNode(const json::ListedObject& object) {
  Node node;
  std::vector<json::MalformedValue> malformed;
  absl::Status status = json::DecodeNode(object, Needs::All(), &node, &malformed);
  if (status.ok()) status = TakeName("node " + node.name);
  if (!status.ok()) return status;
  AddNotes(std::move(malformed), "node " + node.name, &result_.notes);
  cluster_.UpsertNode(node);
  return absl::OkStatus();
}

absl::Status ClusterTaker::TakePod(const json::ListedObject& object) {
  Pod pod;
  std::vector<json::MalformedValue> malformed;
  absl::Status status = json::DecodePod(object, Needs::All(), &pod, &malformed);
  const std::string name = fmt::format("pod {}/{}", pod.namespace_, pod.name);
  if (status.ok()) status = TakeName(name);
  if (!status.ok()) return status;
  AddNotes(std::move(malformed), name, &result_.notes);
  pod.resize_counting = counting_;
  cluster_.UpsertPod(pod);
  return absl::OkStatus();
}

absl::Status ClusterTaker::TakePodGroup(const json::ListedObject& object) {
  const Dialect dialect = DialectOf(object.api_version);
  if (dialect == Dialect::kNone) {
    const std::string note =
        Printable(fmt::format("PodGroups of apiVersion \"{}\" are ignored: not supported",
                              object.api_version.substr(0, 64)));
    if (names_.insert(note).second) result_.notes.push_back(note);
    NoteUnknownVersion(object.api_version.substr(0, 64));
    return absl::OkStatus();
  }
  PodGroup group;
  std::vector<json::MalformedValue> malformed;
  absl::Status status = json::DecodePodGroup(object, dialect, &group, &malformed);
  const std::string name =
      fmt::format("PodGroup {}/{} ({})", group.namespace_, group.name, object.api_version);
  if (status.ok()) status = TakeName(name);
  if (!status.ok()) return status;
  AddNotes(std::move(malformed), name, &result_.notes);
  Serve(dialect);
  result_.pod_groups.push_back(std::move(group));
  return absl::OkStatus();
}

void ClusterTaker::NoteUnknownVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  for (const kube::PodGroupKind& kind : kube::kPodGroupKinds) {
    if (api_version.substr(0, slash) != kind.resource.group || slash == api_version.npos) continue;
    const std::string version = Printable(std::string(api_version.substr(slash + 1)));
    result_.unknown_versions.try_emplace(kind.dialect, version);
  }
}

absl::Status ClusterTaker::TakePriorityClass(const json::ListedObject& object) {
  std::string name;
  int32_t value = 0;
  absl::Status status = json::DecodePriorityClass(object, &name, &value);
  if (status.ok()) status = TakeName("PriorityClass " + name);
  if (status.ok()) result_.priority_classes.emplace(std::move(name), value);
  return status;
}

absl::Status ClusterTaker::TakeVolume(const json::ListedObject& object) {
  Volume volume;
  absl::Status status = json::DecodeVolume(object, &volume);
  if (status.ok()) status = TakeName("PersistentVolume " + volume.name);
  if (status.ok()) claims_.Put(std::move(volume));
  return status;
}

absl::Status ClusterTaker::TakeVolumeClaim(const json::ListedObject& object) {
  VolumeClaim claim;
  absl::Status status = json::DecodeVolumeClaim(object, &claim);
  if (status.ok()) {
    status = TakeName(fmt::format("PersistentVolumeClaim {}/{}", claim.namespace_, claim.name));
  }
  if (status.ok()) claims_.Put(std::move(claim));
  return status;
}

absl::Status ClusterTaker::TakeDeviceClaim(const json::ListedObject& object) {
  DeviceClaim claim;
  absl::Status status = json::DecodeDeviceClaim(object, &claim);
  if (status.ok()) {
    status = TakeName(fmt::format("ResourceClaim {}/{}", claim.namespace_, claim.name));
  }
  if (status.ok()) claims_.Put(std::move(claim));
  return status;
}

absl::Status ClusterTaker::TakeDeviceClass(const json::ListedObject& object) {
  DeviceClass read;
  absl::Status status = json::DecodeDeviceClass(object, &read);
  if (status.ok()) status = TakeName("DeviceClass " + read.name);
  if (status.ok()) AddDeviceResources(read, &result_.device_resources);
  return status;
}

absl::StatusOr<PlannedCluster> ClusterTaker::Finish() {
  result_.snapshot = cluster_.Take();
  result_.claims = claims_.Take();
  std::erase_if(result_.unknown_versions,
                [this](const auto& entry) { return result_.served.Has(entry.first); });
  if (result_.snapshot->node_count() == 0) {
    return NoNodes(result_.where, kinds_, expected_);
  }
  return std::move(result_);
}

}  // namespace outrigger::cli
