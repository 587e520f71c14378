#include "gang/desk/nominations/life_signs.h"

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

}  // namespace outrigger::desk
