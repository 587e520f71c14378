#include "cli/doctor/queue_gates.h"

#include <algorithm>
#include <utility>

#include "cli/scheduler_config/scheduler_config.h"
#include "fmt/format.h"
#include "outrigger/plan/group.h"
#include "outrigger/plan/groups.h"

namespace outrigger::cli {

QueueGates::QueueGates(std::vector<std::string> scheduler_names)
    : scheduler_names_(std::move(scheduler_names)) {}

void QueueGates::Seen::Add(const Pod& pod) {
  if (example.empty()) example = fmt::format("{}/{}", pod.namespace_, pod.name);
  ++pods;
}

absl::Status QueueGates::Take(const json::ListedObject& object) {
  Pod pod;
  std::vector<json::MalformedValue> malformed;
  const Needs needs = Needs().PodMetadata().PodScheduling().PodStatus();
  absl::Status status = json::DecodePod(object, needs, &pod, &malformed);
  if (!status.ok()) return status;
  if (pod.IsFinished() || pod.being_deleted || !pod.node_name.empty()) return absl::OkStatus();
  const std::vector<std::string>& gates = pod.scheduling_gates;
  const bool is_gated = std::find(gates.begin(), gates.end(), plan::kQueueGate) != gates.end();
  const std::string& scheduler =
      pod.scheduler_name.empty() ? kDefaultScheduler : pod.scheduler_name;
  const bool is_planned = std::find(scheduler_names_.begin(), scheduler_names_.end(), scheduler) !=
                          scheduler_names_.end();
  if (is_gated) {
    (is_planned ? gated_ : of_others_).Add(pod);
  } else if (is_planned && plan::MembershipOf(pod, nullptr)) {
    ungated_.Add(pod);
  }
  return absl::OkStatus();
}

void QueueGates::AddTo(Findings* findings) const {
  const auto add = [findings](FindingId id, const Seen& seen, std::string_view what,
                              std::string fix) {
    findings->Add(id, Place{"pod " + seen.example, 0, 0},
                  fmt::format("{} pod{} {}", seen.pods, seen.pods == 1 ? "" : "s", what),
                  std::move(fix));
  };
  if (of_others_.pods > 0) {
    add(FindingId::kGateOfAnotherScheduler, of_others_,
        "of other schedulers have the gate outrigger.dev/queue",
        "their schedulers in scheduler-names, or a policy and templates that do not gate them; "
        "`outrigger gang release --all` lets them go");
  }
  if (gated_.pods == 0 && ungated_.pods > 0) {
    add(FindingId::kGateMissing, ungated_, "of groups without a node, none with the gate",
        "deploy/member-policy.yaml, or the gate in the templates of pods");
  }
}

}  // namespace outrigger::cli
