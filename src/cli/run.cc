#include "cli/run.h"

#include <utility>

#include "apiserver/commands/lab_apiserver.h"
#include "cli/agents/agents.h"
#include "cli/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/explain/explain.h"
#include "cli/look/look.h"
#include "cli/manifests/manifests.h"
#include "cli/monitoring/monitoring.h"
#include "cli/version.h"
#include "console/args/command_line.h"
#include "console/args/commands_page.h"
#include "console/args/completion.h"
#include "console/args/flags.h"
#include "console/process/signals.h"
#include "console/settings/docs.h"
#include "devices/commands/devices/devices.h"
#include "devices/commands/explain/dra.h"
#include "devices/commands/schedule/schedule.h"
#include "fmt/format.h"
#include "gang/commands/commands.h"
#include "lab/commands/lab.h"
#include "load/commands/annotate.h"
#include "penalty/commands/explain_penalty.h"
#include "penalty/commands/restore.h"

namespace outrigger::cli {
namespace {

using Text = absl::StatusOr<std::string>;

Command VersionCommand() {
  return {.name = "version",
          .summary = "Print the version",
          .flags = {OutputFlag({"text", "json"})},
          .run = [](const Given& given, const World& world) {
            return Finish(Text(VersionText(given.Value("--output", "text"), world.registry)),
                          world);
          }};
}

Command CompletionCommand(const std::string& program) {
  return {
      .name = "completion",
      .summary = fmt::format("Print a completion script: source <({} completion bash)", program),
      .flags = {{.name = "shell", .help = "bash or zsh", .words = {"bash", "zsh"}}},
      .run = [](const Given& given, const World& world) {
        if (!given.Has("shell")) {
          return Finish(
              absl::InvalidArgumentError("completion needs the name of a shell: bash or zsh"),
              world);
        }
        const CommandLine line(Commands(world.registry, world.program), world.program);
        return Finish(Text(CompletionScript(given.Value("shell"), line.Shapes())), world);
      }};
}

// For maintainers: scripts/update-docs.
Command DocsCommand() {
  return {.name = "docs",
          .summary = "Print a page of the documentation",
          .flags = {{.name = "page",
                     .help = "settings, commands, alerts or dashboard",
                     .words = {"settings", "commands", "alerts", "dashboard"}}},
          .is_hidden = true,
          .run = [](const Given& given, const World& world) {
            const std::string page = given.Value("page");
            if (page.empty()) {
              return Finish(absl::InvalidArgumentError("docs needs the name of a page: settings, "
                                                       "commands, alerts or dashboard"),
                            world);
            }
            if (page == "alerts") return Finish(Text(AlertRules()), world);
            if (page == "dashboard") return Finish(Text(Dashboard(world.registry)), world);
            if (page == "settings") return Finish(Text(SettingsPage(world.registry)), world);
            return Finish(Text(CommandsPage(CommandLine(Commands(world.registry)))), world);
          }};
}

}  // namespace

std::vector<Command> Commands(const std::vector<AgentInfo>& registry, const std::string& program) {
  std::vector<Command> commands = {ServeCommand(registry),
                                   AgentsCommand(registry),
                                   SchedulerConfigCommand(registry),
                                   manifests::ManifestsCommand(registry),
                                   DoctorCommand(registry),
                                   UiCommand(registry),
                                   TopCommand(registry),
                                   ExplainCommand(),
                                   ExplainPodCommand(registry),
                                   ExplainClaimCommand(),
                                   ExplainGangCommand(),
                                   ExplainQueueCommand(),
                                   ExplainPenaltyCommand()};
  const auto add = [&commands](std::vector<Command> more) {
    for (Command& command : more) commands.push_back(std::move(command));
  };
  add(AnnotateCommands());
  add(PenaltyCommands());
  add(GangCommands());
  add({ScheduleCommand(), DevicesCommand()});
  add(LabCommands());
  add(ApiServerCommands());
  add({VersionCommand(), CompletionCommand(program), DocsCommand()});
  return commands;
}

int Run(const std::vector<std::string>& arguments, const World& world) {
  CommandLine line(Commands(world.registry, world.program), world.program);
  const absl::StatusOr<Parsed> parsed = line.Parse(arguments);
  if (!parsed.ok()) return Finish(parsed.status(), world);
  if (parsed->command == nullptr) return Finish(Text(parsed->help), world);
  // The others write to standard output alone: `outrigger docs | head` ends quietly.
  if (parsed->command->opens_connections) IgnoreBrokenPipes();
  return parsed->command->run(parsed->given, world);
}

}  // namespace outrigger::cli
