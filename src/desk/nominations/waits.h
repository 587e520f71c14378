#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

// How long to wait before something is tried again.

namespace outrigger::desk {

/// After `times` times: `first`, twice as long each time, at most `longest`.
template <typename First, typename Longest>
constexpr First Doubled(First first, int64_t times, Longest longest) {
  return std::min<First>(first * (int64_t{1} << std::min<int64_t>(times, 20)), longest);
}

/// A write to a pod is given up after so long. It costs an API server that has too much to do its
/// connection and mostly is done all the same, and then it is sent again: so this is long, but less
/// than the 15 s (leaseDuration) after which another scheduler is in charge. With a Lease of our
/// own it is given up when the term is over.
inline constexpr std::chrono::seconds kWriteTimeout{10};

/// A write that has failed is tried again after so long, and after twice as long each time.
inline constexpr std::chrono::milliseconds kFirstRetry{100};
inline constexpr std::chrono::milliseconds kLongestRetry{60'000};

/// After so many refusals without a change a unit is planned less and less often.
inline constexpr int64_t kRefusalsAtOnce = 3;
inline constexpr std::chrono::seconds kLongestRest{60};

}  // namespace outrigger::desk
