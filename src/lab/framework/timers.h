#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::lab {

/// Time, and what is to be done later. Everything in the lab goes by one of these, so that a test
/// (and, one day, a whole simulated day) can move time by hand. Thread-safe.
class Timers {
 public:
  virtual ~Timers() = default;
  virtual Clock::TimePoint Now() const = 0;
  /// Calls `task` once at that time or soon after, at once if it is over, in some thread and
  /// without a lock. `task` must be quick, and may call After() itself.
  virtual void At(Clock::TimePoint when, std::function<void()> task) = 0;
  void After(Clock::Duration time, std::function<void()> task) {
    At(Now() + time, std::move(task));
  }
};

/// The real time; tasks run on one thread. Those that are not due at its end are dropped.
class ThreadTimers final : public Timers {
 public:
  ThreadTimers();
  ~ThreadTimers() override;  // stops
  ThreadTimers(const ThreadTimers&) = delete;
  ThreadTimers& operator=(const ThreadTimers&) = delete;

  Clock::TimePoint Now() const override;
  void At(Clock::TimePoint when, std::function<void()> task) override;
  /// Waits for the task that runs, if one does; no other begins from then on. Not for tasks.
  void Stop();

 private:
  void Run(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any woken_;
  std::multimap<Clock::TimePoint, std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  std::jthread thread_;  // last
};

/// Timers for an object that may end before its timers are due: as its last member, this waits at
/// its end for a task that has begun, and lets none begin afterwards. Thread-safe. Tasks may take
/// the object's locks: none is held at the object's end.
class ScopedTimers {
 public:
  /// `timers` outlives this.
  explicit ScopedTimers(Timers* timers);
  ~ScopedTimers();
  ScopedTimers(const ScopedTimers&) = delete;
  ScopedTimers& operator=(const ScopedTimers&) = delete;

  Clock::TimePoint Now() const { return timers_->Now(); }
  /// As Timers::At(); one task at a time.
  void At(Clock::TimePoint when, std::function<void()> task);
  void After(Clock::Duration time, std::function<void()> task) {
    At(Now() + time, std::move(task));
  }

 private:
  struct Gate;  // lives as long as timers may come to it

  Timers* const timers_;
  const std::shared_ptr<Gate> gate_;
};

}  // namespace outrigger::lab
