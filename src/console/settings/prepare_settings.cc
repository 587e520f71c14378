#include "console/settings/prepare_settings.h"

#include <algorithm>
#include <utility>

#include "console/format/files.h"
#include "console/settings/loader.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

absl::Status ReadConfig(const std::string& path, std::vector<FileValue>* values) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  auto parsed = ParseConfigFile(path, *text);
  if (!parsed.ok()) return parsed.status();
  *values = *std::move(parsed);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PreparedSettings> PrepareSettings(const SettingsFlags& flags, const World& world) {
  SettingSources sources;
  sources.flags = flags.settings;
  sources.environment = world.environment;
  const std::string* variable = Find(world.environment, "OUTRIGGER_CONFIG");
  const std::string config =
      !flags.config.empty() || variable == nullptr ? flags.config : *variable;
  if (!config.empty()) {
    absl::Status status = ReadConfig(config, &sources.file);
    if (!status.ok()) return Of(flags.config.empty() ? "OUTRIGGER_CONFIG" : "--config", status);
  }
  PreparedSettings prepared;
  prepared.groups = MakeSettingGroups(world.registry);
  absl::Status status = LoadSettings(sources, &prepared.groups, &prepared.warnings);
  if (!status.ok()) return status;
  return prepared;
}

void WarnOfIdleFlags(const SettingsFlags& flags, const std::vector<engine::ServedAgent>& served,
                     PreparedSettings* prepared) {
  for (const SettingGroup& group : prepared->groups) {
    const bool idle = group.agent != nullptr &&
                      std::none_of(served.begin(), served.end(),
                                   [&](const auto& agent) { return agent.info == group.agent; });
    if (!idle) continue;
    for (const BoundSetting& setting : group.settings) {
      if (!flags.settings.contains(setting.flag) &&
          !flags.settings.contains(setting.former_switch.flag)) {
        continue;
      }
      prepared->warnings.push_back(
          fmt::format("{} has no effect: agent {} is not served", setting.flag, group.agent->name));
    }
  }
}

}  // namespace outrigger::cli
