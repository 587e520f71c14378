#include "scheduling_queue.h"

#include <algorithm>

namespace outrigger::sim {

void SchedulingQueue::Add(const std::string& name, int32_t priority) {
  Entry entry;
  entry.priority = priority;
  entry.since = timeline_->now();
  pods_[name] = entry;
}

// When the pod may be popped though nothing happens.
Time SchedulingQueue::ReadyAt(const Entry& entry) const {
  switch (entry.where) {
    case Where::kActive:
      return entry.since;
    case Where::kBackoff:
      return entry.since + options_.backoff;
    case Where::kAsleep:
      return entry.since + options_.longest_sleep;
    case Where::kInFlight:
      break;
  }
  return Time::max();
}

std::optional<std::string> SchedulingQueue::Pop() {
  const Time now = timeline_->now();
  const std::string* best = nullptr;
  Entry* entry = nullptr;
  const auto consider = [&](bool early) {
    for (auto& [name, other] : pods_) {
      const bool may =
          early ? other.where == Where::kBackoff && !other.failure.is_error : ReadyAt(other) <= now;
      if (!may) continue;
      const bool first = entry == nullptr || other.priority > entry->priority ||
                         (other.priority == entry->priority && other.since < entry->since);
      if (!first) continue;
      best = &name;
      entry = &other;
    }
  };
  consider(/*early=*/false);
  if (best == nullptr && options_.pops_early) consider(/*early=*/true);
  if (best == nullptr) return std::nullopt;
  entry->where = Where::kInFlight;
  entry->missed_assigned = entry->missed_freed = false;
  return *best;
}

void SchedulingQueue::Failed(const std::string& name, const Failure& failure) {
  const auto found = pods_.find(name);
  if (found == pods_.end()) return;
  Entry& entry = found->second;
  entry.failure = failure;
  entry.since = timeline_->now();
  const bool missed = entry.missed_freed || (entry.missed_assigned && failure.by_extender);
  entry.where = failure.is_error || missed ? Where::kBackoff : Where::kAsleep;
}

void SchedulingQueue::OnEvent(Event event) {
  const Time now = timeline_->now();
  for (auto& [name, entry] : pods_) {
    if (entry.where == Where::kInFlight) {
      (event == Event::kAssigned ? entry.missed_assigned : entry.missed_freed) = true;
    }
    if (entry.where != Where::kAsleep) continue;
    if (event == Event::kAssigned && !entry.failure.by_extender) continue;
    const bool backs_off = entry.since + options_.backoff > now;
    entry.where = backs_off ? Where::kBackoff : Where::kActive;
  }
}

void SchedulingQueue::OnUpdate(const std::string& name) {
  const auto found = pods_.find(name);
  if (found == pods_.end() || found->second.where != Where::kAsleep) return;
  found->second.where = Where::kActive;
}

std::optional<Time> SchedulingQueue::NextPop() const {
  std::optional<Time> next;
  for (const auto& [name, entry] : pods_) {
    const bool early =
        options_.pops_early && entry.where == Where::kBackoff && !entry.failure.is_error;
    const Time at = early ? entry.since : ReadyAt(entry);
    if (at != Time::max() && (!next || at < *next)) next = at;
  }
  return next;
}

}  // namespace outrigger::sim
