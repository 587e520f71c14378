#pragma once

#include <string_view>
#include <vector>

#include "outrigger/agent/metrics.h"

// The names of the agent's metrics. README.md says what each counts.

namespace outrigger::penalty {

namespace metric {

inline constexpr std::string_view kLeading = "outrigger_penalty_leading";
inline constexpr std::string_view kValue = "outrigger_penalty_value";
inline constexpr std::string_view kPoints = "outrigger_penalty_points";
inline constexpr std::string_view kStarts = "outrigger_penalty_starts_total";
inline constexpr std::string_view kCompletions = "outrigger_penalty_completions_total";
inline constexpr std::string_view kReplacements = "outrigger_penalty_replacements_total";
inline constexpr std::string_view kGap = "outrigger_penalty_gap_seconds";
inline constexpr std::string_view kLeftAlone = "outrigger_penalty_left_alone";
inline constexpr std::string_view kDropped = "outrigger_penalty_preempt_dropped_total";
inline constexpr std::string_view kErrors = "outrigger_penalty_errors_total";

}  // namespace metric

/// What they are.
std::vector<MetricSpec> PenaltyMetrics();

}  // namespace outrigger::penalty
