#include "kube/view/cluster_actor.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "codec/json/object_readers.h"
#include "codec/json/parser.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/write/binding.h"
#include "kube/write/status_patch.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

absl::Status ParsePod(std::string* text, Pod* pod) {
  static const Needs needs = Needs().PodMetadata().PodResources().PodScheduling().PodStatus();
  const size_t size = text->size();
  text->append(json::kPadding, ' ');
  const json::ParserLease parser;
  json::Object root;
  absl::Status status = parser->Open({text->data(), size}, &root);
  if (status.ok()) status = json::ReadPod(root, json::Path("Pod").AsObject(), needs, pod);
  return status.ok() ? parser->Close() : status;
}

}  // namespace

ClusterActor::ClusterActor(Api* api, cluster::Cluster* cluster, ClusterWatch* watch,
                           CustomWatch* custom, cluster::ChangeListeners* changes,
                           ClusterActorOptions options)
    : ApiAccess(api, options.warn, options.clock),
      cluster_(*cluster),
      watch_(*watch),
      custom_(*custom),
      changes_(*changes),
      options_(std::move(options)),
      bindings_(options_.bindings_at_once) {}

absl::StatusOr<ClusterView> ClusterActor::Take() {
  absl::Status usable = watch_.Usable();
  if (!usable.ok()) return usable;
  return ClusterView{cluster_.Take(), watch_.Objects()};
}

Subscription ClusterActor::OnChange(std::function<void()> changed, ChangeScope scope) {
  return changes_.Add(std::move(changed), scope);
}

absl::Status ClusterActor::Assume(const PodId& pod, std::string_view node) {
  return cluster_.AssumePod(pod.namespace_, pod.name, pod.uid, node);
}

void ClusterActor::Forget(const PodId& pod) {
  cluster_.ForgetPod(pod.namespace_, pod.name, pod.uid);
}

absl::Status ClusterActor::Bind(const PodId& pod, std::string_view node,
                                const StringMap& annotations, const CallLimits& limits) {
  const auto deadline = std::chrono::steady_clock::now() + limits.timeout;
  if (!bindings_.Enter(deadline, limits.stop)) {
    return limits.stop.stop_requested()
               ? absl::CancelledError("stopped before the binding was sent")
               : absl::DeadlineExceededError(fmt::format(
                     "{} other bindings are in flight: the binding was not sent within {} ms",
                     options_.bindings_at_once, limits.timeout.count()));
  }
  const absl::Cleanup leave = [this] { bindings_.Leave(); };
  CallLimits rest = limits;
  rest.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return kube::Bind(api_, {pod.namespace_, pod.name, pod.uid, node, annotations},
                    OptionsOf(rest, false));
}

absl::StatusOr<Pod> ClusterActor::Read(std::string_view namespace_, std::string_view name,
                                       const CallLimits& limits) {
  auto text = Get(api_, kPods, {namespace_, name}, OptionsOf(limits, false));
  if (!text.ok()) return text.status();
  Pod pod;
  const absl::Status status = ParsePod(&*text, &pod);
  if (status.ok()) return pod;
  return absl::InternalError(
      fmt::format("pods {}/{} cannot be read: {}", namespace_, name, MessageOf(status)));
}

absl::StatusOr<std::vector<Pod>> ClusterActor::ReadAll(std::string_view namespace_,
                                                       const CallLimits& limits) {
  auto list = List(api_, kPods, namespace_, {}, OptionsOf(limits, false));
  if (!list.ok()) return list.status();
  std::vector<Pod> pods(list->items.size());
  for (size_t i = 0; i < pods.size(); ++i) {
    const absl::Status status = ParsePod(&list->items[i], &pods[i]);
    if (status.ok()) continue;
    return absl::InternalError(
        fmt::format("a pod of namespace {} cannot be read: {}", namespace_, MessageOf(status)));
  }
  return pods;
}

absl::Status ClusterActor::Nominate(const PodId& pod, std::string_view node,
                                    std::string_view resource_version, const CallLimits& limits) {
  return NominateNode(api_, pod, node, resource_version, OptionsOf(limits, false));
}

