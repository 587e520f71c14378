#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/serve/options.h"
#include "console/args/command.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

struct AgentsFlags {
  std::string name;              // empty: all
  std::string output = "table";  // table, json or yaml
  bool rbac = false;
  std::string mode;             // with rbac: the setting of this name; empty: its default
  std::string replacement;      // as mode
  std::string name_space;       // with rbac; empty: where agents keep their state, or kube-system
  std::string service_account;  // with rbac; empty: outrigger-<agent>
};

/// `outrigger agents`, --rbac included.
Command AgentsCommand(const std::vector<AgentInfo>& registry);

/// A path that an agent answers when it is served, and the verb it runs.
struct AgentPath {
  std::string path;
  std::string verb;
};

/// The paths of an agent with default settings, aliases of older programs included.
absl::StatusOr<std::vector<AgentPath>> PathsOf(const AgentInfo& agent);

/// "filter", "prioritize", "bind", "preempt": the verbs that the agent implements.
std::vector<std::string> VerbsOf(const AgentInfo& agent);

/// `outrigger agents`: a table, or all there is to know in JSON or YAML; with a name, that agent.
absl::StatusOr<std::string> AgentsText(const AgentsFlags& flags,
                                       const std::vector<AgentInfo>& registry,
                                       const LeftOutAgents& left_out);

}  // namespace outrigger::cli
