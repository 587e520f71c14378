#pragma once

#include <chrono>

namespace outrigger::gang {

using Time = std::chrono::steady_clock::time_point;

}  // namespace outrigger::gang
