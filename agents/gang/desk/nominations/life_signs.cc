#include "gang/desk/nominations/life_signs.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace outrigger::desk {

bool LifeSigns::HasBound(std::span<const PodPtr> pods, const plan::GroupOptions& groups) {
  int64_t last = last_bound_;
  size_t count = 0;
  for (const PodPtr& pod : pods) {
    if (pod->node_name.empty() || pod->scheduled_time < last ||
        !plan::IsOurs(*pod, groups.scheduler_names)) {
      continue;
    }
    count = pod->scheduled_time > last ? 1 : count + 1;
    last = pod->scheduled_time;
  }
  const bool more = std::tie(last, count) > std::tie(last_bound_, bound_by_then_);
  last_bound_ = last;
  bound_by_then_ = count;
  return more;
}

bool WasTried(const Pod& pod) {
  return !pod.unscheduled_reason.empty() && pod.unscheduled_reason != "SchedulingGated";
}

bool WasTriedSince(const Pod& before, const Pod& now) {
  return WasTried(now) && (before.unscheduled_reason != now.unscheduled_reason ||
                           before.unscheduled_message != now.unscheduled_message);
}

bool HasBegun(const plan::Unit& unit) {
  return unit.bound > 0 ||
         std::any_of(unit.members.begin(), unit.members.end(), [](const plan::Member& member) {
           return member.pod->scheduling_gates.empty();
         });
}

bool GiveRefusedNodes(const plan::Plan& plan, std::span<plan::Unit> units) {
  bool any = false;
  for (size_t i = 0; i < units.size(); ++i) {
    if (plan.units[i].fits || !HasBegun(units[i])) continue;
    for (plan::Member& member : units[i].members) {
      any |= !member.refused.empty();
      member.refused.clear();
    }
  }
  return any;
}

}  // namespace outrigger::desk
