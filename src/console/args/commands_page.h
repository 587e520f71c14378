#pragma once

#include <string>
#include <vector>

#include "console/settings/setting_group.h"

namespace outrigger::cli {

/// Returns the sections of docs/commands.md: one per command and group of flags, so that a build
/// with some of the agents has some of the page's sections.
std::vector<std::string> CommandSections(const std::vector<AgentInfo>& registry);

/// Returns the whole of docs/commands.md.
std::string CommandsPage(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
