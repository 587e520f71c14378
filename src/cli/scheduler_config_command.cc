#include <istream>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/scheduler_config/flags.h"
#include "cli/scheduler_config/from_policy.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "console/args/flags.h"
#include "console/format/files.h"

namespace outrigger::cli {
namespace {

absl::StatusOr<std::optional<SchedulerConfigInput>> ReadInput(const std::string& flag,
                                                              const std::string& path,
                                                              const World& world) {
  if (path.empty()) return std::optional<SchedulerConfigInput>();
  if (path == "-") {
    return SchedulerConfigInput{"standard input", {std::istreambuf_iterator<char>(world.in), {}}};
  }
  absl::StatusOr<std::string> yaml = ReadFile(path);
  if (!yaml.ok()) return Of(flag, yaml.status());
  return SchedulerConfigInput{path, *std::move(yaml)};
}

absl::StatusOr<SchedulerConfigFlags> ReadSchedulerConfigFlags(const Given& given,
                                                              const World& world) {
  SchedulerConfigFlags flags;
  flags.agents = given.Value("--agents");
  if (given.Has("--agents") && flags.agents.empty()) {
    return absl::InvalidArgumentError(
        "--agents: \"\" is not accepted; expected agent names, see `outrigger agents`; leave it "
        "out to have all compiled in");
  }
  flags.urls = given.Values("--url");
  flags.weights = given.Values("--weight");
  flags.http_timeouts = given.Values("--http-timeout");
  flags.tls_cas = given.Values("--tls-ca");
  flags.tls_certs = given.Values("--tls-cert");
  flags.tls_keys = given.Values("--tls-key");
  flags.tls_server_names = given.Values("--tls-server-name");
  flags.tls_insecure = given.Has("--tls-insecure");
  flags.bind_timeout = given.Value("--bind-timeout", flags.bind_timeout);
  flags.in = given.Value("--in");
  flags.scheduler_name = given.Value("--scheduler-name");
  flags.name_space = given.Value("--namespace", flags.name_space);
  flags.kubeconfig = given.Value("--kubeconfig");
  flags.full_nodes = given.Has("--full-nodes");
  flags.ignorable = given.Has("--ignorable");
  flags.members_only = given.Has("--members-only") || given.Has("--only-groups");
  if (!given.Has("--only-groups")) return flags;
  if (given.Has("--members-only")) {
    return absl::InvalidArgumentError(
        "--only-groups is the former name of --members-only: give only one");
  }
  world.err << "note: --only-groups is now --members-only; the former name still works\n";
  return flags;
}

int Print(const SchedulerConfigText& text, const World& world) {
  for (const std::string& note : text.notes) world.err << "note: " << note << "\n";
  return Finish(absl::StatusOr<std::string>(text.yaml), world);
}

// A Policy has its own extenders.
absl::Status CheckFlagsBesidePolicy(const Given& given) {
  for (const char* flag :
       {"--agents", "--url", "--in", "--weight", "--http-timeout", "--bind-timeout", "--full-nodes",
        "--ignorable", "--members-only", "--only-groups", "--tls-ca", "--tls-cert", "--tls-key",
        "--tls-server-name", "--tls-insecure"}) {
    if (!given.Has(flag)) continue;
    return absl::InvalidArgumentError(
        std::string(flag) +
        " is not accepted with --from-policy, which takes the extenders of the Policy; to add "
        "agents, run scheduler-config again with --in and its output");
  }
  return absl::OkStatus();
}

absl::StatusOr<SchedulerConfigText> WriteFromPolicy(const Given& given, const World& world) {
  absl::Status status = CheckFlagsBesidePolicy(given);
  if (!status.ok()) return status;
  const auto input = ReadInput("--from-policy", given.Value("--from-policy"), world);
  if (!input.ok()) return input.status();
  if (!input->has_value()) {
    return absl::InvalidArgumentError("\"\" is not accepted; expected the path of a file, or -");
  }
  const auto converted = policy::ConvertPolicy(**input, given.Value("--scheduler-name"));
  if (!converted.ok()) return converted.status();
  SchedulerConfigPlan plan;
  plan.scheduler_name = converted->scheduler_name;
  plan.lease_namespace = given.Value("--namespace", plan.lease_namespace);
  plan.kubeconfig = given.Value("--kubeconfig");
  plan.compiled_in = MakeSettingGroups(world.registry);
  plan.left_out = world.left_out;
  plan.notes = converted->notes;
  auto text = WriteSchedulerConfig(plan, converted->configuration);
  if (!text.ok()) return text;
  status =
      CheckAcceptedByScheduler({"what is asked for", text->yaml}, plan.compiled_in, plan.left_out);
  if (!status.ok()) return status;
  return text;
}

int RunFromPolicy(const Given& given, const World& world) {
  const auto text = WriteFromPolicy(given, world);
  if (!text.ok()) return Finish(Of("--from-policy", text.status()), world);
  return Print(*text, world);
}

int RunSchedulerConfig(const Given& given, const World& world) {
  if (given.Has("--from-policy")) return RunFromPolicy(given, world);
  const auto read = ReadSchedulerConfigFlags(given, world);
  if (!read.ok()) return Finish(read.status(), world);
  const SchedulerConfigFlags& flags = *read;
  const auto plan = PlanSchedulerConfig(flags, world.registry, world.left_out);
  if (!plan.ok()) return Finish(plan.status(), world);
  const auto input = ReadInput("--in", flags.in, world);
  if (!input.ok()) return Finish(input.status(), world);
  if (input->has_value()) {
    const SchedulerConfigInput& base = **input;
    const absl::Status accepted =
        CheckAcceptedByScheduler({base.name, base.yaml}, plan->compiled_in, plan->left_out);
    if (!accepted.ok()) return Finish(Of("--in", accepted), world);
  }
  const auto text = WriteSchedulerConfig(*plan, *input);
  if (!text.ok()) return Finish(Of(flags.in.empty() ? "" : "--in", text.status()), world);
  return Print(*text, world);
}

// A flag with a value for each agent.
Flag PerAgentFlag(const std::string& name, const std::string& value, const std::string& help) {
  return {.name = name,
          .value = "[AGENT=]" + value,
          .help = help,
          .is_file = value == "FILE",
          .is_repeatable = true};
}

std::vector<Flag> TlsFlags() {
  return {PerAgentFlag("--tls-ca", "FILE",
                       "CA certificates with which the scheduler verifies an agent; this and the "
                       "next two are absolute paths where the scheduler runs"),
          PerAgentFlag("--tls-cert", "FILE",
                       "client certificate of the scheduler for an agent with --client-ca"),
          PerAgentFlag("--tls-key", "FILE", "private key of --tls-cert"),
          PerAgentFlag("--tls-server-name", "NAME",
                       "name in an agent's certificate, if it is not the URL's host"),
          {.name = "--tls-insecure", .help = "Do not verify the certificate at an https:// URL"}};
}

std::vector<Flag> EntryFlags() {
  return {
      {.name = "--full-nodes",
       .help = "Make the scheduler send whole nodes with each call (nodeCacheCapable: false): much "
               "slower, but agents need no access to the API server"},
      {.name = "--ignorable",
       .help = "Let the scheduler continue without an agent that does not respond"},
      {.name = "--members-only",
       .help = "Make the scheduler call agent gang only for pods that request outrigger.dev/gang "
               "and outrigger.dev/gang-bind; pods without a group then cost nothing"},
      {.name = "--only-groups", .is_hidden = true}};
}

}  // namespace

Command SchedulerConfigCommand(const std::vector<AgentInfo>& registry) {
  std::vector<std::string> names;
  names.reserve(registry.size());
  for (const AgentInfo& agent : registry) names.push_back(agent.name);
  Command command{.name = "scheduler-config",
                  .summary = "Print a KubeSchedulerConfiguration that calls agents",
                  .run = RunSchedulerConfig};
  command.flags = Together(
      {{{.name = "--agents",
         .value = "LIST",
         .help = "comma-separated agents (default: all compiled in)",
         .offered = names,
         .is_list = true},
        PerAgentFlag("--url", "URL",
                     "http:// or https:// address of one agent or of all (default 127.0.0.1:<its "
                     "own port>, with TLS if the agent has a --tls flag)"),
        {.name = "--in",
         .value = "FILE",
         .help = "configuration to extend; - reads standard input; comments are lost",
         .is_file = true},
        {.name = "--from-policy",
         .value = "FILE",
         .help = "convert the v1 Policy in FILE (also in a ConfigMap or a manifest) instead of "
                 "calling agents; - reads standard input",
         .is_file = true},
        PerAgentFlag("--weight", "N",
                     "weight of the agent's scores next to the scheduler's own (an integer from 1 "
                     "to 1000; default 1, of reward 10)"),
        PerAgentFlag("--http-timeout", "T",
                     "timeout of filter, prioritize and preempt calls (default 1s)"),
        {.name = "--bind-timeout", .value = "T", .help = "timeout of bind calls (default 10m30s)"},
        {.name = "--scheduler-name",
         .value = "NAME",
         .help = "schedulerName of the profile (default: not written, so default-scheduler)"},
        {.name = "-n,--namespace",
         .value = "NS",
         .help = "with --scheduler-name: namespace of its Lease, which has the scheduler's name "
                 "(default kube-system)"},
        {.name = "--kubeconfig",
         .value = "FILE",
         .help = "clientConnection.kubeconfig",
         .is_file = true}},
       EntryFlags(),
       TlsFlags()});
  return command;
}

}  // namespace outrigger::cli
