#include "console/reading/live_cluster.h"

#include <array>
#include <string_view>
#include <utility>

#include "codec/json/body.h"
#include "codec/json/object_list.h"
#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "kube/resource.h"
#include "kube/server_version.h"
#include "kube/stream/list_page.h"
#include "kube/transport/client.h"
#include "kube/watch/served_versions.h"
#include "kube/write/custom_object.h"
#include "outrigger/agent/custom_objects.h"

namespace outrigger::cli {
namespace {

// The newest first.
constexpr std::array<std::string_view, 2> kDraVersions = {"v1", "v1beta2"};

// Large pages are memory here and at the server; small ones are round trips.
constexpr const char* kPageSize = "500";

class LiveCluster final : public ClusterObjects {
 public:
  LiveCluster(std::unique_ptr<kube::Client> client, std::string server)
      : client_(std::move(client)), server_(std::move(server)) {}

  absl::StatusOr<FoundObjects> Find(const PodName* pod, bool with_all_pods) override {
    std::optional<PodName> wanted;
    if (pod != nullptr) {
      wanted = *pod;
      if (wanted->name_space.empty()) wanted->name_space = client_->default_namespace();
    }
    ObjectPicker picker(server_, wanted ? &*wanted : nullptr, "");
    absl::Status status =
        ForEachOf(kube::kNodes, kube::PathOf(kube::kNodes),
                  [&](const json::ListedObject& object) { return picker.Take(object); });
    if (status.ok() && wanted) status = TakePod(*wanted, &picker);
    if (status.ok() && with_all_pods) status = PlacePods(&picker);
    if (!status.ok()) return status;
    return picker.Finish();
  }

  absl::StatusOr<PlannedCluster> ReadPlanned() override {
    ClusterTaker taker(server_, "");
    if (const auto version = kube::FindServerVersion(*client_); version.ok()) {
      taker.CountBy(kube::ResizeCountingOf(*version));
    }
    absl::Status status = TakeAll(kube::kNodes, &taker);
    if (status.ok()) status = TakeAll(kube::kPods, &taker);
    for (const kube::PodGroupKind& kind : kube::kPodGroupKinds) {
      if (!status.ok()) return status;
      status = TakeGroups(kind, &taker);
    }
    for (const kube::Resource& resource :
         {kube::kPriorityClasses, kube::kVolumes, kube::kVolumeClaims, kube::kDeviceClaims,
          kube::kDeviceClasses}) {
      if (!status.ok()) return status;
      status = Excused(resource, TakeAll(resource, &taker), taker.Notes());
    }
    if (!status.ok()) return status;
    return taker.Finish();
  }

  absl::Status ForEachPod(bool with_classes, json::OnObject on_object) override {
    absl::Status status = ForEachOf(kube::kPods, kube::PathOf(kube::kPods), on_object);
    if (!status.ok() || !with_classes) return status;
    return ForEachOf(kube::kPriorityClasses, kube::PathOf(kube::kPriorityClasses), on_object);
  }

  absl::StatusOr<std::vector<Told>> ReadTold(const std::string& name_space) override {
    std::vector<Told> all;
    const absl::Status status = ForEachOf(
        kube::kEvents, kube::PathOf(kube::kEvents, name_space),
        [&](const json::ListedObject& object) {
          if (auto told = cli::ReadTold({object.body.data, object.body.size})) {
            all.push_back(*std::move(told));
          }
          return absl::OkStatus();
        },
        fmt::format("reportingController={}", kReportingController));
    if (!status.ok()) return status;
    return all;
  }

  absl::Status ForEachDeviceObject(const PodName* pod, json::OnObject on_object,
                                   std::vector<std::string>* notes) override {
    absl::Status status = ForEachOf(kube::kNodes, kube::PathOf(kube::kNodes), on_object);
    for (const CustomKind* kind : {&devices::kPoolKind, &devices::kClassKind, &devices::kDriverKind,
                                   &devices::kClaimKind, &devices::kPrivilegedClaimKind}) {
      if (!status.ok()) return status;
      const kube::Resource resource = kube::ResourceOf(*kind);
      status = ForEachOf(resource, kube::PathOf(resource), on_object);
      if (!absl::IsNotFound(status)) continue;
      notes->push_back(fmt::format("the cluster does not know {}: apply deploy/devices",
                                   kube::NameOf(resource)));
      status = absl::OkStatus();
    }
    if (status.ok()) status = ForNamespaces(on_object, notes);
    if (!status.ok() || pod == nullptr) return status;
    return OfPod(*pod, on_object);
  }

