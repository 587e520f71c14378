#include "kube/write/status_patch.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/micro_time.h"
#include "kube/pod_group_kinds.h"
#include "kube/status_text.h"
#include "kube/write/group_status_json.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using OrderedJson = nlohmann::ordered_json;

PatchOptions Patches(PatchType type) {
  return {.type = type, .field_manager = "outrigger", .force = false};
}

std::string UidOf(const std::string& object) {
  return TextAt(OrderedJson::parse(object, nullptr, false), "/metadata/uid");
}

absl::Status AnotherOne(const Resource& resource, const ObjectName& object, std::string_view uid) {
  return absl::AbortedError(fmt::format("{} {}/{} is another one now, not that of the UID {}",
                                        NameOf(resource), object.namespace_, object.name, uid));
}

// The UID of an object cannot be changed, so the API server refuses a patch that carries another
// one as invalid; what else may be so is not told from that by the answer.
absl::Status Explain(Api& api, const Resource& resource, ObjectName object, std::string_view uid,
                     const CallOptions& options, const absl::Status& refusal) {
  const std::optional<ApiError> error = ApiErrorOf(refusal);
  if (!error || error->code != 422) return refusal;
  object.subresource = {};
  const auto present = Get(api, resource, object, options);
  if (absl::IsNotFound(present.status())) return present.status();
  return present.ok() && UidOf(*present) != uid ? AnotherOne(resource, object, uid) : refusal;
}

// Merges `body`, whose metadata say which object and version is meant, into the object.
absl::Status MergeInto(Api& api, const Resource& resource, const ObjectName& object,
                       std::string_view uid, const std::string& body, const CallOptions& options,
                       PatchType type = PatchType::kMerge) {
  const auto written = Patch(api, resource, object, body, Patches(type), options);
  if (!written.ok()) return Explain(api, resource, object, uid, options, written.status());
  // Of custom resources the subresource takes nothing but the status: another UID goes unnoticed.
  if (!uid.empty() && UidOf(*written) != uid) return AnotherOne(resource, object, uid);
  return absl::OkStatus();
}

// In the version that is served; empty: the newest known.
absl::StatusOr<Resource> ResourceOf(const PodGroup& group, std::string_view version) {
  const Resource* const newest = PodGroupsOf(group.dialect);
  if (newest == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("group {}/{} has no object", group.namespace_, group.name));
  }
  Resource resource = *newest;
  if (!version.empty()) resource.version = version;
  return resource;
}

}  // namespace

absl::Status NominateNode(Api& api, const PodId& pod, std::string_view node,
                          std::string_view resource_version, const CallOptions& options) {
  if (pod.uid.empty()) return absl::InvalidArgumentError("pods: a UID is missing");
  OrderedJson body = {{"metadata", {{"uid", pod.uid}}}};
  if (!resource_version.empty()) body["metadata"]["resourceVersion"] = resource_version;
  body["status"]["nominatedNodeName"] = node.empty() ? OrderedJson(nullptr) : OrderedJson(node);
  return MergeInto(api, kPods, {pod.namespace_, pod.name, "status"}, pod.uid,
                   body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace), options);
}

absl::Status RemoveGate(Api& api, const PodId& pod, std::string_view gate,
                        const StringMap& annotations, const CallOptions& options) {
  if (pod.uid.empty()) return absl::InvalidArgumentError("pods: a UID is missing");
  const OrderedJson removed = {{"$patch", "delete"}, {"name", gate}};
  OrderedJson body = {{"metadata", {{"uid", pod.uid}}},
                      {"spec", {{"schedulingGates", OrderedJson::array({removed})}}}};
  for (const auto& [key, value] : annotations) body["metadata"]["annotations"][key] = value;
  return MergeInto(api, kPods, {pod.namespace_, pod.name}, pod.uid,
                   body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace), options,
                   PatchType::kStrategicMerge);
}

absl::Status WriteUnscheduled(Api& api, const Pod& pod, std::string_view reason,
                              std::string_view message, std::chrono::system_clock::time_point now,
                              const CallOptions& options) {
  if (pod.uid.empty()) return absl::InvalidArgumentError("pods: a UID is missing");
  if (pod.unscheduled_reason == reason && pod.unscheduled_message == message) {
    return absl::OkStatus();
  }
  OrderedJson condition = {{"type", "PodScheduled"}, {"status", "False"}};
  // Whoever writes False gives a reason; what is left out of a merge stays.
  if (pod.unscheduled_reason.empty()) condition["lastTransitionTime"] = WholeTime(now);
  condition["reason"] = reason;
  condition["message"] = message;
  if (pod.generation != 0) condition["observedGeneration"] = pod.generation;
  const OrderedJson body = {{"metadata", {{"uid", pod.uid}}},
                            {"status", {{"conditions", OrderedJson::array({condition})}}}};
  return MergeInto(api, kPods, {pod.namespace_, pod.name, "status"}, pod.uid,
                   body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace), options,
                   PatchType::kStrategicMerge);
}

absl::Status WriteGroupStatus(Api& api, const PodGroup& group, std::string_view version,
                              const PodGroupStatus& status,
                              std::chrono::system_clock::time_point now,
                              const CallOptions& options) {
  const auto resource = ResourceOf(group, version);
  if (!resource.ok()) return resource.status();
  OrderedJson body;
  if (!group.uid.empty()) body["metadata"]["uid"] = group.uid;
  body["status"] =
      OrderedJson::parse(GroupStatusJson(group.dialect, resource->version, status, now));
  const std::string text = body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  ObjectName object{group.namespace_, group.name, "status"};
  // Custom resources know no strategic merge; it alone keeps the conditions of others.
  const PatchType type =
      group.dialect == Dialect::kUpstream ? PatchType::kStrategicMerge : PatchType::kMerge;
  absl::Status written = MergeInto(api, *resource, object, group.uid, text, options, type);
  // Versions of Volcano's CRD differ in whether the status is a subresource.
  if (absl::IsNotFound(written) && group.dialect == Dialect::kVolcano) {
    object.subresource = {};
    written = MergeInto(api, *resource, object, group.uid, text, options);
  }
  return written;
}

absl::Status AnnotateGroup(Api& api, const PodGroup& group, std::string_view version,
                           std::string_view key, std::string_view value,
                           const CallOptions& options) {
  const auto resource = ResourceOf(group, version);
  if (!resource.ok()) return resource.status();
  if (group.uid.empty()) return absl::InvalidArgumentError("podgroups: a UID is missing");
  OrderedJson body = {{"metadata", {{"uid", group.uid}}}};
  body["metadata"]["annotations"][std::string(key)] =
      value.empty() ? OrderedJson(nullptr) : OrderedJson(value);
  return MergeInto(api, *resource, {group.namespace_, group.name}, group.uid,
                   body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace), options);
}

}  // namespace outrigger::kube
