#include "cli/penalty/live_penalty.h"

#include <algorithm>
#include <utility>

#include "cli/explain/gang_events.h"
#include "fmt/format.h"
#include "json/pod_group_reader.h"
#include "kube/lease/candidate.h"
#include "kube/objects.h"
#include "kube/pod_group_kinds.h"
#include "kube/resource.h"
#include "kube/write/config_map.h"
#include "kube/write/owner.h"
#include "kube/write/priority_class.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

kube::CallOptions OptionsOf(const CallLimits& limits) {
  return {.timeout = limits.timeout, .stop = limits.stop, .rate_limited = false};
}

kube::EventOptions EventOptionsOf(std::function<void(const std::string& line)> warn) {
  kube::EventOptions options;
  options.controller = kReportingController;
  options.instance = "outrigger-restore";
  options.warn = std::move(warn);
  return options;
}

}  // namespace

LivePenalty::LivePenalty(LiveClient client, std::function<void(const std::string& line)> warn)
    : client_(std::move(client)),
      warn_(std::move(warn)),
      events_(kube::EventRecorder::Create(client_.client.get(), EventOptionsOf(warn_))) {}

absl::StatusOr<PriorityClass> LivePenalty::ReadPriorityClass(std::string_view name,
                                                             const CallLimits& limits) {
  return kube::ReadPriorityClass(*client_.client, name, OptionsOf(limits));
}

absl::StatusOr<PriorityClass> LivePenalty::ParsePriorityClass(std::string_view manifest) const {
  return kube::ParsePriorityClass(manifest);
}

absl::StatusOr<PriorityClass> LivePenalty::CreatePriorityClass(const NewPriorityClass& made,
                                                               const CallLimits& limits) {
  return kube::CreatePriorityClass(*client_.client, made, OptionsOf(limits));
}

absl::Status LivePenalty::TryCreatePriorityClass(const NewPriorityClass& made,
                                                 const CallLimits& limits) {
  return kube::TryCreatePriorityClass(*client_.client, made, OptionsOf(limits));
}

absl::Status LivePenalty::DeletePriorityClass(std::string_view name, std::string_view uid,
                                              std::string_view resource_version,
                                              const CallLimits& limits) {
  return kube::DeletePriorityClass(*client_.client, name, uid, resource_version, OptionsOf(limits));
}

absl::StatusOr<bool> LivePenalty::OwnerExists(const OwnerReference& owner,
                                              const CallLimits& limits) {
  return kube::OwnerExists(*client_.client, owner, OptionsOf(limits));
}

absl::StatusOr<ConfigMap> LivePenalty::ReadConfigMap(std::string_view namespace_,
                                                     std::string_view name,
                                                     const CallLimits& limits) {
  return kube::ReadConfigMap(*client_.client, namespace_, name, OptionsOf(limits));
}

absl::StatusOr<ConfigMap> LivePenalty::WriteConfigMap(const ConfigMap& map,
                                                      const CallLimits& limits) {
  return kube::WriteConfigMap(*client_.client, map, OptionsOf(limits));
}

absl::Status LivePenalty::DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) {
  return kube::DeleteConfigMap(*client_.client, map, OptionsOf(limits));
}

absl::StatusOr<std::unique_ptr<Candidacy>> LivePenalty::Stand(LeaseClaim claim,
                                                              ElectionCallbacks callbacks) {
  return kube::StandForElection(client_.client.get(), std::move(claim), std::move(callbacks), warn_,
                                {});
}

absl::Status LivePenalty::From(const absl::Status& status) const {
  const auto code = absl::IsInvalidArgument(status) ? absl::StatusCode::kInternal : status.code();
  return {code, fmt::format("{}: {}", client_.server, std::string(status.message()))};
}

absl::StatusOr<std::vector<PriorityClass>> LivePenalty::ListClasses(const CallLimits& limits) {
  const auto list = kube::List(*client_.client, kube::kPriorityClasses, "", {}, OptionsOf(limits));
  if (!list.ok()) return From(list.status());
  std::vector<PriorityClass> classes;
  for (const std::string& item : list->items) {
    auto read = kube::ParsePriorityClass(item);
    if (!read.ok()) return From(read.status());
    classes.push_back(*std::move(read));
  }
  std::sort(classes.begin(), classes.end(),
            [](const PriorityClass& a, const PriorityClass& b) { return a.name < b.name; });
  return classes;
}

absl::StatusOr<std::vector<PodGroup>> LivePenalty::ListGroups(const CallLimits& limits) {
  const auto list =
      kube::List(*client_.client, *kube::PodGroupsOf(Dialect::kVolcano), "", {}, OptionsOf(limits));
  if (absl::IsNotFound(list.status())) return std::vector<PodGroup>();
  if (!list.ok()) return From(list.status());
  std::vector<PodGroup> groups;
  for (const std::string& item : list->items) {
    auto read = json::ReadPodGroup(Dialect::kVolcano, item);
    if (!read.ok()) return From(read.status());
    groups.push_back(*std::move(read));
  }
  return groups;
}

absl::StatusOr<std::optional<std::chrono::seconds>> LivePenalty::LeaseDuration(
    std::string_view namespace_, std::string_view name, const CallLimits& limits) {
  const auto text =
      kube::Get(*client_.client, kube::kLeases, {namespace_, name}, OptionsOf(limits));
  if (absl::IsNotFound(text.status())) return std::optional<std::chrono::seconds>();
  if (!text.ok()) return From(text.status());
  const auto lease = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto at = nlohmann::json::json_pointer("/spec/leaseDurationSeconds");
  const auto holder = nlohmann::json::json_pointer("/spec/holderIdentity");
  const bool is_held = lease.is_object() && lease.contains(holder) && lease[holder].is_string() &&
                       !lease[holder].get_ref<const std::string&>().empty();
  if (!is_held || !lease.contains(at) || !lease[at].is_number_integer()) {
    return std::optional<std::chrono::seconds>();
  }
  return std::chrono::seconds(lease[at].get<int64_t>());
}

void LivePenalty::Record(const PriorityClass& about, std::string_view reason,
                         const std::string& note) {
  events_->Record({.regarding = {.api_version = kube::ApiVersionOf(kube::kPriorityClasses),
                                 .kind = std::string(kube::kPriorityClasses.kind),
                                 .namespace_ = "",
                                 .name = about.name,
                                 .uid = about.uid},
                   .warning = false,
                   .reason = std::string(reason),
                   .action = "Restoring",
                   .note = note});
}

}  // namespace outrigger::cli
