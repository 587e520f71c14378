#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/format/world.h"
#include "console/settings/setting_group.h"
#include "serve/engine/engine.h"

namespace outrigger::cli {

/// What a command line says about settings.
struct SettingsFlags {
  std::string config;                           // path of the settings file, or empty
  std::map<std::string, std::string> settings;  // flag -> value
};

/// All settings from all sources, each checked by itself.
struct PreparedSettings {
  std::vector<SettingGroup> groups;   // as MakeSettingGroups() orders them
  std::vector<std::string> warnings;  // for the log, or standard error
};

/// The settings of a command that takes them: its flags, the environment, and the file that
/// `flags.config` or OUTRIGGER_CONFIG names. InvalidArgument as LoadSettings(); Unavailable for a
/// file that cannot be read.
absl::StatusOr<PreparedSettings> PrepareSettings(const SettingsFlags& flags, const World& world);

/// Adds a warning for each flag of an agent that is not among `served`: most likely a slip. (A
/// shared environment or file is not.)
void WarnOfIdleFlags(const SettingsFlags& flags, const std::vector<engine::ServedAgent>& served,
                     PreparedSettings* prepared);

}  // namespace outrigger::cli
