#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

namespace outrigger {

/// Reads the steady clock, or what a test puts in its place.
using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

/// Time as code sees it that also waits; tests put in their own. All functions are thread-safe.
struct Clock {
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  SteadyNow now = std::chrono::steady_clock::now;
  /// Wall-clock time, for what has an expiry date.
  std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
  /// Waits; false if stop was requested before that was over.
  std::function<bool(Duration, const std::stop_token&)> sleep = [](Duration time,
                                                                   const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock<std::mutex> lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  };
};

}  // namespace outrigger
