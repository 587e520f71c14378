#pragma once

#include "absl/status/status.h"
#include "common/desk_names.h"
#include "outrigger/agent/agent.h"
#include "settings.h"

// What settings come to.

namespace outrigger::gang {

Patience PatienceOf(const Settings& settings);
/// InvalidArgument for settings that mean nothing together; the text names setting and value.
absl::Status CheckSettings(const AgentDeps& deps, const Settings& settings);
/// What the agent brings to the desk, but for its participant.
desk::DeskTerms TermsOf(const AgentDeps& deps, const Settings& settings);

}  // namespace outrigger::gang
