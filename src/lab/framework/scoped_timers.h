#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "lab/framework/timers.h"
#include "outrigger/base/clock.h"

namespace outrigger::lab {

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
