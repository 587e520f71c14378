#pragma once

#include <string>
#include <vector>

#include "cli/settings/setting_group.h"

namespace outrigger::cli {

/// One section of docs/settings.md: a heading and a table of the group's settings.
std::string SettingsSection(const SettingGroup& group);

/// The sections of the two annotators.
std::string AnnotatorSections();

/// The whole of docs/settings.md.
std::string SettingsPage(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
