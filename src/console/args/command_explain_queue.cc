// The command line of `outrigger explain queue`.

#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {

namespace {

// For a plan that is made here.
constexpr const char* kPlanFlags[] = {"--cluster",         "--kubeconfig", "--context",
                                      "--scheduler-names", "--unchecked",  "--pod-priority"};

}  // namespace

void CommandLine::Tree::AddExplainQueue(CLI::App* explain) {
  CLI::App* queue = AddCommand(
      "queue", "The queue of gangs and pods that wait: order, state, what is short", explain);
  AddValue(queue, "--agent", "URL",
           "ask the running agent qos, http://127.0.0.1:PORT with its admin port (9972; in a "
           "cluster: kubectl port-forward); without it, the queue is planned here");
  AddPlanFlags(queue);
  AddValue(queue, "--pod-priority", "BOOL",
           "order by pod priority, as the agent's setting of that name (default true)",
           {false, false, {"true", "false"}});
  AddValue(queue, "--limit", "N",
           fmt::format("rows at most, 1 to {0} (default {0})", ExplainFlags::kMostRows));
  AddValue(queue, "-o,--output", "FORMAT", "table, json or yaml (default table)",
           {false, false, {"table", "json", "yaml"}});
  AddColor(queue);
  queue->footer(fmt::format(
      "Without --agent all gangs and single pods that wait are planned together, as agents gang "
      "and qos do.\nWhat they remember (refusals of kube-scheduler, gangs that gave up their "
      "places), and addedAffinity of\nprofiles, are not known here.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadExplainQueue(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kExplainQueue;
  absl::Status status = ReadExplainFlags(given, &command.explain);
  if (status.ok()) status = CheckWord(given, "--pod-priority");
  if (!status.ok()) return status;
  ExplainFlags& flags = command.explain;
  flags.agent = ValueOf(given, "--agent", "");
  if (given.count("--agent") > 0 && flags.agent.empty()) {
    return absl::InvalidArgumentError("--agent: \"\" is not accepted: http://127.0.0.1:PORT");
  }
  for (const char* flag : kPlanFlags) {
    if (flags.agent.empty() || given.count(flag) == 0) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} is for a plan that is made here; --agent shows the agent's own", flag));
  }
  flags.scheduler_names = ValueOf(given, "--scheduler-names", flags.scheduler_names);
  flags.unchecked = ValueOf(given, "--unchecked", "");
  flags.pod_priority = ValueOf(given, "--pod-priority", "true") == "true";
  status = ReadLimit(given, &flags.limit);
  if (!status.ok()) return status;
  return command;
}

}  // namespace outrigger::cli
