#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/agents/agents.h"
#include "cli/serve/options.h"
#include "nlohmann/json.hpp"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// Everything that a process which serves `agent` with these settings does at the API server:
/// what is watched so that names-only calls can be answered, what the agent itself does, and the
/// binding of pods that it prepares. In a fixed order, no objects twice.
absl::StatusOr<std::vector<AccessRule>> AccessOf(const AgentInfo& agent,
                                                 const SettingsValues& values);

/// How agents run, as far as their rights depend on it.
struct RightsFlags {
  std::string mode = {};         // the setting of this name; empty: its default
  std::string replacement = {};  // as mode
  std::string name_space = {};   // empty: where the first agent keeps its state
};

/// The rights of agents that run as one account.
struct AgentRights {
  /// A setting by which an agent's state is in `name_space`.
  struct State {
    std::string agent;
    std::string setting;
    std::string value;
  };
  std::string name_space = {};  // empty: none was given, and none keeps state
  std::vector<AccessRule> access = {};
  std::vector<State> states = {};
};

/// The rights of `agents`; no objects twice. InvalidArgument with mode `alone` for an agent that
/// has no such setting.
absl::StatusOr<AgentRights> RightsOf(const std::vector<const AgentInfo*>& agents,
                                     const RightsFlags& flags);

/// Whose rights these are, and where the account lives.
struct RightsHolder {
  std::string role;
  std::string account;
  std::string name_space;
};

/// ClusterRole and ClusterRoleBinding, and Role and RoleBinding for rules of the account's own
/// namespace, all named as the holder's role.
std::vector<nlohmann::ordered_json> RbacObjects(const RightsHolder& holder,
                                                std::vector<AccessRule> access);

/// InvalidArgument for what cannot name objects: more than 63 characters, or others than lower-case
/// letters, digits and '-'.
absl::Status CheckObjectName(std::string_view flag, const std::string& text);

/// `outrigger agents NAME --rbac`: ServiceAccount, ClusterRole and ClusterRoleBinding, and Role and
/// RoleBinding where there are rules for the agent's own namespace, with exactly those rights, as
/// YAML for `kubectl apply -f -`. Without a namespace they are for where the agents keep their
/// state by default; with another one a comment says which setting follows. InvalidArgument without
/// a name, and with mode `alone` for an agent that has no such setting.
absl::StatusOr<std::string> RbacText(const AgentsFlags& flags,
                                     const std::vector<AgentInfo>& registry,
                                     const LeftOutAgents& left_out);

}  // namespace outrigger::cli
