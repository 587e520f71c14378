#include "lab/framework/scheduling_queue.h"

#include <algorithm>
#include <utility>

namespace outrigger::lab {
namespace {

constexpr std::chrono::seconds kLeftoversEvery{30};

bool AsksFor(const std::vector<ClusterEvent>& registered, const ClusterEvent& event) {
  return std::ranges::any_of(registered,
                             [&](const ClusterEvent& each) { return each.Matches(event); });
}

}  // namespace

SchedulingQueue::SchedulingQueue(Timers* timers, PodLess less, QueueOptions options)
    : options_(std::move(options)),
      active_(std::move(less)),
      backoff_(
          [this](const QueuedPod& a, const QueuedPod& b) { return BackoffEnd(a) < BackoffEnd(b); }),
      timers_(timers) {
  timers_.After(kLeftoversEvery, [this] { FlushLeftovers(); });
}

void SchedulingQueue::Add(std::shared_ptr<const Pod> pod) {
  const MutexLock lock(mutex_);
  const std::string& uid = pod->uid;
  if (in_flight_.Update(pod, {})) return;
  if (active_.Contains(uid) || backoff_.Contains(uid) || unschedulable_.contains(uid)) return;
  AddNew(std::move(pod));
}

void SchedulingQueue::Update(const std::shared_ptr<const Pod>& before,
                             std::shared_ptr<const Pod> after) {
  const std::vector<ClusterEvent> changes = ChangesOf(*before, *after);
  const MutexLock lock(mutex_);
  if (in_flight_.Update(after, changes)) return;
  if (active_.Replace(after) || backoff_.Replace(after)) return;
  auto at = unschedulable_.find(after->uid);
  if (at == unschedulable_.end()) {
    AddNew(std::move(after));
    return;
  }
  QueuedPod& queued = at->second;
  queued.pod = std::move(after);
  const auto helps = [&](const ClusterEvent& change) { return Helps(change, queued); };
  if (std::ranges::any_of(changes, helps)) WakeUnschedulable(&at);
}

void SchedulingQueue::Delete(const Pod& pod) {
  const MutexLock lock(mutex_);
  in_flight_.Delete(pod.uid);
  active_.Take(pod.uid);
  backoff_.Take(pod.uid);
  unschedulable_.erase(pod.uid);
}

std::optional<QueuedPod> SchedulingQueue::Pop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  ready_.wait(lock, stop,
              [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !active_.empty(); });
  if (stop.stop_requested()) return std::nullopt;
  QueuedPod queued = active_.TakeFirst();
  ++queued.attempts;
  queued.unschedulable_plugins.clear();
  in_flight_.Begin(queued.pod);
  return queued;
}

bool SchedulingQueue::HasReady() const {
  const MutexLock lock(mutex_);
  return !active_.empty();
}

void SchedulingQueue::AddUnschedulable(QueuedPod queued) {
  const MutexLock lock(mutex_);
  std::optional<InFlightPods::Landed> landed = in_flight_.End(queued.pod->uid);
  if (!landed.has_value() || landed->pod == nullptr) return;
  queued.pod = std::move(landed->pod);

  const bool broke = queued.unschedulable_plugins.empty();
  queued.rejections += broke ? 0 : 1;
  queued.errors_in_a_row = broke ? queued.errors_in_a_row + 1 : 0;
  Stamp(&queued);

  // What broke may be whole again any time, and no event would say so.
  const auto helps = [&](const auto& happening) { return Helps(happening, queued); };
  if (broke || std::ranges::any_of(landed->meanwhile, helps)) {
    ToActiveOrBackoff(std::move(queued));
  } else {
    unschedulable_.insert_or_assign(queued.pod->uid, queued);
  }
}

void SchedulingQueue::Done(std::string_view uid) {
  const MutexLock lock(mutex_);
  in_flight_.EndPlaced(uid);
}

void SchedulingQueue::OnEvent(const ClusterEvent& event) {
  if (!HelpsAny(event)) return;
  const MutexLock lock(mutex_);
  for (auto at = unschedulable_.begin(); at != unschedulable_.end();) {
    if (Helps(event, at->second)) {
      WakeUnschedulable(&at);
    } else {
      ++at;
    }
  }
  in_flight_.Remember(event);
}

