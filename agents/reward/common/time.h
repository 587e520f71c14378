#pragma once

#include <cstdint>

namespace outrigger::reward {

/// Seconds since 1970, UTC.
using Seconds = int64_t;

}  // namespace outrigger::reward
