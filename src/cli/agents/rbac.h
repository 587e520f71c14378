#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/agents/agents.h"
#include "cli/serve/options.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// Everything that a process which serves `agent` with these settings does at the API server:
/// what is watched so that names-only calls can be answered, what the agent itself does, and the
/// binding of pods that it prepares. In a fixed order, no objects twice.
absl::StatusOr<std::vector<AccessRule>> AccessOf(const AgentInfo& agent,
                                                 const SettingsValues& values);

/// `outrigger agents NAME --rbac`: ServiceAccount, ClusterRole and ClusterRoleBinding, and Role and
/// RoleBinding where there are rules for the agent's own namespace, with exactly those rights, as
/// YAML for `kubectl apply -f -`. Without a namespace they are for where the agents keep their
/// state by default; with another one a comment says which setting follows. InvalidArgument without
/// a name, and with mode `alone` for an agent that has no such setting.
absl::StatusOr<std::string> RbacText(const AgentsFlags& flags,
                                     const std::vector<AgentInfo>& registry,
                                     const LeftOutAgents& left_out);

}  // namespace outrigger::cli
