// The command line of `outrigger explain`.

#include "console/args/command_tree.h"
#include "console/format/text.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {

void CommandLine::Tree::AddExplain(const std::vector<AgentInfo>& registry) {
  CLI::App* explain = AddCommand(
      "explain",
      "Say what agents think of a pod, a claim, a gang, the queue or priority classes, and why");
  explain->get_formatter()->label("Subcommands", "What to explain");
  AddExplainPod(explain, registry);
  AddExplainClaim(explain);
  AddExplainGang(explain);
  AddExplainQueue(explain);
  AddExplainPenalty(explain);
}

void CommandLine::Tree::AddClusterFlags(CLI::App* command, const std::string& resources,
                                        const std::string& but) {
  AddValue(
      command, "--cluster", "FILE",
      fmt::format("the cluster, as `kubectl get {} -A -o json` (faster) or yaml prints it{}; - "
                  "reads standard input; without it, the live cluster is asked",
                  resources, but),
      {true, false, {}});
  AddValue(command, "--kubeconfig", "FILE", "how to reach the live cluster", {true, false, {}});
  AddValue(command, "--context", "NAME", "context of the kubeconfig (default: the current one)");
}

void CommandLine::Tree::AddPlanFlags(CLI::App* command) {
  AddValue(command, "--scheduler-names", "LIST",
           "schedulerName of the pods that are planned, as the agent's setting of that name "
           "(default default-scheduler)");
  AddValue(command, "--unchecked", "LIST",
           "what kube-scheduler does not compare, separated by commas: extended resources "
           "(example.com/score), groups of them (example.com/*), plugins that are off (NodePorts); "
           "PROFILE:ITEM is of that profile alone (default: it compares everything)");
  AddClusterFlags(
      command, "nodes,pods,podgroups,priorityclasses,pv,pvc,resourceclaims,deviceclasses",
      " (without podgroups where none are installed, and resourceclaims and deviceclasses before "
      "Kubernetes 1.34)");
}

void CommandLine::Tree::AddColor(CLI::App* command) {
  AddValue(command, "--color", "WHEN",
           "auto, always or never (default auto: on a terminal, if NO_COLOR is not set)",
           {false, false, {"auto", "always", "never"}});
}

void CommandLine::Tree::AddExplainPod(CLI::App* explain, const std::vector<AgentInfo>& registry) {
  CLI::App* pod =
      AddCommand("pod", "Verdict, score and figures of every agent on every node", explain);
  AddValue(pod, "name", "",
           "the pod: NAME, NAMESPACE/NAME or pod/NAME; or give one with --filename");
  AddValue(pod, "-n,--namespace", "NS",
           "namespace of the pod (default: the context's; in --cluster, whichever has it alone)");
  AddValue(pod, "-f,--filename", "FILE",
           "pods that need not exist yet, in YAML or JSON: Pods, Jobs, Deployments and others with "
           "a pod "
           "template; - reads standard input",
           {true, false, {}});
  AddClusterFlags(pod, "nodes,pods");
  AddValue(pod, "--nodes", "LIST", "show only these nodes, separated by commas");
  AddValue(pod, "-o,--output", "FORMAT",
           "table, wide (also the agents' further scores, nothing cut), json or yaml (default "
           "table)",
           {false, false, {"table", "wide", "json", "yaml"}});
  AddColor(pod);
  AddConfig(pod, "Settings of the agents");
  for (const SettingGroup& group : MakeSettingGroups(registry)) {
    for (const BoundSetting& setting : group.settings) {
      if (group.agent != nullptr) {
        AddSetting(pod, setting, "Settings of " + group.Title());
      } else if (setting.flag == "--agents") {
        AddSetting(pod, setting, "Settings of the agents");
      }
    }
    for (const RetiredSetting& retired : group.retired) AddHidden(pod, retired.flag);
  }
  pod->footer(fmt::format(
      "Only agents are asked, with the settings that `serve` would take. kube-scheduler "
      "asks them about\nthe nodes that its own filters (resources, taints, affinity) "
      "leave, and adds its own scores.\n{}",
      kExitCodes));
}

absl::Status CommandLine::Tree::ReadExplainFlags(const CLI::App& given, ExplainFlags* flags) const {
  for (const char* flag : {"--output", "--color"}) {
    absl::Status status = CheckWord(given, flag);
    if (!status.ok()) return status;
  }
  flags->name_space = ValueOf(given, "--namespace", "");
  flags->cluster = ValueOf(given, "--cluster", "");
  flags->kubeconfig = ValueOf(given, "--kubeconfig", "");
  flags->context = ValueOf(given, "--context", "");
  flags->output = ValueOf(given, "--output", flags->output);
  flags->color = ValueOf(given, "--color", flags->color);
  if (!flags->cluster.empty() && !(flags->kubeconfig.empty() && flags->context.empty())) {
    return absl::InvalidArgumentError(
        "--kubeconfig and --context are for the live cluster, --cluster is in its place");
  }
  return absl::OkStatus();
}

absl::Status CommandLine::Tree::SplitName(std::string_view what, std::string* name,
                                          ExplainFlags* flags) {
  const size_t slash = name->find('/');
  if (slash == std::string::npos) return absl::OkStatus();
  const std::string before = name->substr(0, slash);
  const std::string behind = name->substr(slash + 1);
  const bool pod = what == "pod";
  if (before.empty() || behind.empty() || behind.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("\"{}\" is not accepted: NAME{}", *name,
                              pod ? ", NAMESPACE/NAME or pod/NAME" : " or NAMESPACE/NAME")));
  }
  // A namespace of such a name takes --namespace.
  const bool kind = pod && (before == "pod" || before == "pods" || before == "po");
  if (!kind && !flags->name_space.empty() && flags->name_space != before) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "--namespace {}: {} {} is in namespace {}", flags->name_space, what, *name, before)));
  }
  if (!kind) flags->name_space = before;
  *name = behind;
  return absl::OkStatus();
}

absl::StatusOr<Command> CommandLine::Tree::ReadExplainPod(const CLI::App& given) const {
  Command command;
  command.kind = Command::Kind::kExplainPod;
  ReadSettings(given, &command);
  ExplainFlags& flags = command.explain;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (!status.ok()) return status;
  flags.pod = ValueOf(given, "name", "");
  status = SplitName("pod", &flags.pod, &flags);
  if (!status.ok()) return status;
  flags.file = ValueOf(given, "--filename", "");
  flags.nodes = ValueOf(given, "--nodes", "");
  if (flags.pod.empty() == flags.file.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "explain pod wants either the name of a pod or --filename FILE; see `{} explain "
        "pod --help`",
        app_.get_name()));
  }
  if (flags.file == "-" && flags.cluster == "-") {
    return absl::InvalidArgumentError(
        "--filename - and --cluster - both read standard input; only one can");
  }
  return command;
}

}  // namespace outrigger::cli
