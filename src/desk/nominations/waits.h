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

/// A write that has failed is tried again after so long, and after twice as long each time.
inline constexpr std::chrono::milliseconds kFirstRetry{100};
inline constexpr std::chrono::milliseconds kLongestRetry{60'000};

/// After so many refusals without a change a unit is planned less and less often.
inline constexpr int64_t kRefusalsAtOnce = 3;
inline constexpr std::chrono::seconds kLongestRest{60};

}  // namespace outrigger::desk
