// The command line of `outrigger doctor`.

#include "cli/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CommandLine::Tree::AddDoctor(const std::vector<AgentInfo>& registry) {
  CLI::App* doctor =
      AddCommand("doctor", "Check a KubeSchedulerConfiguration for what makes agents go wrong");
  AddValue(doctor, "file", "", "the configuration; - reads standard input", {true, false, {}});
  AddValue(doctor, "-o,--output", "FORMAT", "table, json or yaml (default table)",
           {false, false, {"table", "json", "yaml"}});
  doctor->add_flag("--strict")->description("Fail for warnings, too");
  AddColor(doctor);
  AddConfig(doctor, "Settings of the agents");
  for (const SettingGroup& group : MakeSettingGroups(registry)) {
    for (const BoundSetting& setting : group.settings) {
      if (group.agent != nullptr) {
        AddSetting(doctor, setting, "Settings of " + group.Title());
      } else if (setting.flag == "--port" || setting.flag == "--agents") {
        AddSetting(doctor, setting, "Settings of the agents");
      }
    }
  }
  doctor->footer(fmt::format(
      "The file is checked against the settings that `serve` would take; nobody is called. "
      "docs/doctor.md lists\nwhat can be found. Exit code 1 also says that there are errors, with "
      "--strict or warnings.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadDoctor(const CLI::App& given) const {
  for (const char* flag : {"--output", "--color"}) {
    absl::Status status = CheckWord(given, flag);
    if (!status.ok()) return status;
  }
  Command command;
  command.kind = Command::Kind::kDoctor;
  ReadSettings(given, &command);
  DoctorFlags& flags = command.doctor;
  flags.file = ValueOf(given, "file", "");
  flags.output = ValueOf(given, "--output", flags.output);
  flags.color = ValueOf(given, "--color", flags.color);
  flags.strict = given.count("--strict") > 0;
  if (flags.file.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("doctor wants a file with a KubeSchedulerConfiguration, or - for standard "
                    "input; see `{} doctor --help`",
                    app_.get_name()));
  }
  return command;
}

}  // namespace outrigger::cli