absl::Status ClusterActor::WriteUnscheduled(const Pod& pod, std::string_view message,
                                            const CallLimits& limits) {
  return kube::WriteUnscheduled(api_, pod, pod.unscheduled_reason, message,
                                std::chrono::system_clock::now(), OptionsOf(limits, false),
                                pod.resource_version);
}

absl::Status ClusterActor::RemoveGate(const PodId& pod, std::string_view gate,
                                      const StringMap& annotations, const CallLimits& limits) {
  return kube::RemoveGate(api_, pod, gate, annotations, OptionsOf(limits, false));
}

absl::Status ClusterActor::AskForEviction(const PodId& pod, bool dry_run,
                                          const CallLimits& limits) {
  if (pod.uid.empty()) return absl::InvalidArgumentError("pods: a UID is missing");
  DeleteOptions what;
  what.uid = pod.uid;
  what.dry_run = dry_run;
  return kube::Evict(api_, pod.namespace_, pod.name, what, OptionsOf(limits, false));
}

absl::Status ClusterActor::Evict(const PodId& pod, const CallLimits& limits) {
  return AskForEviction(pod, /*dry_run=*/false, limits);
}

absl::Status ClusterActor::MayEvict(const PodId& pod, const CallLimits& limits) {
  return AskForEviction(pod, /*dry_run=*/true, limits);
}

absl::StatusOr<LeaseRecord> ClusterActor::ReadLease(std::string_view namespace_,
                                                    std::string_view name,
                                                    const CallLimits& limits) {
  const auto text = Get(api_, kLeases, {namespace_, name}, OptionsOf(limits, false));
  if (!text.ok()) return text.status();
  const auto lease = nlohmann::json::parse(*text, nullptr, false);
  if (!lease.is_object()) return absl::InternalError("a lease that is no JSON object");
  const nlohmann::json::json_pointer duration("/spec/leaseDurationSeconds");
  const bool lasts = lease.contains(duration) && lease[duration].is_number_integer();
  return LeaseRecord{.holder = TextAt(lease, "/spec/holderIdentity"),
                     .renewed = TextAt(lease, "/spec/renewTime"),
                     .duration = std::chrono::seconds(lasts ? lease[duration].get<int32_t>() : 0)};
}

absl::Status ClusterActor::WriteStatus(const PodGroup& group, const PodGroupStatus& status,
                                       const CallLimits& limits) {
  const std::string version = watch_.VersionOf(group.dialect);
  return WriteGroupStatus(api_, group, version, status, options_.clock.wall(),
                          OptionsOf(limits, true));
}

absl::Status ClusterActor::AnnotateGroup(const PodGroup& group, std::string_view key,
                                         std::string_view value, const CallLimits& limits) {
  const std::string version = watch_.VersionOf(group.dialect);
  return kube::AnnotateGroup(api_, group, version, key, value, OptionsOf(limits, false));
}

std::unique_ptr<FollowedKind> ClusterActor::Follow(const CustomKind& kind, CustomObjectSink* sink) {
  return custom_.Follow(kind, sink);
}

EventRecorder& ClusterActor::Events() {
  const MutexLock lock(events_mutex_);
  if (events_ == nullptr) events_ = EventRecorder::Create(&api_, options_.events, options_.clock);
  return *events_;
}

EventStats ClusterActor::event_stats() const {
  const MutexLock lock(events_mutex_);
  return events_ == nullptr ? EventStats() : events_->stats();
}

void ClusterActor::Record(ClusterEvent event) {
  // Agents know an object by its dialect alone.
  for (const PodGroupKind& kind : kPodGroupKinds) {
    if (event.kind != kind.resource.kind) break;
    if (event.api_version != ApiVersionOf(kind.resource)) continue;
    Resource resource = kind.resource;
    const std::string version = watch_.VersionOf(kind.dialect);
    if (!version.empty()) resource.version = version;
    event.api_version = ApiVersionOf(resource);
    break;
  }
  Events().Record({.regarding = {.api_version = std::move(event.api_version),
                                 .kind = std::move(event.kind),
                                 .namespace_ = std::move(event.namespace_),
                                 .name = std::move(event.name),
                                 .uid = std::move(event.uid)},
                   .warning = event.warning,
                   .reason = std::move(event.reason),
                   .action = std::move(event.action),
                   .note = std::move(event.note)});
}

}  // namespace outrigger::kube
