#include "cli/doctor/group_resources.h"

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/group.h"

namespace outrigger::cli {

void GroupResources::Take(const Pod& pod) {
  if (pod.being_deleted) return;
  const plan::CallsAsked asked = plan::CallsAskedBy(pod);
  if (asked.All() || !plan::MembershipOf(pod, nullptr)) return;
  Kind& kind = kinds_[asked.Missing()];
  if (kind.example.empty()) kind.example = fmt::format("{}/{}", pod.namespace_, pod.name);
  ++(pod.node_name.empty() ? kind.waiting : kind.bound);
}

void GroupResources::AddTo(Findings* findings) const {
  for (const auto& [missing, kind] : kinds_) {
    findings->Add(
        FindingId::kGroupResourceMissing, Place{"pod " + kind.example, 0, 0},
        fmt::format("{} waiting and {} bound do not request {}", kind.waiting, kind.bound, missing),
        "the resource in their pod template, or deploy/member-policy.yaml");
  }
}

}  // namespace outrigger::cli
