#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/serve/options.h"
#include "console/format/world.h"
#include "console/settings/prepare_settings.h"

namespace outrigger::cli {

/// Everything of `serve` before it starts: the settings from all sources, checked. Warnings are
/// for the log, which `log` says how to open.
struct PreparedServe {
  ServeOptions options;
  LogOptions log;
  std::vector<std::string> warnings;
};
absl::StatusOr<PreparedServe> PrepareServe(const SettingsFlags& flags, const World& world);

}  // namespace outrigger::cli
