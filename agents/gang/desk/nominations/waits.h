#pragma once

#include <chrono>
#include <cstdint>

// How long to wait before something is tried again.

namespace outrigger::desk {

/// A write that has failed is tried again after so long, and after twice as long each time.
inline constexpr std::chrono::milliseconds kFirstRetry{100};
inline constexpr std::chrono::milliseconds kLongestRetry{60'000};

/// After so many refusals without a change a unit is planned less and less often.
inline constexpr int64_t kRefusalsAtOnce = 3;
inline constexpr std::chrono::seconds kLongestRest{60};

}  // namespace outrigger::desk
