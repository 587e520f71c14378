#pragma once

#include <string_view>
#include <vector>

#include "outrigger/agent/metrics.h"

// The names of the agent's metrics. README.md says what each counts.

namespace outrigger::reward {

namespace metric {

inline constexpr std::string_view kLeading = "outrigger_reward_leading";
inline constexpr std::string_view kOutcomes = "outrigger_reward_outcomes_total";
inline constexpr std::string_view kPairs = "outrigger_reward_pairs";
inline constexpr std::string_view kLeftOut = "outrigger_reward_pairs_left_out";
inline constexpr std::string_view kBytes = "outrigger_reward_state_bytes";
inline constexpr std::string_view kErrors = "outrigger_reward_errors_total";

}  // namespace metric

/// What they are.
std::vector<MetricSpec> RewardMetrics();

}  // namespace outrigger::reward
