#include <utility>

#include "cli/agents/agents.h"
#include "cli/agents/rbac.h"
#include "console/args/flags.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Reads --mode and its former names.
absl::Status ReadMode(const Given& given, std::string* mode, const World& world) {
  *mode = given.Value("--mode");
  for (const char* flag : {"--gates", "--only-groups"}) {
    if (!given.Has(flag)) continue;
    world.err << fmt::format(
        "note: {} is no longer needed: the rights are those of --mode; leave it out\n", flag);
  }
  if (!given.Has("--without-extender")) return absl::OkStatus();
  if (!mode->empty()) {
    return absl::InvalidArgumentError(
        "--without-extender is the former name of --mode=alone: give only one");
  }
  *mode = "alone";
  world.err << "note: --without-extender is now --mode=alone; the former name still works\n";
  return absl::OkStatus();
}

absl::StatusOr<AgentsFlags> ReadAgentsFlags(const Given& given, const World& world) {
  AgentsFlags flags;
  flags.name = given.Value("name");
  flags.output = given.Value("--output", flags.output);
  flags.rbac = given.Has("--rbac");
  for (const char* flag : {"--namespace", "--service-account", "--mode", "--replacement",
                           "--without-extender", "--gates", "--only-groups"}) {
    if (!given.Has(flag) || flags.rbac) continue;
    return absl::InvalidArgumentError(fmt::format("{} needs --rbac", flag));
  }
  absl::Status status = ReadMode(given, &flags.mode, world);
  if (!status.ok()) return status;
  flags.replacement = given.Value("--replacement");
  flags.name_space = given.Value("--namespace");
  flags.service_account = given.Value("--service-account");
  return flags;
}

int RunAgents(const Given& given, const World& world) {
  const auto flags = ReadAgentsFlags(given, world);
  if (!flags.ok()) return Finish(flags.status(), world);
  return Finish(flags->rbac ? RbacText(*flags, world.registry, world.left_out)
                            : AgentsText(*flags, world.registry, world.left_out),
                world);
}

}  // namespace

Command AgentsCommand(const std::vector<AgentInfo>& registry) {
  std::vector<std::string> names;
  names.reserve(registry.size());
  for (const AgentInfo& agent : registry) names.push_back(agent.name);
  Command command{
      .name = "agents", .summary = "List the agents compiled in, or show one", .run = RunAgents};
  command.flags = {
      {.name = "name", .help = "agent to show in detail", .offered = names},
      OutputFlag({"table", "json", "yaml"}),
      {.name = "--rbac",
       .help = "Print the RBAC objects that the agent needs, with its ServiceAccount, for `kubectl "
               "apply -f -`; several agents of one process: NAME,NAME"},
      {.name = "--mode",
       .value = "extender|alone",
       .help = "With --rbac: how the agents run (default extender). alone: no scheduler calls "
               "them; they bind nothing and hold their own Lease",
       .words = {"extender", "alone"}},
      {.name = "--replacement",
       .value = "recreate|mapped",
       .help = "With --rbac: how penalty changes the value of a class (default recreate)",
       .words = {"recreate", "mapped"}},
      {.name = "-n,--namespace",
       .value = "NS",
       .help = "namespace of the ServiceAccount (default: that of the agents' state, else "
               "kube-system)"},
      {.name = "--service-account",
       .value = "NAME",
       .help = "ServiceAccount that gets the rights (default outrigger-<agent>)"}};
  for (const char* former : {"--gates", "--only-groups", "--without-extender"}) {
    command.flags.push_back({.name = former, .is_hidden = true});
  }
  return command;
}

}  // namespace outrigger::cli
