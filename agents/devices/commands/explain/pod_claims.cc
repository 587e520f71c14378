#include "devices/commands/explain/pod_claims.h"

#include <algorithm>
#include <utility>

#include "cluster/cluster.h"
#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "console/reading/object_file.h"
#include "devices/commands/claims/asked.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

bool HasClaims(const Pod& pod) {
  return pod.annotations.Contains(devices::kClaimsAnnotation);
}

bool MentionsClaims(const std::string& text) {
  return text.find(devices::kClaimsAnnotation) != std::string::npos ||
         text.find("eviceClaims") != std::string::npos;  // in either case
}

// Takes a node or a pod, as far as it can be read.
absl::Status PutInto(const json::ListedObject& object, cluster::Cluster* to) {
  std::vector<json::MalformedValue> malformed;
  absl::Status status;
  if (object.kind == "Node") {
    Node node;
    status = json::DecodeNode(object, Needs::All(), &node, &malformed);
    if (status.ok()) to->UpsertNode(node);
  } else if (object.kind == "Pod") {
    Pod pod;
    status = json::DecodePod(object, Needs::All(), &pod, &malformed);
    if (status.ok()) to->UpsertPod(pod);
  }
  return status;
}

}  // namespace

PodClaims::PodClaims(const std::vector<Pod>& pods, const std::optional<File>& file, bool is_live,
                     const std::string& name_space, ClusterObjects* cluster,
                     std::vector<std::string>* notes)
    : is_live_(is_live) {
  const bool any = std::any_of(pods.begin(), pods.end(), HasClaims) ||
                   (file.has_value() && MentionsClaims(file->text));
  if (!any) return;
  const absl::Status status = Read(pods, file, is_live, name_space, cluster, notes);
  if (status.ok()) return;
  objects_.reset();
  notes->push_back(
      fmt::format("device claims cannot be explained: {}", std::string(status.message())));
}

absl::Status PodClaims::Read(const std::vector<Pod>& pods, const std::optional<File>& file,
                             bool is_live, const std::string& name_space, ClusterObjects* cluster,
                             std::vector<std::string>* notes) {
  DeviceTaker taker(name_space.empty() ? "default" : name_space);
  const auto take = [&taker](const json::ListedObject& object) { return taker.Take(object); };
  if (file.has_value()) {
    taker.Begin(file->name);
    absl::Status status = ForEachObjectInFile(file->name, file->text, take);
    if (!status.ok()) return status;
  }
  taker.BeginCluster("the cluster", /*gives_way=*/true);
  std::optional<PodName> named;
  if (is_live && !file.has_value()) named = PodName{pods.front().namespace_, pods.front().name};
  cluster::Cluster room{cluster::ClusterOptions()};
  const auto take_both = [&](const json::ListedObject& object) {
    const absl::Status placed = PutInto(object, &room);
    return placed.ok() ? take(object) : placed;
  };
  absl::Status status = cluster->ForEachDeviceObject(named ? &*named : nullptr, take_both, notes);
  if (!status.ok()) return status;
  if (is_live) {
    status = cluster->ForEachPod(/*with_classes=*/false, [&room](const json::ListedObject& pod) {
      return PutInto(pod, &room);
    });
  }
  if (status.ok()) {
    snapshot_ = room.Take();
  } else {
    notes->push_back(
        fmt::format("room on nodes is not checked: {}", std::string(status.message())));
  }
  std::vector<std::string> others;  // that there are other objects is no news here
  objects_ = taker.Finish(&others);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ExplainedClaims>> PodClaims::Explain(
    const Pod& pod, const std::vector<std::string>& shown) {
  if (!objects_.has_value()) return std::nullopt;
  const auto found = FindPod(*objects_, fmt::format("{}/{}", pod.namespace_, pod.name));
  if (!found.ok()) return std::nullopt;  // a pod of a template
  if ((*found)->claims.empty() && (*found)->fault.empty()) return std::nullopt;
  absl::StatusOr<AskedClaims> asked = ClaimsOf(**found, &*objects_);
  if (!asked.ok()) return asked.status();
  PlacementOptions options{.always_resolve = is_live_, .knows_namespaces = is_live_};
  if (snapshot_ != nullptr && pod.node_name.empty()) {
    const auto room = std::make_shared<const PodRoom>(snapshot_, nullptr, pod);
    options.why_no_room = [room](const std::string& node) { return room->WhyNot(node); };
  }
  placements_.push_back(
      std::make_unique<Placement>(*objects_, *std::move(asked), std::move(options)));
  return ExplainClaims(*placements_.back(), shown);
}

}  // namespace outrigger::cli
