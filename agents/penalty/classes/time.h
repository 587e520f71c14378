#pragma once

#include <chrono>
#include <cstdint>

#include "sdk/base/backoff.h"

namespace outrigger::penalty {

/// A point in time, in milliseconds since 1970 (UTC), or a span of milliseconds. This library reads
/// no clock: callers hand the time in.
using Millis = int64_t;

/// Returns a point in time of a clock.
inline Millis MillisOf(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// The last time that is accepted: the end of the year 9999. Earlier than 1970 is not accepted.
inline constexpr Millis kEndOfTime = 253'402'300'799'999;

/// The pause after something has failed: from a second up to a minute. A plain value.
class Delay {
 public:
  static constexpr Millis kFirst = 1'000;
  static constexpr Millis kLongest = 60'000;

  bool IsOver(Millis now) const { return now >= until_; }
  /// When it is over; 0: there is none.
  Millis until() const { return until_; }

  void OnFailure(Millis now) { until_ = now + pause_.Fail().count(); }
  void OnResult(bool is_good, Millis now) {
    if (is_good) {
      *this = {};
    } else {
      OnFailure(now);
    }
  }

 private:
  Millis until_ = 0;
  Backoff<std::chrono::milliseconds> pause_{std::chrono::milliseconds(kFirst),
                                            std::chrono::milliseconds(kLongest)};
};

}  // namespace outrigger::penalty
