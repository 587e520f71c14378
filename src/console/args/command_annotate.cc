// The command lines of `outrigger annotate`.

#include "console/args/command_tree.h"
#include "console/settings/annotate_settings.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr const char* kUsageNotes =
    "Writes mean, deviation and forecast of each node's free cpu (millicores) and memory (bytes),\n"
    "which the agents safe and congestion read. A value that the source does not have is never\n"
    "written as zero.";
constexpr const char* kAllocationNotes =
    "Writes what the pods of each node request and what is free, as kube-scheduler counts it, at\n"
    "most a second after a pod is bound, which the agent pigeon reads.";
constexpr const char* kVariables =
    "A setting is taken from the first that has it: flag, environment (OUTRIGGER_ANNOTATE_QPS for\n"
    "--qps), settings file (qps: ...), variable of the original program, default.";

}  // namespace

void CommandLine::Tree::AddAnnotate() {
  CLI::App* annotate = AddCommand("annotate", "Write what agents read of nodes as annotations");
  annotate->get_formatter()->label("Subcommands", "What to write");
  AddAnnotateCommand(annotate, Annotating::kUsage, "usage",
                     "Write how much of each node is free, as measured over a window");
  AddAnnotateCommand(annotate, Annotating::kAllocation, "allocation",
                     "Write what the pods of each node request, and what is free");
}

void CommandLine::Tree::AddAnnotateCommand(CLI::App* annotate, Annotating what,
                                           const std::string& name, const std::string& summary) {
  CLI::App* command = AddCommand(name, summary, annotate);
  AddValue(command, "--config", "FILE",
           "settings file in YAML, shared by both commands; also OUTRIGGER_ANNOTATE_CONFIG",
           {true, false, {}});
  command->add_flag("--once")->description("Write once, under the Lease, and end");
  command->add_flag("--dry-run")
      ->description("Write nothing: print once what would be written, and what is missing");
  const SettingGroup group = MakeAnnotateGroup(what);
  for (const BoundSetting& setting : group.settings) {
    AddSetting(command, setting, "Settings");
  }
  command->footer(fmt::format("{}\n{}\n{}",
                              what == Annotating::kUsage ? kUsageNotes : kAllocationNotes,
                              kVariables, kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadAnnotate(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kAnnotate;
  ReadSettings(given, &command);
  command.annotate = {
      .what = given.get_name() == "usage" ? Annotating::kUsage : Annotating::kAllocation,
      .config = command.config,
      .settings = command.settings,
      .once = given.count("--once") > 0,
      .dry_run = given.count("--dry-run") > 0};
  return command;
}

}  // namespace outrigger::cli
