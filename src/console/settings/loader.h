#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "console/format/environment.h"
#include "console/settings/config_file.h"
#include "console/settings/setting_group.h"

namespace outrigger::cli {

/// Where settings come from. A setting is taken from the first that has it: flag, OUTRIGGER_*
/// variable, settings file, variable of an older program, default.
struct SettingSources {
  std::map<std::string, std::string> flags;  // "--safe.max-risk" -> "0.3", all known
  Environment environment;
  std::vector<FileValue> file;
};

/// Sets what `sources` give. InvalidArgument names the source, the value and what is accepted, or
/// an unknown key of the file and the nearest known one, or a setting that one source gives under
/// its present and its former name; every source is checked, also where another one wins.
/// `warnings` gets former names, what the older program let pass as well: its variables with
/// values that are not accepted, and OUTRIGGER_* variables that mean nothing.
absl::Status LoadSettings(const SettingSources& sources, std::vector<SettingGroup>* groups,
                          std::vector<std::string>* warnings);

}  // namespace outrigger::cli
