#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <stop_token>

#include "outrigger/base/mutex.h"

namespace outrigger {

/// Reads the steady clock, or a test's replacement.
using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

/// Sleeps for `time`; returns false if stop was requested before it was over. Thread-safe.
inline bool SleepFor(std::chrono::steady_clock::duration time, const std::stop_token& stop) {
  Mutex mutex;
  std::condition_variable_any never;
  MutexLock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

/// The clocks, and how to sleep, for code that tests run with clocks of their own. All functions
/// are thread-safe.
struct Clock {
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  SteadyNow now = std::chrono::steady_clock::now;
  /// Wall-clock time, for expiry dates.
  std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
  /// As SleepFor().
  std::function<bool(Duration, const std::stop_token&)> sleep = SleepFor;
};

}  // namespace outrigger
