#include "kube/transport/rate_limiter.h"

#include <algorithm>

namespace outrigger::kube {

using Seconds = std::chrono::duration<double>;

RateLimiter::RateLimiter(double per_second, double burst)
    : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

std::optional<Clock::Duration> RateLimiter::Reserve(Clock::TimePoint now,
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
