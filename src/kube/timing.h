#pragma once

#include <functional>
#include <random>

#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// A number in [0, 1), of a generator of its own for each thread, seeded by the system.
inline double SystemRandom() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

/// Time and chance, as what repeats itself needs them; tests put their own in.
struct Timing : Clock {
  /// A number in [0, 1). Called by one thread at a time.
  std::function<double()> random = SystemRandom;
};

}  // namespace outrigger::kube