SchedulingQueue::Part SchedulingQueue::PartOf(std::string_view uid) const {
  const MutexLock lock(mutex_);
  if (active_.Contains(uid)) return Part::kActive;
  if (backoff_.Contains(uid)) return Part::kBackoff;
  if (unschedulable_.contains(uid)) return Part::kUnschedulable;
  return in_flight_.Contains(uid) ? Part::kInFlight : Part::kNone;
}

/// Most of what happens in a cluster no plugin has asked for: it need not be remembered.
bool SchedulingQueue::HelpsAny(const ClusterEvent& event) const {
  return std::ranges::any_of(options_.registered,
                             [&](const auto& plugin) { return AsksFor(plugin.second, event); });
}

bool SchedulingQueue::Helps(const InFlightPods::Happening& happening,
                            const QueuedPod& queued) const {
  if (!happening.has_value()) return true;
  // One plugin that may have changed its mind will do. That others still say no shows in the cycle.
  return std::ranges::any_of(queued.unschedulable_plugins, [&](const std::string& plugin) {
    const auto at = options_.registered.find(plugin);
    return at != options_.registered.end() && AsksFor(at->second, *happening);
  });
}

/// An error says nothing about the pod, so errors are counted apart, and only as long as they last.
Clock::TimePoint SchedulingQueue::BackoffEnd(const QueuedPod& queued) const {
  const int failures = queued.errors_in_a_row > 0 ? queued.errors_in_a_row : queued.rejections;
  if (failures == 0) return queued.timestamp;
  Clock::Duration backoff = options_.initial_backoff;
  for (int i = 1; i < failures && backoff < options_.max_backoff; ++i) backoff *= 2;
  return queued.timestamp + std::min(backoff, options_.max_backoff);
}

void SchedulingQueue::AddNew(std::shared_ptr<const Pod> pod) {
  QueuedPod queued{std::move(pod)};
  Stamp(&queued);
  ToActive(std::move(queued));
}

void SchedulingQueue::Stamp(QueuedPod* queued) {
  queued->timestamp = timers_.Now();
  queued->arrival = ++arrivals_;
}

void SchedulingQueue::ToActive(QueuedPod queued) {
  active_.Add(std::move(queued));
  ready_.notify_one();
}

void SchedulingQueue::ToActiveOrBackoff(QueuedPod queued) {
  const Clock::TimePoint end = BackoffEnd(queued);
  if (end <= timers_.Now()) {
    ToActive(std::move(queued));
    return;
  }
  backoff_.Add(std::move(queued));
  timers_.At(end, [this] { FlushBackoff(); });
}

/// Moves `at` on to the next pod.
void SchedulingQueue::WakeUnschedulable(Unschedulable::iterator* at) {
  ToActiveOrBackoff(std::move((*at)->second));
  *at = unschedulable_.erase(*at);
}

/// There is a timer for each pod that came in here. One that has left by now is not missed.
void SchedulingQueue::FlushBackoff() {
  const MutexLock lock(mutex_);
  const Clock::TimePoint now = timers_.Now();
  while (!backoff_.empty() && BackoffEnd(backoff_.First()) <= now) {
    ToActive(backoff_.TakeFirst());
  }
}

void SchedulingQueue::FlushLeftovers() {
  const MutexLock lock(mutex_);
  timers_.After(kLeftoversEvery, [this] { FlushLeftovers(); });
  const Clock::TimePoint since = timers_.Now() - options_.flush_after;
  const size_t before = unschedulable_.size();
  for (auto at = unschedulable_.begin(); at != unschedulable_.end();) {
    if (at->second.timestamp < since) {
      WakeUnschedulable(&at);
    } else {
      ++at;
    }
  }
  // As upstream has it: pods that fail just now have their second try with those that were flushed.
  if (unschedulable_.size() < before) in_flight_.Remember(std::nullopt);
}

}  // namespace outrigger::lab
