#include "kube/transport/retry.h"

#include "kube/errors.h"
#include "sdk/base/backoff.h"

namespace outrigger::kube {

Clock::Duration RetryDelay(const RetryPolicy& policy, int retry, const absl::Status& error,
                           double random) {
  const auto most = Backoff<std::chrono::milliseconds>::After(retry, policy.first, policy.longest);
  auto delay = std::chrono::duration_cast<Clock::Duration>(most * random);
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
