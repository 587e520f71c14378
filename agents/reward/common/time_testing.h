#pragma once

#include "common/method.h"

namespace outrigger::reward {

inline constexpr Seconds kStart = 1'795'000'000;
inline constexpr Seconds kDay = 86'400;

}  // namespace outrigger::reward
