#pragma once

#include <chrono>
#include <condition_variable>
#include <optional>
#include <stop_token>

#include "outrigger/base/mutex.h"

namespace outrigger {

/// Lets a thread wait for work. Thread-safe.
class Pace {
 public:
  /// Ends the current Wait(), or else the next one at once.
  void Wake() {
    const MutexLock lock(mutex_);
    is_woken_ = true;
    woken_.notify_all();
  }
  /// Waits for Wake(), for stop or, if it is set, for `most`; true if it was woken.
  bool Wait(std::optional<std::chrono::milliseconds> most, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    const auto is_woken = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return is_woken_; };
    if (most) {
      woken_.wait_for(lock, stop, *most, is_woken);
    } else {
      woken_.wait(lock, stop, is_woken);
    }
    const bool was_woken = is_woken_;
    is_woken_ = false;
    return was_woken;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any woken_;
  bool is_woken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace outrigger
