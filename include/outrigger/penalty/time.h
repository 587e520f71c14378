#pragma once

#include <cstdint>

namespace outrigger::penalty {

/// A point in time, in milliseconds since 1970 (UTC), or a span of milliseconds. This library reads
/// no clock: callers hand the time in.
using Millis = int64_t;

/// The last time that is accepted: the end of the year 9999. Earlier than 1970 is not accepted.
inline constexpr Millis kEndOfTime = 253'402'300'799'999;

}  // namespace outrigger::penalty
