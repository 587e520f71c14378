#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace outrigger::agent_client {

/// Ends a call that takes too long. cpp-httplib 0.11 has time-outs between two bytes only, so a
/// peer that sends a byte now and then would never let it end.
class Deadline {
 public:
  /// Calls `end` again and again, on a thread of its own, from `total` after now until this is
  /// destroyed: a call that comes before the socket is open has no effect.
  Deadline(std::chrono::milliseconds total, std::function<void()> end);

  bool passed() const { return passed_; }

 private:
  std::atomic<bool> passed_{false};
  std::jthread thread_;  // last: uses the above; its destructor stops and joins it
};

}  // namespace outrigger::agent_client
