#pragma once

#include <vector>

#include "console/args/command.h"
#include "outrigger/agent/registry.h"

// The commands that show a running agent.

namespace outrigger::cli {

/// `outrigger ui`: the pages of the agent that leads, in a browser.
Command UiCommand(const std::vector<AgentInfo>& registry);

/// `outrigger top`: queue, nodes and reasons, in a terminal.
Command TopCommand(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
