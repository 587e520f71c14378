#include "common/method.h"

#include <algorithm>

namespace outrigger::reward {

Moment NowOf(const Clock& clock) {
  const auto wall = clock.wall().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::seconds>(wall).count(), clock.now()};
}

bool PodFilter::IsInNamespace(const PodView& pod) const {
  return namespaces.empty() || std::ranges::find(namespaces, pod.Namespace()) != namespaces.end();
}

bool PodFilter::MayTake(const PodView& pod) const {
  return !pod.NodeName().empty() && !pod.IsAssumed() && IsInNamespace(pod);
}

bool PodFilter::Takes(const Pod& pod) const {
  return !selector || selector->Matches(pod.labels);
}

}  // namespace outrigger::reward
