#include "penalty/commands/live_penalty.h"

#include "console/args/flags.h"

#include <algorithm>
#include <utility>

#include "codec/json/object_list.h"
#include "codec/json/pod_group_reader.h"
#include "console/reading/agent_events.h"
#include "fmt/format.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "kube/write/priority_class.h"
#include "nlohmann/json.hpp"
#include "penalty/classes/edges.h"

namespace outrigger::cli {

std::vector<Flag> JournalFlags() {
  return Together(
      {KubeconfigFlags("the cluster"),
       {{.name = "-n,--namespace",
         .value = "NS",
         .help = "namespace of the journal, as in the agent's setting (default kube-system)"}}});
}

absl::Status ReadJournalPlace(const Given& given, JournalPlace* place) {
  place->kubeconfig = given.Value("--kubeconfig");
  place->context = given.Value("--context");
  place->name_space = given.Value("--namespace", place->name_space);
  return CheckNotEmpty(given, "--namespace", "the name of a namespace");
}
namespace {

kube::EventOptions EventOptionsOf(std::function<void(const std::string& line)> warn) {
  kube::EventOptions options;
  options.controller = kReportingController;
  options.instance = "outrigger-restore";
  options.warn = std::move(warn);
  return options;
}

}  // namespace

LivePenalty::LivePenalty(LiveClient client, std::unique_ptr<ClusterObjects> cluster,
                         std::function<void(const std::string& line)> warn)
    : client_(std::move(client)),
      cluster_(std::move(cluster)),
      access_(client_.client.get(), warn),
      events_(kube::EventRecorder::Create(client_.client.get(), EventOptionsOf(std::move(warn)))) {}

absl::Status LivePenalty::From(const absl::Status& status) const {
  const auto code = absl::IsInvalidArgument(status) ? absl::StatusCode::kInternal : status.code();
  return {code, fmt::format("{}: {}", client_.server, std::string(status.message()))};
}

absl::StatusOr<std::vector<PriorityClass>> LivePenalty::ListClasses(const CallLimits& limits) {
  const auto list =
      kube::List(*client_.client, kube::kPriorityClasses, "", {}, kube::OptionsOf(limits, false));
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
  const auto list = kube::List(*client_.client, *kube::PodGroupsOf(penalty::kGroupDialect), "", {},
                               kube::OptionsOf(limits, false));
  if (absl::IsNotFound(list.status())) return std::vector<PodGroup>();
  if (!list.ok()) return From(list.status());
  std::vector<PodGroup> groups;
  for (const std::string& item : list->items) {
    auto read = json::ReadPodGroup(penalty::kGroupDialect, item);
    if (!read.ok()) return From(read.status());
    groups.push_back(*std::move(read));
  }
  return groups;
}

absl::Status LivePenalty::ForEachPod(absl::FunctionRef<void(const Pod& pod)> visit) {
  return cluster_->ForEachPod(/*with_classes=*/false, [visit](const json::ListedObject& object) {
    Pod pod;
    std::vector<json::MalformedValue> malformed;
    absl::Status status = json::DecodePod(object, Needs().PodScheduling(), &pod, &malformed);
    if (status.ok()) visit(pod);
    return status;
  });
}

absl::StatusOr<std::optional<std::chrono::seconds>> LivePenalty::LeaseDuration(
    std::string_view namespace_, std::string_view name, const CallLimits& limits) {
  const auto text =
      kube::Get(*client_.client, kube::kLeases, {namespace_, name}, kube::OptionsOf(limits, false));
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
