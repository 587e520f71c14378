#pragma once

#include <atomic>
#include <chrono>

#include "absl/status/status.h"
#include "outrigger/base/clock.h"

namespace outrigger::desk {

/// Since when the planning thread has been at work on one round, and on what: its answers grow old
/// meanwhile, and nothing else would show that it is stuck. Thread-safe.
class PlanPulse {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Longer than any plan of a cluster that is planned at all (docs/performance.md has them), and
  /// than 64 nominations on an API server that is slow take.
  static constexpr std::chrono::seconds kLongest{30};
  /// After so long only a restart helps.
  static constexpr std::chrono::seconds kStuck{180};

  explicit PlanPulse(SteadyNow now) : now_(std::move(now)) {}

  /// The thread begins a round, and what it does next; `what` is static.
  void Begin(const char* what);
  void GoOn(const char* what) { what_ = what; }
  /// The round is over: its answers are there.
  void End() { began_ = Time(); }

  /// For how long a round has been under way; zero: none is.
  std::chrono::milliseconds UnderWay() const;
  /// Unavailable if that is longer than kLongest: what calls are answered by is too old. The text
  /// names seconds and what the thread is at.
  absl::Status Fresh() const { return Within(kLongest); }
  /// The same for kStuck.
  absl::Status Live() const { return Within(kStuck); }

 private:
  absl::Status Within(std::chrono::milliseconds longest) const;

  const SteadyNow now_;
  std::atomic<Time> began_{};
  std::atomic<const char*> what_ = "planning";
};

}  // namespace outrigger::desk
