#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "load/annotate/node_values.h"

namespace outrigger::annotate {

/// The annotation with the time and the window of the measured values of a node.
inline constexpr std::string_view kMeasured = "outrigger.dev/usage-measured";

/// "2026-11-26T02:00:00Z/86400s".
std::string PrintMeasurement(const Measurement& measurement);

/// The same back; nothing for any other text.
std::optional<Measurement> ParseMeasurement(std::string_view text);

}  // namespace outrigger::annotate
