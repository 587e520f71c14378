#pragma once

#include <chrono>
#include <mutex>
#include <stop_token>
#include <vector>

#include "kube/timing.h"

namespace outrigger::kube {

/// A clock that goes on only where somebody waits, and then at once. Thread-safe.
class VirtualTime {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `random` is what every draw gives.
  Timing timing(double random = 0) {
    Timing timing;
    timing.now = [this] { return now(); };
    timing.sleep = [this](Clock::Duration time, const std::stop_token& stop) {
      Wait(std::chrono::duration_cast<std::chrono::milliseconds>(time));
      return !stop.stop_requested();
    };
    timing.random = [random] { return random; };
    return timing;
  }
  TimePoint now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void Advance(std::chrono::milliseconds time) {
    const std::lock_guard lock(mutex_);
    now_ += time;
  }
  /// How long was waited, each time.
  std::vector<int64_t> waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  void Wait(std::chrono::milliseconds time) {
    const std::lock_guard lock(mutex_);
    now_ += time;
    waits_.push_back(time.count());
  }

  mutable std::mutex mutex_;  // guards what follows
  TimePoint now_{std::chrono::hours(1000)};
  std::vector<int64_t> waits_;  // ms
};

}  // namespace outrigger::kube
