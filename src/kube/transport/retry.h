#pragma once

#include <chrono>
#include <functional>

#include "absl/status/status.h"
#include "kube/timing.h"

namespace outrigger::kube {

/// How often, and how far apart, a call is tried again.
struct RetryPolicy {
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds longest{10'000};
  int most = 10;  // tries besides the first
};

/// In [0, 1); thread-safe.
using Random = std::function<double()>;

/// How long to wait before try number `retry` (from 1) after `error`: what the server asked for
/// with Retry-After, and "full jitter" on top, which is a random part of first * 2^(retry - 1), at
/// most `longest`. `random` is in [0, 1).
Clock::Duration RetryDelay(const RetryPolicy& policy, int retry, const absl::Status& error,
                           double random);

/// Whether the same call may succeed later: 429, 500, 502, 503, 504, or no answer at all because
/// there was no connection or it was lost.
bool IsTransient(const absl::Status& error);

}  // namespace outrigger::kube
