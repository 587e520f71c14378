#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "outrigger/agent/call_limits.h"
#include "outrigger/base/clock.h"

namespace outrigger {

/// One timeout shared by several calls; it starts at construction. A plain value, thread-safe as
/// such.
class CallBudget {
 public:
  explicit CallBudget(CallLimits limits, SteadyNow now = std::chrono::steady_clock::now)
      : limits_(std::move(limits)), now_(std::move(now)), end_(now_() + limits_.timeout) {}

  /// Returns the limits for the next call, with the time left; 0 if none is left.
  CallLimits Left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - now_());
    return {.timeout = std::max(left, std::chrono::milliseconds(0)), .stop = limits_.stop};
  }
  /// The limits at the start.
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
