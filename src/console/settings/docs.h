#pragma once

#include <string>
#include <utility>
#include <vector>

#include "console/settings/setting_group.h"

namespace outrigger::cli {

/// One section of docs/settings.md: a heading, a table of the group's own settings, and which it
/// shares.
std::string SettingsSection(const SettingGroup& group);

/// Rows of the settings that several agents share (SettingSpec::shared_by), each with who does.
std::vector<std::pair<std::string, std::string>> SharedRows(
    const std::vector<SettingGroup>& groups);

/// The sections of the two annotators.
std::string AnnotatorSections();

/// The whole of docs/settings.md.
std::string SettingsPage(const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
