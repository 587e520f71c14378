#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace outrigger::kube {

/// Time and chance, as what repeats itself needs them; tests put their own in.
struct Timing {
  std::function<std::chrono::steady_clock::time_point()> now;
  /// Blocks for `time`, or until stop is requested.
  std::function<void(std::chrono::milliseconds time, const std::stop_token& stop)> wait;
  /// A number in [0, 1). Called by one thread at a time.
  std::function<double()> random;
};

/// The steady clock, and a generator seeded by the system.
Timing RealTiming();

}  // namespace outrigger::kube
