#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

// Values that people write with a unit. Errors say what is accepted.

namespace outrigger::cli {

inline constexpr std::string_view kAcceptedDuration =
    "a duration from 0s to 1h, such as 500ms, 20s or 1m30s";
inline constexpr std::string_view kAcceptedSize = "a size from 1Ki to 2Gi, such as 256Mi or 100M";

/// As Go's time.ParseDuration reads it, from 0 to 1h, in whole milliseconds.
absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// "1s", "1m30s", "500ms": as Go reads it.
std::string PrintDuration(std::chrono::milliseconds duration);

/// A Kubernetes quantity of bytes.
absl::StatusOr<size_t> ParseSize(std::string_view text);

}  // namespace outrigger::cli
