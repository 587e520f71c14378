#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "outrigger/base/clock.h"

namespace outrigger::devices::agent {

/// When actions that failed are tried again: each by itself, after a time that doubles with each
/// failure in a row. Of one thread.
class Retries {
 public:
  explicit Retries(SteadyNow now) : now_(std::move(now)) {}

  void BeginRound() { ++round_; }
  /// Whether the action may be tried now. An action that a whole round does not ask for is
  /// forgotten.
  bool IsDue(const std::string& action);
  /// It failed; at `longest` until the next try. Returns whether `text` is news: the last failure
  /// of it said something else.
  bool Fail(const std::string& action, std::string text, Clock::Duration longest);
  void Succeed(const std::string& action) { failed_.erase(action); }
  /// All that is to be done in this round was asked for.
  void EndRound();

  /// When the next one is due; nothing: none has failed.
  std::optional<Clock::TimePoint> Next() const;

 private:
  struct Failed {
    int count = 0;  // in a row
    Clock::TimePoint next;
    std::string text;
    uint64_t round = 0;
  };

  const SteadyNow now_;
  std::map<std::string, Failed, std::less<>> failed_;
  uint64_t round_ = 0;
};

}  // namespace outrigger::devices::agent
