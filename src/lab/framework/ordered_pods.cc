#include "lab/framework/ordered_pods.h"

#include <utility>

namespace outrigger::lab {

bool OrderedPods::Order::operator()(const QueuedPod& a, const QueuedPod& b) const {
  if (less(a, b)) return true;
  if (less(b, a)) return false;
  return a.arrival < b.arrival;
}

OrderedPods::OrderedPods(PodLess less) : pods_(Order{std::move(less)}) {}

void OrderedPods::Add(QueuedPod queued) {
  std::string uid = queued.pod->uid;
  by_uid_.insert_or_assign(std::move(uid), pods_.insert(std::move(queued)).first);
}

bool OrderedPods::Replace(std::shared_ptr<const Pod> pod) {
  // Out and in again: its place may be another one now.
  std::optional<QueuedPod> queued = Take(pod->uid);
  if (!queued.has_value()) return false;
  queued->pod = std::move(pod);
  Add(*std::move(queued));
  return true;
}

std::optional<QueuedPod> OrderedPods::Take(std::string_view uid) {
  const auto at = by_uid_.find(uid);
  if (at == by_uid_.end()) return std::nullopt;
  const Pods::iterator place = at->second;
  by_uid_.erase(at);
  return std::move(pods_.extract(place).value());
}

QueuedPod OrderedPods::TakeFirst() {
  return *Take(First().pod->uid);
}

}  // namespace outrigger::lab
