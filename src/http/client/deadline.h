#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace outrigger::http_client {

/// Ends a call that takes too long. cpp-httplib 0.11 has time-outs between two bytes only, so a
/// peer that sends a byte now and then would never let it end.
class Deadline {
 public:
  /// Calls `end` again and again, on a thread of its own, from `total` after now, or from a request
  /// to stop, until this is destroyed: a call that comes before the socket is open has no effect.
  Deadline(std::chrono::milliseconds total, const std::stop_token& stop, std::function<void()> end);

  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// True once `end` was called.
  bool passed() const { return passed_; }

 private:
  std::atomic<bool> passed_{false};
  std::stop_source early_;  // requested where the first wait is over before its time
  std::stop_callback<std::function<void()>> by_caller_;
  std::jthread thread_;  // last: uses the above; its destructor joins it
};

}  // namespace outrigger::http_client
