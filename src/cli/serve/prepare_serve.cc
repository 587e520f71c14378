#include "cli/serve/prepare_serve.h"

#include <utility>

namespace outrigger::cli {

absl::StatusOr<PreparedServe> PrepareServe(const SettingsFlags& flags, const World& world) {
  auto settings = PrepareSettings(flags, world);
  if (!settings.ok()) return settings.status();
  auto options =
      MakeServeOptions(settings->groups, world.registry, world.left_out, world.environment);
  if (!options.ok()) return options.status();
  WarnOfIdleFlags(flags, options->agents, &*settings);
  PreparedServe prepared;
  if (!options->open_to_all.empty()) settings->warnings.push_back(options->open_to_all);
  prepared.options = *std::move(options);
  prepared.log = MakeLogOptions(*settings->groups[0].server);
  prepared.warnings = std::move(settings->warnings);
  return prepared;
}

}  // namespace outrigger::cli
