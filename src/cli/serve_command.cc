#include <algorithm>

#include "cli/commands.h"
#include "cli/scheduler_config/facts.h"
#include "cli/serve/prepare_serve.h"
#include "cli/serve/serve.h"
#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/process/signals.h"
#include "spdlog/spdlog.h"

namespace outrigger::cli {
namespace {

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

int RunServe(const Given& given, const World& world) {
  absl::StatusOr<PreparedServe> prepared =
      PrepareServe({given.Value("--config"), given.settings()}, world);
  if (!prepared.ok()) return Finish(prepared.status(), world);
  const absl::Status read = ReadFacts(world, &prepared->options);
  if (!read.ok()) return Finish(read, world);
  HoldSignals();
  StartLogging(prepared->log);
  for (const std::string& warning : prepared->warnings) spdlog::warn("{}", warning);
  absl::Status status = Serve(prepared->options, world.environment);
  if (status.ok()) return kDone;
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kFailed;
}

}  // namespace

Command ServeCommand(const std::vector<AgentInfo>& registry) {
  return {.name = "serve",
          .summary = "Serve agents to a kube-scheduler",
          .flags = {ConfigFlag("Settings of the server")},
          .settings = ServeSettings(registry),
          .notes =
              "Order of precedence: flag, environment (OUTRIGGER_SAFE_MAX_RISK for "
              "--safe.max-risk), settings file\n(safe: {maxRisk: ...}), default. SIGTERM and "
              "SIGINT drain; a second one ends the process at once.",
          .opens_connections = true,
          .run = RunServe};
}

}  // namespace outrigger::cli
