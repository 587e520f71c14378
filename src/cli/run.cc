#include "cli/run.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

#include "cli/agents/agents.h"
#include "cli/agents/rbac.h"
#include "cli/doctor/doctor.h"
#include "cli/explain/explain.h"
#include "cli/scheduler_config/facts.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "cli/serve/prepare_serve.h"
#include "cli/serve/serve.h"
#include "cli/version.h"
#include "console/args/command_line.h"
#include "console/args/commands_page.h"
#include "console/args/completion.h"
#include "console/format/files.h"
#include "console/process/signals.h"
#include "console/settings/docs.h"
#include "devices/commands/devices/devices.h"
#include "devices/commands/explain/dra.h"
#include "devices/commands/schedule/schedule.h"
#include "gang/commands/commands.h"
#include "lab/commands/lab.h"
#include "load/commands/annotate.h"
#include "load/commands/options.h"
#include "penalty/commands/explain_penalty.h"
#include "penalty/commands/restore.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

int Report(const absl::Status& status, const World& world) {
  if (status.ok()) return kDone;
  world.err << world.program << ": " << std::string(status.message()) << "\n";
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

int Print(const absl::StatusOr<std::string>& text, const World& world) {
  if (!text.ok()) return Report(text.status(), world);
  world.out << *text << std::flush;
  if (world.out.good()) return kDone;
  return Report(absl::UnavailableError("cannot write to standard output"), world);
}

// For agents that plan: what the scheduler's own file says.
absl::Status ReadFacts(const World& world, ServeOptions* options) {
  const bool any_plans =
      std::any_of(options->agents.begin(), options->agents.end(),
                  [](const engine::ServedAgent& agent) { return agent.info->factory.wishes.last; });
  if (options->scheduler_config.empty() || !any_plans) return absl::OkStatus();
  absl::StatusOr<std::string> yaml = ReadFile(options->scheduler_config);
  if (!yaml.ok()) return Of(options->scheduler_config_by, yaml.status());
  std::vector<const AgentInfo*> served;
  served.reserve(options->agents.size());
  for (const engine::ServedAgent& agent : options->agents) served.push_back(agent.info);
  auto facts = ReadSchedulerFacts({options->scheduler_config, *std::move(yaml)},
                                  MakeSettingGroups(world.registry), world.left_out, served);
  if (!facts.ok()) return Of(options->scheduler_config_by, facts.status());
  options->scheduler = *std::move(facts);
  return absl::OkStatus();
}

int RunServe(const Command& command, const World& world) {
  absl::StatusOr<PreparedServe> prepared = PrepareServe({command.config, command.settings}, world);
  if (!prepared.ok()) return Report(prepared.status(), world);
  const absl::Status read = ReadFacts(world, &prepared->options);
  if (!read.ok()) return Report(read, world);
  HoldSignals();
  StartLogging(prepared->log);
  for (const std::string& warning : prepared->warnings) spdlog::warn("{}", warning);
  absl::Status status = Serve(prepared->options, world.environment);
  if (status.ok()) return kDone;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

absl::StatusOr<std::optional<SchedulerConfigInput>> ReadInput(const std::string& path,
                                                              const World& world) {
  if (path.empty()) return std::optional<SchedulerConfigInput>();
  if (path == "-") {
    return SchedulerConfigInput{"standard input", {std::istreambuf_iterator<char>(world.in), {}}};
  }
  absl::StatusOr<std::string> yaml = ReadFile(path);
  if (!yaml.ok()) return Of("--in", yaml.status());
  return SchedulerConfigInput{path, *std::move(yaml)};
}

int RunSchedulerConfig(const SchedulerConfigFlags& flags, const World& world) {
  const auto plan = PlanSchedulerConfig(flags, world.registry, world.left_out);
  if (!plan.ok()) return Report(plan.status(), world);
  const auto input = ReadInput(flags.in, world);
  if (!input.ok()) return Report(input.status(), world);
  if (input->has_value()) {
    const SchedulerConfigInput& given = **input;
    const absl::Status accepted =
        CheckAcceptedByScheduler({given.name, given.yaml}, plan->compiled_in, plan->left_out);
    if (!accepted.ok()) return Report(Of("--in", accepted), world);
  }
  const auto text = WriteSchedulerConfig(*plan, *input);
  if (!text.ok()) return Report(Of(flags.in.empty() ? "" : "--in", text.status()), world);
  for (const std::string& note : text->notes) world.err << "note: " << note << "\n";
  return Print(text->yaml, world);
}

int PrintExplained(const absl::StatusOr<ExplainText>& text, const World& world) {
  if (!text.ok()) return Report(text.status(), world);
  for (const std::string& note : text->notes) world.err << "note: " << note << "\n";
  return Print(text->text, world);
}

int RunDoctor(const Command& command, const World& world) {
  const absl::StatusOr<DoctorReport> report = Doctor(command, world);
  if (!report.ok()) return Report(report.status(), world);
  for (const std::string& note : report->notes) world.err << "note: " << note << "\n";
  const int code = Print(report->text, world);
  return code == kDone && !report->healthy ? kFailed : code;
}

int RunAnnotate(const AnnotateFlags& flags, const World& world) {
  const absl::StatusOr<AnnotateOptions> options = PrepareAnnotate(flags, world);
  if (!options.ok()) return Report(options.status(), world);
  // What ends by itself may be ended at once: it keeps no state of its own.
  if (!options->once) HoldSignals();
  StartLogging(options->log);
  for (const std::string& warning : options->warnings) spdlog::warn("{}", warning);
  const absl::Status status = Annotate(*options, world);
  if (status.ok()) return kDone;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

// The others write to standard output alone: `outrigger docs | head` ends quietly.
bool OpensConnections(Command::Kind kind) {
  switch (kind) {
    case Command::Kind::kServe:
    case Command::Kind::kExplainPod:
    case Command::Kind::kExplainClaim:
    case Command::Kind::kExplainGang:
    case Command::Kind::kExplainQueue:
    case Command::Kind::kExplainPenalty:
    case Command::Kind::kAnnotate:
    case Command::Kind::kPenaltyRestore:
    case Command::Kind::kGangRelease:
    case Command::Kind::kDoctor:
    case Command::Kind::kLabScheduler:
    case Command::Kind::kSchedule:
    case Command::Kind::kDevices:
      return true;
    default:
      return false;
  }
}

int Dispatch(const Command& command, const CommandLine& line, const World& world) {
  if (OpensConnections(command.kind)) IgnoreBrokenPipes();
  switch (command.kind) {
    case Command::Kind::kHelp:
      return Print(command.text, world);
    case Command::Kind::kServe:
      return RunServe(command, world);
    case Command::Kind::kAgents:
      return Print(command.agents.rbac ? RbacText(command.agents, world.registry, world.left_out)
                                       : AgentsText(command.agents, world.registry, world.left_out),
                   world);
    case Command::Kind::kSchedulerConfig:
      return RunSchedulerConfig(command.scheduler_config, world);
    case Command::Kind::kExplainPod:
      return PrintExplained(ExplainPod(command, world), world);
    case Command::Kind::kExplainClaim:
      return PrintExplained(ExplainClaim(command.explain, world), world);
    case Command::Kind::kExplainGang:
      return PrintExplained(ExplainGang(command, world), world);
    case Command::Kind::kExplainQueue:
      return PrintExplained(ExplainQueue(command, world), world);
    case Command::Kind::kExplainPenalty:
      return PrintExplained(ExplainPenalty(command.penalty, world), world);
    case Command::Kind::kAnnotate:
      return RunAnnotate(command.annotate, world);
    case Command::Kind::kPenaltyRestore:
      return Report(RestorePenalty(command.penalty, world), world);
    case Command::Kind::kGangRelease:
      return Report(ReleaseGates(command.gang_release, world), world);
    case Command::Kind::kDoctor:
      return RunDoctor(command, world);
    case Command::Kind::kSchedule:
      return PrintExplained(Schedule(command.schedule, world), world);
    case Command::Kind::kDevices:
      return PrintExplained(ListDevices(command.devices, world), world);
    case Command::Kind::kLabScheduler:
      return Report(RunLabScheduler(command.lab, world), world);
    case Command::Kind::kVersion:
      return Print(VersionText(command.version_output, world.registry), world);
    case Command::Kind::kCompletion:
      return Print(CompletionScript(command.shell, line.Shapes()), world);
    case Command::Kind::kDocsSettings:
      return Print(SettingsPage(world.registry), world);
    case Command::Kind::kDocsCommands:
      return Print(CommandsPage(world.registry), world);
  }
  return kFailed;
}

}  // namespace

int Run(const std::vector<std::string>& arguments, const World& world) {
  CommandLine line(world.registry, world.program);
  const absl::StatusOr<Command> command = line.Parse(arguments);
  if (!command.ok()) return Report(command.status(), world);
  for (const std::string& warning : command->warnings) world.err << "note: " << warning << "\n";
  return Dispatch(*command, line, world);
}

}  // namespace outrigger::cli
