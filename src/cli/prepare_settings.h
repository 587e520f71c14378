#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/setting_group.h"

namespace outrigger::cli {

/// All settings from all sources, each checked by itself.
struct PreparedSettings {
  std::vector<SettingGroup> groups;   // as MakeSettingGroups() orders them
  std::vector<std::string> warnings;  // for the log, or standard error
};

/// The settings of a command that takes them: its flags, the environment, and the file that its
/// --config or OUTRIGGER_CONFIG names. InvalidArgument as LoadSettings(); Unavailable for a file
/// that cannot be read.
absl::StatusOr<PreparedSettings> PrepareSettings(const Command& command, const World& world);

/// Adds a warning for each flag of an agent that is not among `served`: most likely a slip. (A
/// shared environment or file is not.)
void WarnOfIdleFlags(const Command& command, const std::vector<engine::ServedAgent>& served,
                     PreparedSettings* prepared);

}  // namespace outrigger::cli
