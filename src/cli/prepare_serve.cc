#include <algorithm>

#include "cli/files.h"
#include "cli/run.h"
#include "cli/settings_loader.h"
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

// A flag of an agent that is not served is most likely a slip; a shared environment or file is not.
void WarnOfIdleFlags(const Command& command, const std::vector<SettingGroup>& groups,
                     PreparedServe* prepared) {
  for (const SettingGroup& group : groups) {
    const auto& served = prepared->options.agents;
    const bool idle = group.agent != nullptr &&
                      std::none_of(served.begin(), served.end(),
                                   [&](const auto& agent) { return agent.info == group.agent; });
    if (!idle) continue;
    for (const BoundSetting& setting : group.settings) {
      if (command.settings.count(setting.flag) == 0) continue;
      prepared->warnings.push_back(
          fmt::format("{} has no effect: agent {} is not served", setting.flag, group.agent->name));
    }
  }
}

}  // namespace

absl::StatusOr<PreparedServe> PrepareServe(const Command& command, const World& world) {
  SettingSources sources;
  sources.flags = command.settings;
  sources.environment = world.environment;
  const std::string* variable = Find(world.environment, "OUTRIGGER_CONFIG");
  const std::string config =
      !command.config.empty() || variable == nullptr ? command.config : *variable;
  if (!config.empty()) {
    absl::Status status = ReadConfig(config, &sources.file);
    if (!status.ok()) return status;
  }
  PreparedServe prepared;
  std::vector<SettingGroup> groups = MakeSettingGroups(world.registry);
  absl::Status status = LoadSettings(sources, &groups, &prepared.warnings);
  if (!status.ok()) return status;
  auto options = MakeServeOptions(groups, world.registry, world.left_out);
  if (!options.ok()) return options.status();
  prepared.options = *std::move(options);
  prepared.log = MakeLogOptions(*groups[0].server);
  WarnOfIdleFlags(command, groups, &prepared);
  return prepared;
}

}  // namespace outrigger::cli
