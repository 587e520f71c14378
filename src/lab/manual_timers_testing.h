#pragma once

#include <functional>
#include <map>
#include <utility>

#include "lab/framework/timers.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Time that a test moves by hand.
class ManualTimers final : public Timers {
 public:
  Clock::TimePoint Now() const override {
    const MutexLock lock(mutex_);
    return now_;
  }
  /// A task that is due waits for the next Advance(), which may be one of no time.
  void At(Clock::TimePoint when, std::function<void()> task) override {
    const MutexLock lock(mutex_);
    tasks_.emplace(when, std::move(task));
  }
  /// Moves time on, and calls what is due on the way, each task at its time.
  void Advance(Clock::Duration time) {
    const Clock::TimePoint until = Now() + time;
    while (const std::function<void()> task = TakeDueBy(until)) task();
    const MutexLock lock(mutex_);
    now_ = until;
  }

 private:
  std::function<void()> TakeDueBy(Clock::TimePoint until) {
    const MutexLock lock(mutex_);
    if (tasks_.empty() || tasks_.begin()->first > until) return nullptr;
    now_ = std::max(now_, tasks_.begin()->first);
    return std::move(tasks_.extract(tasks_.begin()).mapped());
  }

  mutable Mutex mutex_;
  Clock::TimePoint now_ ABSL_GUARDED_BY(mutex_) = Clock::TimePoint() + std::chrono::hours(1);
  std::multimap<Clock::TimePoint, std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::lab
