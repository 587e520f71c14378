// The command line of `outrigger gang`.

#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CommandLine::Tree::AddGang() {
  CLI::App* gang = AddCommand("gang", "Undo what holds pods for agent gang");
  gang->get_formatter()->label("Subcommands", "What to do");
  CLI::App* release =
      AddCommand("release", "Remove the scheduling gate outrigger.dev/queue from pods", gang);
  release->add_flag("--all")->description("From all pods of all namespaces; has to be given");
  release->add_flag("--dry-run")->description("Print what would be done, and do nothing");
  AddValue(release, "--kubeconfig", "FILE", "how to reach the cluster", {true, false, {}});
  AddValue(release, "--context", "NAME", "context of the kubeconfig (default: the current one)");
  release->footer(fmt::format(
      "Works without the agent, and can be run as often as one likes. First the bindings of the "
      "policies that\nname the gate (deploy/member-policy.yaml, deploy/guard-policy.yaml) are "
      "deleted, so that no further\npods get the gate and nothing keeps it; then it is removed "
      "from all pods. Pods whose template has the gate\nare created with it again: change the "
      "template before. Rights: "
      "pods (list, patch), mutatingadmissionpolicies and\nvalidatingadmissionpolicies (list), and "
      "their bindings (list, delete).\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadGangRelease(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kGangRelease;
  if (given.count("--all") == 0) {
    return absl::InvalidArgumentError(fmt::format(
        "gang release wants --all: it lets pods of all namespaces go; see `{} gang release --help`",
        app_.get_name()));
  }
  command.gang_release.dry_run = given.count("--dry-run") > 0;
  command.gang_release.kubeconfig = ValueOf(given, "--kubeconfig", "");
  command.gang_release.context = ValueOf(given, "--context", "");
  return command;
}

}  // namespace outrigger::cli
