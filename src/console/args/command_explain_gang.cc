// The command line of `outrigger explain gang`.

#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CommandLine::Tree::AddExplainGang(CLI::App* explain) {
  CLI::App* gang = AddCommand(
      "gang", "Whether a gang (PodGroup) has room, and what it waits for; or all of them", explain);
  AddValue(gang, "name", "",
           "the gang, of whatever dialect: NAME or NAMESPACE/NAME; without it, all are listed");
  AddValue(gang, "-n,--namespace", "NS",
           "namespace of the gang (default: the context's; in --cluster, whichever has it alone; "
           "all, where gangs are listed)");
  AddPlanFlags(gang);
  gang->add_flag("--only-groups")
      ->description(
          "Show members that do not ask for outrigger.dev/gang and\n"
          "outrigger.dev/gang-bind, as where scheduler-config has\n"
          "--members-only; without it, only of gangs of which others do");
  AddValue(gang, "-o,--output", "FORMAT", "table, json or yaml (default table)",
           {false, false, {"table", "json", "yaml"}});
  AddColor(gang);
  gang->footer(fmt::format(
      "All gangs and single pods that wait are planned together, as agent gang does. What the "
      "agent\nremembers (refusals of kube-scheduler, gangs that gave up their places), and "
      "addedAffinity of profiles,\nare not known here.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadExplainGang(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kExplainGang;
  absl::Status status = ReadExplainFlags(given, &command.explain);
  if (!status.ok()) return status;
  ExplainFlags& flags = command.explain;
  flags.gang = ValueOf(given, "name", "");
  status = SplitName("gang", &flags.gang, &flags);
  if (!status.ok()) return status;
  flags.scheduler_names = ValueOf(given, "--scheduler-names", flags.scheduler_names);
  flags.unchecked = ValueOf(given, "--unchecked", "");
  flags.only_groups = given.count("--only-groups") > 0;
  if (given.count("name") > 0 && flags.gang.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "the name of the gang is empty; leave it out to list all: see `{} explain gang --help`",
        app_.get_name()));
  }
  return command;
}

}  // namespace outrigger::cli
