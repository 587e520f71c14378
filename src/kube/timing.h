#pragma once

#include <functional>

#include "outrigger/base/clock.h"

namespace outrigger::kube {

/// A number in [0, 1), of a generator of its own for each thread, seeded by the system.
double SystemRandom();

/// Time and chance, as what repeats itself needs them; tests put their own in.
struct Timing : Clock {
  /// A number in [0, 1). Called by one thread at a time.
  std::function<double()> random = SystemRandom;
};

}  // namespace outrigger::kube
