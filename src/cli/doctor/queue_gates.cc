#include "cli/doctor/queue_gates.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/plan/group.h"
#include "gang/plan/groups.h"

namespace outrigger::cli {

void QueueGates::Seen::Add(const Pod& pod) {
  if (example.empty()) example = fmt::format("{}/{}", pod.namespace_, pod.name);
  ++pods;
}

void QueueGates::Take(const Pod& pod, bool planned) {
  if (pod.being_deleted || !pod.node_name.empty()) return;
  const std::vector<std::string>& gates = pod.scheduling_gates;
  if (std::find(gates.begin(), gates.end(), plan::kQueueGate) != gates.end()) {
    (planned ? gated_ : unplanned_).Add(pod);
    return;
  }
  const auto member = plan::MembershipOf(pod, nullptr);
  // A pod without a minimum may start by itself.
  const bool waits = member && (member->minimum != 0 || member->dialect != plan::Dialect::kLabels);
  if (planned && waits) ungated_.Add(pod);
}

void QueueGates::AddTo(Findings* findings) const {
  const auto add = [findings](FindingId id, const Seen& seen, std::string_view what,
                              std::string fix) {
    findings->Add(id, Place{"pod " + seen.example, 0, 0},
                  fmt::format("{} pod{} {}", seen.pods, seen.pods == 1 ? "" : "s", what),
                  std::move(fix));
  };
  if (unplanned_.pods > 0) {
    add(FindingId::kGateStays, unplanned_,
        "that no agent of this file plans, with the gate outrigger.dev/queue",
        "entries of an agent that plans, their schedulers in scheduler-names, or a policy and "
        "templates that do not gate them; `outrigger gang release --all` releases them");
  }
  if (gated_.pods == 0 && ungated_.pods > 0) {
    add(FindingId::kGateMissing, ungated_, "of groups without a node, none with the gate",
        "deploy/member-policy.yaml, or the gate in the templates of pods");
  }
}

}  // namespace outrigger::cli
