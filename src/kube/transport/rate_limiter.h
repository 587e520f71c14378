#pragma once

#include <optional>

#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::kube {

/// A token bucket whose callers wait in the order in which they came. Thread-safe.
class RateLimiter {
 public:
  /// `per_second` <= 0: no limit. `burst` calls may come at once; at least 1.
  RateLimiter(double per_second, double burst);

  /// How long a call that begins at `now` has to wait; nothing, and no token is taken, if that is
  /// longer than `patience`.
  std::optional<Clock::Duration> Reserve(Clock::TimePoint now, Clock::Duration patience);

 private:
  const double per_second_;
  const double burst_;
  Mutex mutex_;
  double tokens_ ABSL_GUARDED_BY(mutex_);  // negative: as many wait
  std::optional<Clock::TimePoint> filled_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::kube
