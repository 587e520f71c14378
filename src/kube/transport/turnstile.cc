#include "kube/transport/turnstile.h"

#include <algorithm>

namespace outrigger::kube {

bool Turnstile::Enter(Clock::TimePoint deadline, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  if (free_ > 0) {
    --free_;
    return true;
  }
  Waiter waiter;
  queue_.push_back(&waiter);
  waiter.wake.wait_until(lock, stop, deadline, [&] { return waiter.entered; });
  if (!waiter.entered) queue_.erase(std::find(queue_.begin(), queue_.end(), &waiter));
  return waiter.entered;
}

void Turnstile::Leave() {
  const MutexLock lock(mutex_);
  if (queue_.empty()) {
    ++free_;
    return;
  }
  // The place is handed on, so that nobody who comes now is faster. Told under the lock: the waiter
  // is gone once it has seen it.
  Waiter* const next = queue_.front();
  queue_.pop_front();
  next->entered = true;
  next->wake.notify_one();
}

size_t Turnstile::waiting() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace outrigger::kube
