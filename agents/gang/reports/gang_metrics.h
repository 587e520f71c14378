#pragma once

#include <string_view>
#include <vector>

#include "outrigger/agent/metrics.h"

// The names of the agent's metrics, but for those of preemption. docs/gang.md says what each
// counts.

namespace outrigger::gang {

namespace metric {

inline constexpr std::string_view kLeading = "outrigger_gang_leading";
inline constexpr std::string_view kWaitingGangs = "outrigger_gang_waiting";
inline constexpr std::string_view kAdmission = "outrigger_gang_admission_seconds";
inline constexpr std::string_view kWaiters = "outrigger_gang_waiters";
inline constexpr std::string_view kStanding = "outrigger_gang_barriers_waiting";
inline constexpr std::string_view kPartial = "outrigger_gang_partial";
inline constexpr std::string_view kPlanning = "outrigger_gang_planning_seconds";
inline constexpr std::string_view kReserved = "outrigger_gang_reserved_nodes";
inline constexpr std::string_view kBarriers = "outrigger_gang_barriers_total";
inline constexpr std::string_view kHeld = "outrigger_gang_held_seconds";
inline constexpr std::string_view kNominations = "outrigger_gang_nominations_total";
inline constexpr std::string_view kTimeouts = "outrigger_gang_timeouts_total";
inline constexpr std::string_view kGated = "outrigger_gang_gated";
inline constexpr std::string_view kReleases = "outrigger_gang_releases_total";
inline constexpr std::string_view kUnasked = "outrigger_gang_resource_missing";

}  // namespace metric

/// What they are.
std::vector<MetricSpec> GangMetrics();

}  // namespace outrigger::gang
