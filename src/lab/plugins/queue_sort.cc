#include "lab/plugins/queue_sort.h"

#include <compare>

#include "gang/plan/order.h"

namespace outrigger::lab {

bool ArrivalSort::Less(const QueuedPod& a, const QueuedPod& b) const {
  return a.timestamp < b.timestamp;
}

bool RiyaSort::Less(const QueuedPod& a, const QueuedPod& b) const {
  const std::weak_ordering order = plan::ComparePods(*a.pod, *b.pod);
  return std::is_neq(order) ? std::is_lt(order) : a.timestamp < b.timestamp;
}

}  // namespace outrigger::lab
