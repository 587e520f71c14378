#include <limits>

#include "absl/strings/numbers.h"
#include "console/args/flags.h"
#include "fmt/format.h"
#include "lab/commands/lab.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::cli {
namespace {

constexpr double kMostQps = 100'000;

absl::Status ReadStep(const Given& given, LabFlags* flags) {
  const std::string text = given.Value("--step", std::to_string(flags->step));
  if (absl::SimpleAtoi(text, &flags->step) && flags->step >= LabFlags::kFirstStep &&
      flags->step <= LabFlags::kLastStep) {
    return absl::OkStatus();
  }
  return NotAccepted("--step", text,
                     fmt::format("{} to {}", LabFlags::kFirstStep, LabFlags::kLastStep));
}

absl::Status ReadSeed(const Given& given, LabFlags* flags) {
  if (!given.Has("--seed")) return absl::OkStatus();
  const std::string text = given.Value("--seed");
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return NotAccepted("--seed", text,
                       fmt::format("0 to {}", std::numeric_limits<uint64_t>::max()));
  }
  flags->seed = seed;
  return absl::OkStatus();
}

absl::Status ReadQps(const Given& given, LabFlags* flags) {
  if (!given.Has("--qps")) return absl::OkStatus();
  const std::string text = given.Value("--qps");
  if (absl::SimpleAtod(text, &flags->qps) && flags->qps >= 0 && flags->qps <= kMostQps) {
    return absl::OkStatus();
  }
  return NotAccepted("--qps", text, fmt::format("0 (no limit) to {:.0f}", kMostQps));
}

absl::Status ReadSchedulerName(const Given& given, LabFlags* flags) {
  flags->scheduler_name = given.Value("--scheduler-name", flags->scheduler_name);
  if (IsDnsSubdomain(flags->scheduler_name)) return absl::OkStatus();
  return NotAccepted("--scheduler-name", flags->scheduler_name,
                     "a DNS subdomain name, as a pod's spec.schedulerName");
}

Command SchedulerCommand() {
  Command command{
      .name = "lab scheduler",
      .summary = "Schedule pods with one of seven schedulers, each a step beyond the previous one",
      .opens_connections = true,
      .run = RunOf(ReadLabFlags, RunLabScheduler)};
  command.flags = Together(
      {{{.name = "--step",
         .value = "N",
         .help = fmt::format("{} to {} (default {}): 1 random node, 2 filter, 3 score, 4 "
                             "pre-score, 5 permit, 6 queue, 7 event handlers",
                             LabFlags::kFirstStep, LabFlags::kLastStep, LabFlags::kLastStep)}},
       KubeconfigFlags("the cluster"),
       {{.name = "--scheduler-name",
         .value = "NAME",
         .help = "spec.schedulerName of the pods to schedule (default default-scheduler)"},
        {.name = "--queue-sort",
         .value = "ORDER",
         .help = "order of waiting pods: arrival, or riya: label groupPriority, then QoS class, "
                 "then arrival (default arrival)",
         .words = {"arrival", "riya"}},
        {.name = "--seed",
         .value = "S",
         .help = "random seed; the same seed makes the same choices (default: a new one each time, "
                 "shown by --verbose)"},
        {.name = "--qps",
         .value = "N",
         .help = "calls per second, 0 for no limit; bindings are not limited (default 50)"},
        {.name = "--verbose",
         .help = "Print each plugin's result for each node, one block per pod"},
        ColorFlag()}});
  command.notes =
      "The course docs/learn explains each step. Resources are not checked, and nodes need no "
      "status.\nDo not run a kube-scheduler with the same scheduler name: both would bind the same "
      "pods.\nSIGTERM and SIGINT stop it; a second one ends the process at once.";
  return command;
}

Command NodesCommand() {
  Command command{.name = "lab nodes",
                  .summary = "Simulate nodes, and the pods that run on them, at an API server",
                  .opens_connections = true,
                  .run = RunOf(ReadLabNodesFlags, RunLabNodes)};
  command.flags = Together(
      {{{.name = "--nodes",
         .value = "SHAPE|FILE",
         .help = "how many nodes, and of which shape: 500,cpu=32,memory=128Gi,nvidia.com/gpu=8,"
                 "racks=20; or a .yaml or .json file of Nodes; several make one cluster",
         .is_repeatable = true}},
       KubeconfigFlags("the cluster")});
  command.notes =
      "SHAPE is a number of nodes and then, in any order, cpu= (default 32), memory= (128Gi),\n"
      "ephemeral-storage= (100Gi), pods= (110), hugepages-SIZE=, DOMAIN/RESOURCE=, racks=, zones= "
      "(1),\nprefix= (node-) and label:KEY=VALUE.\n"
      "Annotations of a pod say how it runs: lab.outrigger.dev/duration (90s, or exp(5m) for "
      "chance;\nwithout it for ever), /exit-code, /start-delay and /stop-delay. A pod that has no "
      "room fails as at a\nkubelet. SIGTERM and SIGINT stop it; nodes and pods stay, and the same "
      "command goes on with them.\nTo remove the nodes: kubectl delete nodes -l "
      "lab.outrigger.dev/simulated";
  return command;
}

}  // namespace

absl::StatusOr<LabNodesFlags> ReadLabNodesFlags(const Given& given) {
  LabNodesFlags flags{given.Values("--nodes"), given.Value("--kubeconfig"),
                      given.Value("--context")};
  if (!flags.nodes.empty()) return flags;
  return given.Wrong("--nodes is missing: give a number of nodes, as in --nodes 10");
}

absl::StatusOr<LabFlags> ReadLabFlags(const Given& given) {
  LabFlags flags;
  absl::Status status = ReadStep(given, &flags);
  if (status.ok()) status = ReadSeed(given, &flags);
  if (status.ok()) status = ReadQps(given, &flags);
  if (status.ok()) status = ReadSchedulerName(given, &flags);
  if (!status.ok()) return status;
  flags.kubeconfig = given.Value("--kubeconfig");
  flags.context = given.Value("--context");
  flags.queue_sort = given.Value("--queue-sort", flags.queue_sort);
  flags.color = given.Value("--color", flags.color);
  flags.verbose = given.Has("--verbose");
  return flags;
}

std::vector<Command> LabCommands() {
  return {{.name = "lab",
           .summary = "A small scheduler to learn from, and nodes that are simulated",
           .has_subcommands = true},
          SchedulerCommand(),
          NodesCommand()};
}

}  // namespace outrigger::cli
