#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace outrigger {

/// Lets a thread wait until there is something to do. Thread-safe.
class Pace {
 public:
  /// There is something: a Wait() ends, or the next one does not begin.
  void Wake() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_woken_ = true;
    woken_.notify_all();
  }
  /// Waits for Wake(), for `most` or for stop; true if it was woken.
  bool Wait(std::chrono::milliseconds most, const std::stop_token& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    woken_.wait_for(lock, stop, most, [this] { return is_woken_; });
    const bool was_woken = is_woken_;
    is_woken_ = false;
    return was_woken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool is_woken_ = false;
};

}  // namespace outrigger
