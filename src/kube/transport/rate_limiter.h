#pragma once

#include <algorithm>
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
  using Seconds = std::chrono::duration<double>;

  const double per_second_;
  const double burst_;
  Mutex mutex_;
  double tokens_ ABSL_GUARDED_BY(mutex_);  // negative: as many wait
  std::optional<Clock::TimePoint> filled_ ABSL_GUARDED_BY(mutex_);
};

inline RateLimiter::RateLimiter(double per_second, double burst)
    : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

inline std::optional<Clock::Duration> RateLimiter::Reserve(Clock::TimePoint now,
                                                           Clock::Duration patience) {
  if (!(per_second_ > 0)) return Clock::Duration::zero();
  const MutexLock lock(mutex_);
  if (filled_ && now > *filled_) {
    tokens_ = std::min(burst_, tokens_ + Seconds(now - *filled_).count() * per_second_);
  }
  if (!filled_ || now > *filled_) filled_ = now;
  const double missing = std::max(0.0, 1 - tokens_);
  const Seconds wait(missing / per_second_);
  if (wait > patience) return std::nullopt;
  tokens_ -= 1;
  return std::chrono::ceil<Clock::Duration>(wait);
}

}  // namespace outrigger::kube
