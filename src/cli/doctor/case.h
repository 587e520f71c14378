#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/document.h"
#include "cli/scheduler_config/entries.h"
#include "cli/scheduler_config/facts.h"
#include "console/format/world.h"
#include "console/settings/setting_group.h"
#include "outrigger/agent/registry.h"

// What the doctor's checks look at: the configuration, whose its entries are, and what the agents
// are told.

namespace outrigger::cli {

struct DoctorCase {
  MapReader root;
  std::vector<MapReader> profiles;
  std::vector<Entry> entries;
  std::vector<ServedPath> paths;
  const std::vector<SettingGroup>& told;  // outlives this
  SchedulerFacts facts = {};              // what the configuration says to agents that read it

  /// The agents that entries call, in the registry's order.
  std::vector<const AgentInfo*> Agents() const;
  std::vector<const Entry*> EntriesOf(const AgentInfo& agent) const;
  /// What an agent is told; nothing if it has no such setting.
  std::optional<std::string> Told(const AgentInfo& agent, std::string_view setting) const;
  /// The same; nothing also if the setting is not set.
  std::optional<std::string> Given(const AgentInfo& agent, std::string_view setting) const;
  /// No scheduler is to call the agent.
  bool IsAlone(const AgentInfo& agent) const { return Told(agent, "mode") == "alone"; }
};

/// The first group is that of the server. If its list `agents` is not empty, only these agents have
/// a group.
/// Internal for an agent that refuses its own defaults.
absl::StatusOr<DoctorCase> MakeCase(const YAML::Node& root, const std::vector<SettingGroup>& told,
                                    const LeftOutAgents& left_out);

}  // namespace outrigger::cli
