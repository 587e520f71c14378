#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace outrigger::penalty {

/// When the leading thread works, and when it waits. Thread-safe.
class Pace {
 public:
  /// Something has changed: a Wait() ends, or the next one does not begin.
  void Wake();
  /// Waits until a Wake(), a Finish(), or a stop request, for `time` at most; nothing: without end.
  void Wait(std::optional<std::chrono::milliseconds> time, const std::stop_token& stop);

  /// A term begins, and ends.
  void BeginTerm();
  void EndTerm();
  /// Nothing new is to be begun.
  bool IsFinishing() const;
  /// Asks the term to end by itself, and returns when it has, or after `limit`.
  void Finish(std::chrono::milliseconds limit);

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_woken_ = false;
  bool is_leading_ = false;
  bool is_finishing_ = false;
};

}  // namespace outrigger::penalty
