#pragma once

#include <vector>

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger explain`, which its subcommands follow.
Command ExplainCommand();

/// `outrigger explain pod`: reads pod and nodes, asks the agents, and prints what they say. Errors
/// as of settings, of files, and of ClusterObjects::Find().
Command ExplainPodCommand(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
