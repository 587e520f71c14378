// The command lines of `outrigger penalty` and `outrigger explain penalty`.

#include <cstdint>

#include "absl/strings/numbers.h"
#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

constexpr int64_t kMostWait = 3600;

// A name that was given and is empty.
absl::Status CheckGiven(const CLI::App& given, const char* flag, const std::string& value,
                        const char* accepted) {
  if (given.count(flag) == 0 || !value.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("{}: \"\" is not accepted: {}", flag, accepted));
}

absl::Status ReadCluster(const CLI::App& given, PenaltyFlags* flags) {
  flags->kubeconfig = ValueOf(given, "--kubeconfig", "");
  flags->context = ValueOf(given, "--context", "");
  flags->name_space = ValueOf(given, "--namespace", flags->name_space);
  return CheckGiven(given, "--namespace", flags->name_space, "the name of a namespace");
}

absl::Status ReadWait(const CLI::App& given, PenaltyFlags* flags) {
  const std::string text = ValueOf(given, "--wait", std::to_string(flags->wait.count()));
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(text, &seconds) || seconds < 1 || seconds > kMostWait) {
    return absl::InvalidArgumentError(
        fmt::format("--wait: \"{}\" is not accepted: seconds, 1 to {}", text, kMostWait));
  }
  flags->wait = std::chrono::seconds(seconds);
  return absl::OkStatus();
}

}  // namespace

void CommandLine::Tree::AddPenaltyFlags(CLI::App* command) {
  AddValue(command, "--kubeconfig", "FILE", "how to reach the cluster", {true, false, {}});
  AddValue(command, "--context", "NAME", "context of the kubeconfig (default: the current one)");
  AddValue(command, "-n,--namespace", "NS",
           "namespace of the journal, as the agent's setting of that name (default kube-system)");
}

void CommandLine::Tree::AddPenalty() {
  CLI::App* penalty = AddCommand("penalty", "Undo what agent penalty has done to priority classes");
  penalty->get_formatter()->label("Subcommands", "What to do");
  CLI::App* restore =
      AddCommand("restore", "Put priority classes back to their base values", penalty);
  AddValue(restore, "class", "", "the PriorityClass; or give --all");
  restore->add_flag("--all")->description("All that have a penalty; the journal is removed");
  AddPenaltyFlags(restore);
  AddValue(restore, "--lease", "NAME",
           "Lease of the agent, as its setting of that name (default outrigger-penalty)");
  AddValue(restore, "--wait", "SECONDS",
           fmt::format("how long to wait for the Lease, 1 to {} (default 60)", kMostWait));
  restore->footer(fmt::format(
      "Stop the agent first: its Lease is taken, so that nothing else writes. A class of which the "
      "agent\ndied in the middle of a change is made again. It can be run as often as one likes, "
      "and without\na journal: then the annotation outrigger.dev/base-value of a class has its "
      "base.\n{}",
      kExitCodes));
}

void CommandLine::Tree::AddExplainPenalty(CLI::App* explain) {
  CLI::App* penalty = AddCommand(
      "penalty", "Priority classes with their penalties, changes, sums and counted PodGroups",
      explain);
  AddValue(penalty, "--agent", "URL",
           "ask the running agent penalty, http://127.0.0.1:PORT with its admin port (9975; in a "
           "cluster: kubectl port-forward); without it, the journal in the cluster is read");
  AddPenaltyFlags(penalty);
  AddValue(penalty, "--limit", "N",
           fmt::format("rows of a table at most, 1 to {0} (default {0})", ExplainFlags::kMostRows));
  AddValue(penalty, "-o,--output", "FORMAT", "table, json or yaml (default table)",
           {false, false, {"table", "json", "yaml"}});
  AddColor(penalty);
  penalty->footer(fmt::format(
      "Without --agent a penalty is that of the last count: the agent's settings, by which it "
      "recovers, are\nnot known here.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadPenaltyRestore(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kPenaltyRestore;
  PenaltyFlags& flags = command.penalty;
  const bool all = given.count("--all") > 0;
  flags.class_name = ValueOf(given, "class", "");
  if (all && given.count("class") > 0) {
    return absl::InvalidArgumentError(
        "--all and the name of a class exclude each other: give one of them");
  }
  if (!all && flags.class_name.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "penalty restore wants the name of a PriorityClass or --all; see `{} penalty restore "
        "--help`",
        app_.get_name()));
  }
  flags.lease = ValueOf(given, "--lease", flags.lease);
  absl::Status status = ReadCluster(given, &flags);
  if (status.ok()) status = ReadWait(given, &flags);
  if (status.ok()) status = CheckGiven(given, "--lease", flags.lease, "the name of a Lease");
  if (!status.ok()) return status;
  return command;
}

absl::StatusOr<Command> CommandLine::Tree::ReadExplainPenalty(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kExplainPenalty;
  PenaltyFlags& flags = command.penalty;
  absl::Status status = CheckWord(given, "--output");
  if (status.ok()) status = CheckWord(given, "--color");
  if (status.ok()) status = ReadCluster(given, &flags);
  if (status.ok()) status = ReadLimit(given, &flags.limit);
  flags.agent = ValueOf(given, "--agent", "");
  if (status.ok()) status = CheckGiven(given, "--agent", flags.agent, "http://127.0.0.1:PORT");
  if (!status.ok()) return status;
  for (const char* flag : {"--kubeconfig", "--context", "--namespace"}) {
    if (flags.agent.empty() || given.count(flag) == 0) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} is for the journal in the cluster; --agent shows the agent's own", flag));
  }
  flags.output = ValueOf(given, "--output", flags.output);
  flags.color = ValueOf(given, "--color", flags.color);
  return command;
}

}  // namespace outrigger::cli
