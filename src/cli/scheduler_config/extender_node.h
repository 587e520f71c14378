#pragma once

#include <string>
#include <vector>

#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {

/// The element of `extenders` that says what `extender` does.
YAML::Node ExtenderNode(const ExtenderEntry& extender);

/// What the reader of a configuration should know about the TLS of its extenders.
std::vector<std::string> TlsNotes(const std::vector<ExtenderEntry>& extenders);

/// How agents that plan get to know the scheduler: a line or nothing.
std::vector<std::string> PlannerNotes(const std::vector<ExtenderEntry>& extenders);

/// What has to go with entries that are called only about some pods: a line or nothing.
std::vector<std::string> MembersOnlyNotes(const std::vector<ExtenderEntry>& extenders);

/// What whoever runs the agents should know of how nodes are sent: a line or nothing.
std::vector<std::string> NodeNotes(const std::vector<ExtenderEntry>& extenders);

}  // namespace outrigger::cli
