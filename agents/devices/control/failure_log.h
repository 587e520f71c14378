#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/base/clock.h"

namespace outrigger::devices::agent {

/// Says why writes in the background fail: one line a minute, since what lacks a right fails for
/// every object. One thread at a time.
class FailureLog {
 public:
  /// `log` may be empty: nothing is said.
  explicit FailureLog(std::function<void(std::string_view line)> log) : log_(std::move(log)) {}

  /// `what` failed at `now`.
  void Say(std::string_view what, const absl::Status& failure, Clock::TimePoint now) {
    constexpr std::chrono::minutes kPeriod{1};
    if (!log_ || (said_.has_value() && now - *said_ < kPeriod)) return;
    said_ = now;
    log_(fmt::format("{}: {}", what, std::string(failure.message())));
  }

 private:
  std::function<void(std::string_view line)> log_;
  std::optional<Clock::TimePoint> said_;
};

}  // namespace outrigger::devices::agent
