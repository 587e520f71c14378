#include "cli/doctor/group_resources.h"

#include <algorithm>
#include <utility>

#include "cli/scheduler_config/scheduler_config.h"
#include "fmt/format.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/plan/call_resources.h"
#include "outrigger/plan/group.h"

namespace outrigger::cli {

GroupResources::GroupResources(std::vector<std::string> scheduler_names)
    : scheduler_names_(std::move(scheduler_names)) {}

absl::Status GroupResources::Take(const json::ListedObject& object) {
  Pod pod;
  std::vector<json::MalformedValue> malformed;
  const Needs needs = Needs().PodMetadata().PodResources().PodScheduling().PodStatus();
  absl::Status status = json::DecodePod(object, needs, &pod, &malformed);
  if (!status.ok()) return status;
  const std::string& scheduler =
      pod.scheduler_name.empty() ? kDefaultScheduler : pod.scheduler_name;
  const bool planned = std::find(scheduler_names_.begin(), scheduler_names_.end(), scheduler) !=
                       scheduler_names_.end();
  if (!planned || pod.IsFinished() || pod.being_deleted) return absl::OkStatus();
  const plan::CallsAsked asked = plan::CallsAskedBy(pod);
  if (asked.All() || !plan::MembershipOf(pod, nullptr)) return absl::OkStatus();
  Kind& kind = kinds_[asked.Missing()];
  if (kind.example.empty()) kind.example = fmt::format("{}/{}", pod.namespace_, pod.name);
  ++(pod.node_name.empty() ? kind.waiting : kind.bound);
  return absl::OkStatus();
}

void GroupResources::AddTo(Findings* findings) const {
  for (const auto& [missing, kind] : kinds_) {
    findings->Add(FindingId::kGroupResourceMissing, Place{"pod " + kind.example, 0, 0},
                  fmt::format("{} that wait and {} that are bound do not ask for {}", kind.waiting,
                              kind.bound, missing),
                  "the resource in the template of their pods, or deploy/member-policy.yaml");
  }
}

}  // namespace outrigger::cli
