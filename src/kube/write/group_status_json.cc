#include "kube/write/group_status_json.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "kube/micro_time.h"
#include "nlohmann/json.hpp"

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

// scheduling.x-k8s.io/v1alpha1: phase, occupiedBy, running, succeeded, failed, scheduleStartTime.
// scheduling.sigs.k8s.io/v1alpha1 (Koordinator): these, and scheduled.
OrderedJson OfSchedulerPlugins(const PodGroupStatus& status, bool has_scheduled) {
  OrderedJson json;
  if (!status.phase.empty()) json["phase"] = status.phase;
  if (has_scheduled) json["scheduled"] = status.scheduled;
  json["running"] = status.running;
  json["succeeded"] = status.succeeded;
  json["failed"] = status.failed;
  return json;
}

// Volcano's phases are Pending, Inqueue (pods may be made), Running, Completed and Unknown.
std::string_view VolcanoPhase(std::string_view phase) {
  if (phase == "PreScheduling" || phase == "Scheduling" || phase == "Scheduled") return "Inqueue";
  if (phase == "Finished") return "Completed";
  return phase == "Failed" ? "Unknown" : phase;
}

// scheduling.volcano.sh/v1beta1: phase, running, succeeded, failed, and conditions of the types
// Scheduled and Unschedulable, of which one is true.
OrderedJson OfVolcano(const PodGroupStatus& status, const std::string& now) {
  OrderedJson json;
  if (!status.phase.empty()) json["phase"] = VolcanoPhase(status.phase);
  json["running"] = status.running;
  json["succeeded"] = status.succeeded;
  json["failed"] = status.failed;
  json["conditions"] =
      OrderedJson::array({{{"type", IsPlaced(status) ? "Scheduled" : "Unschedulable"},
                           {"status", "True"},
                           {"lastTransitionTime", now},
                           {"reason", ReasonOf(status)},
                           {"message", status.message}}});
  return json;
}

// scheduling.k8s.io: conditions, one of which v1alpha2 calls PodGroupScheduled.
OrderedJson OfUpstream(std::string_view version, const PodGroupStatus& status,
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
  switch (dialect) {
    case Dialect::kSchedulerPlugins:
      return OfSchedulerPlugins(status, /*has_scheduled=*/false);
    case Dialect::kKoordinator:
      return OfSchedulerPlugins(status, /*has_scheduled=*/true);
    case Dialect::kVolcano:
      return OfVolcano(status, now);
    case Dialect::kUpstream:
      return OfUpstream(version, status, now);
    case Dialect::kNone:
    case Dialect::kLabels:
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

}  // namespace outrigger::kube
