#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <stop_token>

#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

/// Lets so many through at once; the others wait, and who came first goes first. Thread-safe.
class Turnstile {
 public:
  explicit Turnstile(size_t places) : free_(places) {}

  /// Waits for a place. False if `deadline` (of std::chrono::steady_clock) came, or stop was
  /// requested, before there was one; otherwise Leave() gives it back.
  bool Enter(Clock::TimePoint deadline, const std::stop_token& stop);
  void Leave();

  /// How many wait.
  size_t waiting() const;

 private:
  struct Waiter {
    std::condition_variable_any wake;
    bool entered = false;
  };

  mutable Mutex mutex_;
  size_t free_ ABSL_GUARDED_BY(mutex_);
  std::deque<Waiter*> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::kube
