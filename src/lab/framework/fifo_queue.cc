#include "lab/framework/fifo_queue.h"

#include <utility>
#include <vector>

#include "lab/framework/cluster_event.h"

namespace outrigger::lab {

FifoQueue::FifoQueue(Timers* timers, PodLess less) : timers_(timers), active_(std::move(less)) {}

void FifoQueue::Add(std::shared_ptr<const Pod> pod) {
  const MutexLock lock(mutex_);
  if (in_flight_.Update(pod, {}) || active_.Contains(pod->uid)) return;
  Append(std::move(pod));
}

void FifoQueue::Update(const std::shared_ptr<const Pod>& before, std::shared_ptr<const Pod> after) {
  const std::vector<ClusterEvent> changes = ChangesOf(*before, *after);
  const MutexLock lock(mutex_);
  if (in_flight_.Update(after, changes) || active_.Replace(after)) return;
  // It failed before. The condition that we write says so, and is a change of the pod, too: only
  // what a scheduler looks at counts, or it would be tried again for having failed.
  if (!changes.empty()) Append(std::move(after));
}

void FifoQueue::Delete(const Pod& pod) {
  const MutexLock lock(mutex_);
  in_flight_.Delete(pod.uid);
  active_.Take(pod.uid);
}

std::optional<QueuedPod> FifoQueue::Pop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  ready_.wait(lock, stop,
              [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !active_.empty(); });
  if (stop.stop_requested()) return std::nullopt;
  QueuedPod queued = active_.TakeFirst();
  ++queued.attempts;
  in_flight_.Begin(queued.pod);
  return queued;
}

bool FifoQueue::HasReady() const {
  const MutexLock lock(mutex_);
  return !active_.empty();
}

void FifoQueue::AddUnschedulable(QueuedPod queued) {
  const MutexLock lock(mutex_);
  const std::optional<InFlightPods::Landed> landed = in_flight_.End(queued.pod->uid);
  if (!landed.has_value() || landed->pod == nullptr) return;
  // It changed while we looked at what it was before.
  if (!landed->meanwhile.empty()) Append(landed->pod);
}

void FifoQueue::Done(std::string_view uid) {
  const MutexLock lock(mutex_);
  in_flight_.EndPlaced(uid);
}

void FifoQueue::OnEvent(const ClusterEvent& /*event*/) {}

void FifoQueue::Append(std::shared_ptr<const Pod> pod) {
  QueuedPod queued{std::move(pod)};
  queued.timestamp = timers_->Now();
  queued.arrival = ++arrivals_;
  active_.Add(std::move(queued));
  ready_.notify_one();
}

}  // namespace outrigger::lab
