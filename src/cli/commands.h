#pragma once

#include <vector>

#include "console/args/command.h"

// The commands whose parts lie in several folders.

namespace outrigger::cli {

/// `outrigger serve`.
Command ServeCommand(const std::vector<AgentInfo>& registry);

/// `outrigger scheduler-config`.
Command SchedulerConfigCommand(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
