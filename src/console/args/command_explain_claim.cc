// The command line of `outrigger explain claim`.

#include "console/args/command_tree.h"
#include "fmt/format.h"

namespace outrigger::cli {

void CommandLine::Tree::AddExplainClaim(CLI::App* explain) {
  CLI::App* claim = AddCommand(
      "claim", "Which nodes have devices for a ResourceClaim of DRA, and what would help", explain);
  AddValue(claim, "name", "", "the claim: NAME or NAMESPACE/NAME");
  AddValue(claim, "-n,--namespace", "NS",
           "namespace of the claim (default: the context's; in --cluster, whichever has it alone)");
  AddValue(claim, "-f,--filename", "FILE",
           "objects that stand in for those of the cluster, or are not there yet: what if; - reads "
           "standard input",
           {true, false, {}});
  AddClusterFlags(claim,
                  "nodes,resourceslices,deviceclasses.resource.k8s.io,resourceclaims,"
                  "resourceclaimtemplates,pods");
  AddValue(claim, "--nodes", "LIST", "show only these nodes, separated by commas");
  AddValue(claim, "-o,--output", "FORMAT",
           "table, wide (each device), json or yaml (default table)",
           {false, false, {"table", "wide", "json", "yaml"}});
  AddColor(claim);
  claim->footer(fmt::format(
      "kube-scheduler of 1.37 would answer so with its default features; where that is not sure, "
      "it is said.\nNothing is written. A pod's claims together: explain pod.\n{}",
      kExitCodes));
}

absl::StatusOr<Command> CommandLine::Tree::ReadExplainClaim(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kExplainClaim;
  ExplainFlags& flags = command.explain;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (!status.ok()) return status;
  flags.claim = ValueOf(given, "name", "");
  flags.file = ValueOf(given, "--filename", "");
  flags.nodes = ValueOf(given, "--nodes", "");
  if (flags.claim.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "explain claim wants the name of a claim; see `{} explain claim --help`", app_.get_name()));
  }
  if (flags.file == "-" && flags.cluster == "-") {
    return absl::InvalidArgumentError(
        "--filename - and --cluster - both read standard input; only one can");
  }
  status = SplitName("claim", &flags.claim, &flags);
  if (!status.ok()) return status;
  return command;
}

}  // namespace outrigger::cli
