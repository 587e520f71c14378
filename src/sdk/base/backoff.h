#pragma once

#include <algorithm>
#include <cstdint>

namespace outrigger {

/// How long to wait before what has failed is tried again: `first`, twice as long after each
/// further failure in a row, at most `longest`. A plain value.
template <typename Duration>
class Backoff {
 public:
  constexpr Backoff(Duration first, Duration longest) : first_(first), longest_(longest) {}

  /// Counts a failure. Returns the wait after it.
  constexpr Duration Fail() {
    wait_ = std::min(std::max(Duration(2 * wait_), first_), longest_);
    return wait_;
  }
  /// The wait after the last failure; zero if there was none.
  constexpr Duration wait() const { return wait_; }
  /// Forgets the failures.
  constexpr void Reset() { wait_ = Duration::zero(); }

  /// The wait after `failures` failures in a row, at least one.
  static constexpr Duration After(int64_t failures, Duration first, Duration longest) {
    Backoff backoff(first, longest);
    for (int64_t i = 0; i < failures && backoff.wait() < longest; ++i) backoff.Fail();
    return backoff.wait();
  }

 private:
  Duration first_;
  Duration longest_;
  Duration wait_ = Duration::zero();
};

}  // namespace outrigger
