#pragma once

#include <chrono>

#include "common/desk_names.h"
#include "eviction/evictor.h"
#include "outrigger/agent/agent.h"
#include "settings.h"

// What settings come to.

namespace outrigger::gang {

/// httpTimeout of the bind entry; without the scheduler's file what scheduler-config writes.
std::chrono::seconds BindTimeoutOf(const Settings& settings, const SchedulerFacts& scheduler);
/// How long a gang may be bound in part.
std::chrono::seconds PartialTimeoutOf(const Settings& settings);
Patience PatienceOf(const Settings& settings, const SchedulerFacts& scheduler);
/// What settings say of evictions.
EvictorOptions EvictorOptionsOf(const Settings& settings);
/// What the agent brings to the desk, but for its participant.
desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings);

}  // namespace outrigger::gang