  absl::Status ForEachDraObject(const PodName* pod, json::OnObject on_object,
                                std::vector<std::string>* notes) override {
    absl::Status status = ForEachOf(kube::kNodes, kube::PathOf(kube::kNodes), on_object);
    for (kube::Resource resource : {kube::kDeviceSlices, kube::kDeviceClasses, kube::kDeviceClaims,
                                    kube::kDeviceClaimTemplates, kube::kDeviceTaintRules}) {
      if (!status.ok()) return status;
      const auto served = kube::FindServedVersions(*client_, resource, kDraVersions);
      if (!served.ok()) return served.status();
      if (served->known.empty()) continue;  // no DRA, or not yet this kind
      resource.version = served->known;
      status = ForEachOf(resource, kube::PathOf(resource), on_object);
      // Without these an answer may be right all the same; without the others it would be wrong.
      const bool is_needed = resource.kind != kube::kDeviceClaimTemplates.kind &&
                             resource.kind != kube::kDeviceTaintRules.kind;
      if (!is_needed) status = Excused(resource, status, notes);
    }
    if (!status.ok() || pod == nullptr) return status;
    return OfPod(*pod, on_object);
  }

  absl::Status ForEachPublication(json::OnObject on_object,
                                  std::vector<std::string>* notes) override {
    bool any = false;
    const kube::Resource pools = kube::ResourceOf(devices::kPoolKind);
    const auto on_pool = [&](const json::ListedObject& pool) {
      any = true;
      return on_object(pool);
    };
    absl::Status status = Excused(pools, ForEachOf(pools, kube::PathOf(pools), on_pool), notes);
    if (!status.ok() || !any) return status;
    status = Excused(kube::kNodes, ForEachOf(kube::kNodes, kube::PathOf(kube::kNodes), on_object),
                     notes);
    if (!status.ok()) return status;
    return Excused(kube::kDeviceSlices, ForSlices(on_object), notes);
  }

  std::string DefaultNamespace() const override { return client_->default_namespace(); }

 private:
  /// Takes PodGroups in the newest known version that is served.
  absl::Status TakeGroups(const kube::PodGroupKind& kind, ClusterTaker* taker) {
    kube::Resource resource = kind.resource;
    const auto served = kube::FindServedVersions(*client_, resource, kind.versions);
    if (served.ok() && !served->unknown.empty()) taker->ServeUnknown(kind.dialect, served->unknown);
    if (served.ok() && !served->known.empty()) resource.version = served->known;
    const absl::Status status = TakeAll(resource, taker);
    if (status.ok()) taker->Serve(kind.dialect);
    return Excused(resource, status, taker->Notes());
  }

  absl::Status TakeAll(const kube::Resource& resource, ClusterTaker* taker) {
    return ForEachOf(resource, kube::PathOf(resource),
                     [&](const json::ListedObject& object) { return taker->Take(object); });
  }

  /// OK for a kind that is not installed, and, with a note, for one that may not be read.
  static absl::Status Excused(const kube::Resource& resource, const absl::Status& status,
                              std::vector<std::string>* notes) {
    if (absl::IsNotFound(status)) return absl::OkStatus();
    if (!absl::IsPermissionDenied(status)) return status;
    notes->push_back(fmt::format("{} are treated as absent: {}", kube::NameOf(resource),
                                 std::string(status.message())));
    return absl::OkStatus();
  }

  /// None where the API server has no DRA.
  absl::Status ForSlices(json::OnObject on_object) {
    kube::Resource slices = kube::kDeviceSlices;
    const auto served = kube::FindServedVersions(*client_, slices, kDraVersions);
    if (!served.ok()) return served.status();
    if (served->known.empty()) return absl::OkStatus();
    slices.version = served->known;
    return ForEachOf(slices, kube::PathOf(slices), on_object);
  }

  absl::Status ForNamespaces(json::OnObject on_object, std::vector<std::string>* notes) {
    absl::Status status = ForEachOf(kube::kNamespaces, kube::PathOf(kube::kNamespaces), on_object);
    if (!absl::IsPermissionDenied(status)) return status;
    notes->push_back(fmt::format("namespaces are treated as not labelled for admin access: {}",
                                 std::string(status.message())));
    return absl::OkStatus();
  }

