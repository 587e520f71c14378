#pragma once

#include <algorithm>

#include "outrigger/penalty/time.h"

namespace outrigger::penalty {

/// The pause after something has failed: a second, and twice as long after each further failure, up
/// to a minute. A plain value.
class Delay {
 public:
  static constexpr Millis kFirst = 1'000;
  static constexpr Millis kLongest = 60'000;

  bool IsOver(Millis now) const { return now >= until_; }
  /// When it is over; 0: there is none.
  Millis until() const { return until_; }

  void OnFailure(Millis now) {
    pause_ = std::clamp(pause_ * 2, kFirst, kLongest);
    until_ = now + pause_;
  }
  void OnResult(bool is_good, Millis now) {
    if (is_good) {
      *this = {};
    } else {
      OnFailure(now);
    }
  }

 private:
  Millis until_ = 0;
  Millis pause_ = 0;
};

}  // namespace outrigger::penalty
