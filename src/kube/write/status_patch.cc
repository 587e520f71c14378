#include "kube/write/status_patch.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"
#include "sdk/base/dialects.h"

namespace outrigger::kube {
namespace {

using OrderedJson = nlohmann::ordered_json;

bool IsPlaced(const PodGroupStatus& status) {
  return status.phase == "Scheduled" || status.phase == "Running" || status.phase == "Finished";
}

// A reason of metav1.Condition: letters, digits and '_', a letter first.
std::string ReasonOf(const PodGroupStatus& status) {
  std::string reason = status.reason;
  std::replace_if(
      reason.begin(), reason.end(),
      [](char c) { return !absl::ascii_isalnum(static_cast<unsigned char>(c)); }, '_');
  if (!reason.empty() && absl::ascii_isalpha(static_cast<unsigned char>(reason.front()))) {
    return reason;
  }
  return IsPlaced(status) ? "Scheduled" : "Unschedulable";
}

OrderedJson Counts(const PodGroupStatus& status, bool has_scheduled) {
  OrderedJson json;
  if (!status.phase.empty()) json["phase"] = status.phase;
  if (has_scheduled) json["scheduled"] = status.scheduled;
  json["running"] = status.running;
  json["succeeded"] = status.succeeded;
  json["failed"] = status.failed;
  return json;
}

// One of Pending, Inqueue (pods may be made), Running, Completed and Unknown.
std::string_view OwnPhase(std::string_view phase) {
  if (phase == "PreScheduling" || phase == "Scheduling" || phase == "Scheduled") return "Inqueue";
  if (phase == "Finished") return "Completed";
  return phase == "Failed" ? "Unknown" : phase;
}

// Its conditions are of the types Scheduled and Unschedulable, of which one is true.
OrderedJson WithOwnPhase(const PodGroupStatus& status, const std::string& now) {
  OrderedJson json = Counts(status, /*has_scheduled=*/false);
  if (!status.phase.empty()) json["phase"] = OwnPhase(status.phase);
  json["conditions"] =
      OrderedJson::array({{{"type", IsPlaced(status) ? "Scheduled" : "Unschedulable"},
                           {"status", "True"},
                           {"lastTransitionTime", now},
                           {"reason", ReasonOf(status)},
                           {"message", status.message}}});
  return json;
}

// One of them is called PodGroupScheduled in v1alpha2.
OrderedJson Conditions(std::string_view version, const PodGroupStatus& status,
                       const std::string& now) {
  const char* const type =
      version == "v1alpha2" ? "PodGroupScheduled" : "PodGroupInitiallyScheduled";
  const bool placed = IsPlaced(status) || status.was_placed;
  return {{"conditions", OrderedJson::array({{{"type", type},
                                              {"status", placed ? "True" : "False"},
                                              {"lastTransitionTime", now},
                                              {"reason", ReasonOf(status)},
                                              {"message", status.message}}})}};
}

OrderedJson StatusOf(Dialect dialect, std::string_view version, const PodGroupStatus& status,
                     const std::string& now) {
  switch (RowOf(dialect).status) {
    case GroupStatusForm::kCounts:
      return Counts(status, /*has_scheduled=*/false);
    case GroupStatusForm::kCountsAndScheduled:
      return Counts(status, /*has_scheduled=*/true);
    case GroupStatusForm::kOwnPhases:
      return WithOwnPhase(status, now);
    case GroupStatusForm::kConditions:
      return Conditions(version, status, now);
    case GroupStatusForm::kNone:
      break;
  }
  return OrderedJson::object();
}

}  // namespace

std::string GroupStatusJson(Dialect dialect, std::string_view version, const PodGroupStatus& status,
                            std::chrono::system_clock::time_point now) {
  return StatusOf(dialect, version, status, WholeTime(now))
      .dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

namespace {

using OrderedJson = nlohmann::ordered_json;

PatchOptions Patches(PatchType type) {
  return {.type = type, .field_manager = "outrigger", .force = false};
}

std::string UidOf(const std::string& object) {
  return TextAt(OrderedJson::parse(object, nullptr, false), "/metadata/uid");
}

absl::Status AnotherOne(const Resource& resource, const ObjectName& object, std::string_view uid) {
  return absl::AbortedError(fmt::format("{} {}/{} was replaced: it no longer has the UID {}",
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
                              const CallOptions& options, std::string_view resource_version) {
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
  OrderedJson body = {{"metadata", {{"uid", pod.uid}}},
                      {"status", {{"conditions", OrderedJson::array({condition})}}}};
  if (!resource_version.empty()) body["metadata"]["resourceVersion"] = resource_version;
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
  if (absl::IsNotFound(written) && RowOf(group.dialect).status_in_object) {
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
