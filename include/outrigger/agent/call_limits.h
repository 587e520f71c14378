#pragma once

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "outrigger/base/clock.h"

namespace outrigger {

/// How long a call may take, retries included. It ends with Cancelled soon after stop is requested.
struct CallLimits {
  std::chrono::milliseconds timeout{10'000};
  std::stop_token stop = {};
};

/// One timeout for several calls, from its construction on. A plain value, thread-safe as such.
class CallBudget {
 public:
  explicit CallBudget(CallLimits limits, SteadyNow now = std::chrono::steady_clock::now)
      : limits_(std::move(limits)), now_(std::move(now)), end_(now_() + limits_.timeout) {}

  /// For the next call: with the time that is left, 0 if that is over.
  CallLimits Left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - now_());
    return {.timeout = std::max(left, std::chrono::milliseconds(0)), .stop = limits_.stop};
  }
  /// What it began with.
  const CallLimits& limits() const { return limits_; }
  /// The same with another timeout from now on.
  CallBudget Within(std::chrono::milliseconds timeout) const {
    return CallBudget({.timeout = timeout, .stop = limits_.stop}, now_);
  }

 private:
  CallLimits limits_;
  SteadyNow now_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace outrigger
