// The command line of `outrigger doctor`.

#include "console/args/command_tree.h"
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
  AddPodsOfDoctor(doctor);
  AddConfig(doctor, "Settings of the agents");
  for (const SettingGroup& group : MakeSettingGroups(registry)) {
    for (const BoundSetting& setting : group.settings) {
      if (group.agent != nullptr) {
        AddSetting(doctor, setting, "Settings of " + group.Title());
      } else if (setting.flag == "--port" || setting.flag == "--agents" ||
                 setting.flag == "--scheduler-config" || setting.flag == "--max-waiting-binds") {
        AddSetting(doctor, setting, "Settings of the agents");
      }
    }
    for (const RetiredSetting& retired : group.retired) AddHidden(doctor, retired.flag);
  }
  doctor->footer(fmt::format(
      "The file is checked against the settings that `serve` would take. Nothing is called without "
      "--live.\ndocs/doctor.md lists what can be found. Exit code 1 also says that there are "
      "errors, with "
      "--strict or warnings.\n{}",
      kExitCodes));
}

void CommandLine::Tree::AddPodsOfDoctor(CLI::App* doctor) {
  AddValue(
      doctor, "--cluster", "FILE",
      "pods to search for markers of groups that are not read, as `kubectl get pods -A -o json` "
      "(faster) or yaml prints them; - reads standard input",
      {true, false, {}});
  doctor->add_flag("--live")->description("The same with the pods of the live cluster");
  AddValue(doctor, "--kubeconfig", "FILE", "how to reach the live cluster", {true, false, {}});
  AddValue(doctor, "--context", "NAME", "context of the kubeconfig (default: the current one)");
}

absl::Status CommandLine::Tree::ReadPodsOfDoctor(const CLI::App& given, DoctorFlags* flags) {
  flags->cluster = ValueOf(given, "--cluster", "");
  flags->live = given.count("--live") > 0;
  flags->kubeconfig = ValueOf(given, "--kubeconfig", "");
  flags->context = ValueOf(given, "--context", "");
  if (flags->live && !flags->cluster.empty()) {
    return absl::InvalidArgumentError(
        "--live and --cluster exclude each other: pods come from one");
  }
  if (!flags->live && !(flags->kubeconfig.empty() && flags->context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context go with --live");
  }
  if (flags->file == "-" && flags->cluster == "-") {
    return absl::InvalidArgumentError(
        "the file - and --cluster - both read standard input; only one can");
  }
  return absl::OkStatus();
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
  absl::Status pods = ReadPodsOfDoctor(given, &flags);
  if (!pods.ok()) return pods;
  return command;
}

}  // namespace outrigger::cli
