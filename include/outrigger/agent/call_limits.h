#pragma once

#include <chrono>
#include <stop_token>

namespace outrigger {

/// How long a call may take, retries included. It ends with Cancelled soon after stop is requested.
struct CallLimits {
  std::chrono::milliseconds timeout{10'000};
  std::stop_token stop = {};
};

}  // namespace outrigger
