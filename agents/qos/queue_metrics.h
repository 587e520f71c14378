#pragma once

#include <string_view>
#include <vector>

#include "outrigger/agent/metrics.h"

// The names of the agent's metrics. README.md says what each counts.

namespace outrigger::qos {

namespace metric {

inline constexpr std::string_view kLeading = "outrigger_qos_leading";
inline constexpr std::string_view kLength = "outrigger_qos_queue_length";
inline constexpr std::string_view kHeadAge = "outrigger_qos_head_age_seconds";
inline constexpr std::string_view kHeld = "outrigger_qos_held";
inline constexpr std::string_view kInversions = "outrigger_qos_inversions_total";

}  // namespace metric

/// What they are.
std::vector<MetricSpec> QueueMetrics();

}  // namespace outrigger::qos