  absl::Status OfPod(const PodName& pod, json::OnObject on_object) {
    const std::string path = kube::PathOf(kube::kPods, pod.name_space, pod.name);
    auto body = Ask(path, {});
    if (!body.ok()) return body.status();
    const size_t size = body->size();
    body->append(json::kPadding, '\0');
    return In(path, on_object({"Pod", {body->data(), size}, ""}));
  }

  /// The pod, or, where there is none, what makes a hint.
  absl::Status TakePod(const PodName& pod, ObjectPicker* picker) {
    const std::string path = kube::PathOf(kube::kPods, pod.name_space, pod.name);
    auto body = Ask(path, {});
    if (absl::IsNotFound(body.status())) return TakeHints(pod, picker);
    if (!body.ok()) return body.status();
    const size_t size = body->size();
    body->append(json::kPadding, '\0');
    return In(path, picker->Take({"Pod", {body->data(), size}, ""}));
  }

  /// All pods, or a note where they may not be read.
  absl::Status PlacePods(ObjectPicker* picker) {
    picker->KeepPods();
    absl::Status status =
        ForEachOf(kube::kPods, kube::PathOf(kube::kPods),
                  [&](const json::ListedObject& object) { return picker->Place(object); });
    if (!absl::IsPermissionDenied(status)) return status;
    picker->DropPods(fmt::format("agents are asked without the cluster's pods: {}",
                                 std::string(status.message())));
    return absl::OkStatus();
  }

  /// Pods of that name elsewhere, or else all of the namespace. What may not be read is no hint.
  absl::Status TakeHints(const PodName& pod, ObjectPicker* picker) {
    bool found = false;
    const auto take = [&](const json::ListedObject& object) {
      found = true;
      return picker->Take(object);
    };
    absl::Status status =
        ForEachOf(kube::kPods, kube::PathOf(kube::kPods), take, "metadata.name=" + pod.name);
    if (!found) status = ForEachOf(kube::kPods, kube::PathOf(kube::kPods, pod.name_space), take);
    return absl::IsPermissionDenied(status) ? absl::OkStatus() : status;
  }

  absl::Status ForEachOf(const kube::Resource& resource, const std::string& path,
                         json::OnObject on_object, const std::string& field_selector = {}) {
    const std::string api_version = kube::ApiVersionOf(resource);
    std::string next;
    do {
      auto body = Ask(path, std::exchange(next, ""), field_selector);
      if (!body.ok()) return body.status();
      kube::ListPageReader reader;
      absl::Status status = reader.Feed(*body, [&](const kube::ListItem& item) {
        // The item's bytes lie in the reader's padded memory.
        return on_object({resource.kind,
                          {item.document.data(), item.document.size()},
                          item.head.name,
                          api_version});
      });
      if (!status.ok()) return In(path, status);
      auto page = reader.Finish();
      if (!page.ok()) return In(path, page.status());
      next = std::move(page->continue_token);
    } while (!next.empty());
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Ask(const std::string& path, const std::string& next,
                                  const std::string& field_selector = {}) {
    kube::ApiRequest request;
    request.path = path;
    request.query = {{"limit", kPageSize}};
    if (!field_selector.empty()) request.query.emplace_back("fieldSelector", field_selector);
    if (!next.empty()) request.query.emplace_back("continue", next);
    auto answer = client_->Call(request);
    if (!answer.ok()) return In(path, answer.status());
    return std::move(answer->body);
  }

  absl::Status In(const std::string& path, const absl::Status& status) const {
    if (status.ok()) return status;
    // What a server answers is no wrong setting.
    const auto code = absl::IsInvalidArgument(status) ? absl::StatusCode::kInternal : status.code();
    return {code, fmt::format("{}{}: {}", server_, path, std::string(status.message()))};
  }

  const std::unique_ptr<kube::Client> client_;
  const std::string server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenLiveCluster(const LiveClusterFlags& flags,
                                                                const Environment& environment) {
  auto opened =
      OpenLiveClient(flags, environment,
                     "--kubeconfig FILE, or --cluster FILE with what kubectl printed (see --help)");
  if (!opened.ok()) return opened.status();
  return std::make_unique<LiveCluster>(std::move(opened->client), std::move(opened->server));
}

}  // namespace outrigger::cli
