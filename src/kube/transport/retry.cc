#include "kube/transport/retry.h"

#include <algorithm>
#include <cmath>

#include "kube/errors.h"

namespace outrigger::kube {

Clock::Duration RetryDelay(const RetryPolicy& policy, int retry, const absl::Status& error,
                           double random) {
  using Seconds = std::chrono::duration<double>;
  const double doublings = std::clamp(retry - 1, 0, 60);
  const double most = std::min(Seconds(policy.first).count() * std::exp2(doublings),
                               Seconds(policy.longest).count());
  auto delay = std::chrono::duration_cast<Clock::Duration>(Seconds(most * random));
  const auto said = ApiErrorOf(error);
  if (said && said->retry_after) delay += *said->retry_after;
  return delay;
}

bool IsTransient(const absl::Status& error) {
  const auto said = ApiErrorOf(error);
  if (!said) return absl::IsUnavailable(error);
  switch (said->code) {
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

}  // namespace outrigger::kube
