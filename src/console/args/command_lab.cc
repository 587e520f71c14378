// The command line of `outrigger lab`.

#include <limits>

#include "absl/strings/numbers.h"
#include "console/args/command_tree.h"
#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::cli {
namespace {

constexpr double kMostQps = 100'000;

absl::Status NotAccepted(const char* flag, const std::string& value, const std::string& accepted) {
  return absl::InvalidArgumentError(
      fmt::format("{}: \"{}\" is not accepted: {}", flag, value, accepted));
}

absl::Status ReadStep(const CLI::App& given, LabFlags* flags) {
  const std::string text = ValueOf(given, "--step", std::to_string(flags->step));
  if (absl::SimpleAtoi(text, &flags->step) && flags->step >= LabFlags::kFirstStep &&
      flags->step <= LabFlags::kLastStep) {
    return absl::OkStatus();
  }
  return NotAccepted("--step", text,
                     fmt::format("{} to {}", LabFlags::kFirstStep, LabFlags::kLastStep));
}

absl::Status ReadSeed(const CLI::App& given, LabFlags* flags) {
  if (given.count("--seed") == 0) return absl::OkStatus();
  const std::string text = ValueOf(given, "--seed", "");
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed)) {
    return NotAccepted("--seed", text,
                       fmt::format("0 to {}", std::numeric_limits<uint64_t>::max()));
  }
  flags->seed = seed;
  return absl::OkStatus();
}

absl::Status ReadQps(const CLI::App& given, LabFlags* flags) {
  if (given.count("--qps") == 0) return absl::OkStatus();
  const std::string text = ValueOf(given, "--qps", "");
  if (absl::SimpleAtod(text, &flags->qps) && flags->qps >= 0 && flags->qps <= kMostQps) {
    return absl::OkStatus();
  }
  return NotAccepted("--qps", text, fmt::format("0 (no limit) to {:.0f}", kMostQps));
}

absl::Status ReadSchedulerName(const CLI::App& given, LabFlags* flags) {
  flags->scheduler_name = ValueOf(given, "--scheduler-name", flags->scheduler_name);
  if (IsDnsSubdomain(flags->scheduler_name)) return absl::OkStatus();
  return NotAccepted("--scheduler-name", flags->scheduler_name,
                     "a DNS subdomain name, as a pod's spec.schedulerName");
}

}  // namespace

void CommandLine::Tree::AddLab() {
  CLI::App* lab = AddCommand("lab", "Learn how a scheduler works from a small one");
  lab->get_formatter()->label("Subcommands", "What to run");
  CLI::App* scheduler = AddCommand(
      "scheduler", "Schedule pods by one of seven schedulers, each a step beyond the one before",
      lab);
  AddValue(scheduler, "--step", "N",
           fmt::format("{} to {} (default {}): 1 any node by chance, 2 filter, 3 score, 4 "
                       "pre-score, 5 permit, 6 queue, 7 event handlers",
                       LabFlags::kFirstStep, LabFlags::kLastStep, LabFlags::kLastStep));
  AddValue(scheduler, "--kubeconfig", "FILE", "how to reach the cluster", {true, false, {}});
  AddValue(scheduler, "--context", "NAME", "context of the kubeconfig (default: the current one)");
  AddValue(scheduler, "--scheduler-name", "NAME",
           "spec.schedulerName of the pods that are scheduled (default default-scheduler)");
  AddValue(scheduler, "--queue-sort", "ORDER",
           "order of pods that wait: arrival, or riya: the label groupPriority, then the QoS "
           "class, then "
           "arrival (default arrival)",
           {false, false, {"arrival", "riya"}});
  AddValue(scheduler, "--seed", "S",
           "of what is left to chance: the same seed makes the same choices (default: another one "
           "each time, which --verbose shows)");
  AddValue(scheduler, "--qps", "N",
           "calls a second, 0 for no limit; bindings are not held back (default 50)");
  scheduler->add_flag("--verbose")
      ->description("What each plugin said of each node, a block for each pod");
  AddColor(scheduler);
  scheduler->footer(fmt::format(
      "The course docs/learn explains each step. Resources are not looked at, and nodes need no "
      "status.\nA kube-scheduler that serves the same scheduler name must not run: both would "
      "bind the same pods.\nSIGTERM and SIGINT stop it; a second one ends at once.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadLabScheduler(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kLabScheduler;
  LabFlags& flags = command.lab;
  absl::Status status = CheckWord(given, "--color");
  if (status.ok()) status = CheckWord(given, "--queue-sort");
  if (status.ok()) status = ReadStep(given, &flags);
  if (status.ok()) status = ReadSeed(given, &flags);
  if (status.ok()) status = ReadQps(given, &flags);
  if (status.ok()) status = ReadSchedulerName(given, &flags);
  if (!status.ok()) return status;
  flags.kubeconfig = ValueOf(given, "--kubeconfig", "");
  flags.context = ValueOf(given, "--context", "");
  flags.queue_sort = ValueOf(given, "--queue-sort", flags.queue_sort);
  flags.color = ValueOf(given, "--color", flags.color);
  flags.verbose = given.count("--verbose") > 0;
  return command;
}

}  // namespace outrigger::cli
