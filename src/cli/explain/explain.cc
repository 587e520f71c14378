#include "cli/explain/explain.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cli/agents/null_observer.h"
#include "cli/explain/measured.h"
#include "cli/explain/still_cluster.h"
#include "cli/explain/text.h"
#include "cli/serve/options.h"
#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/format/text.h"
#include "console/reading/cluster_objects.h"
#include "console/reading/input.h"
#include "console/reading/manifest.h"
#include "console/settings/prepare_settings.h"
#include "devices/commands/explain/dra.h"
#include "devices/commands/explain/pod_claims.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

struct PodFlags : ExplainFlags {
  SettingsFlags settings;
  std::string file;   // path of pods; "-" is standard input
  std::string nodes;  // names of those to show; empty: all
};

absl::StatusOr<std::vector<Pod>> PodsInFile(const PodFlags& flags, const ExplainInput& input,
                                            std::vector<std::string>* notes) {
  auto pods = ReadManifest(input.name, input.text, notes);
  if (!pods.ok()) return pods;
  for (Pod& pod : *pods) {
    if (pod.namespace_.empty()) {
      pod.namespace_ = flags.name_space.empty() ? "default" : flags.name_space;
    } else if (!flags.name_space.empty() && flags.name_space != pod.namespace_) {
      return absl::InvalidArgumentError(
          Printable(fmt::format("--namespace {}: the pod in {} is in namespace {}",
                                flags.name_space, input.name, pod.namespace_)));
    }
  }
  return pods;
}

// What the flags name: nodes, and at least one pod.
struct Asked {
  std::vector<Pod> pods;
  std::vector<Node> nodes;
  std::unique_ptr<StillCluster> cluster;  // null: no agent reads its pods, or they may not be read
  std::unique_ptr<PodClaims> claims;
  std::unique_ptr<PodDra> dra;
  std::vector<std::string> notes;
};

// An agent whose settings are refused says so when it is asked.
bool ReadPods(const std::vector<engine::ServedAgent>& agents) {
  return std::any_of(agents.begin(), agents.end(), [](const engine::ServedAgent& served) {
    const AgentFactory& factory = served.info->factory;
    if (factory.binds || !(factory.filters || factory.scores)) return false;  // it is not asked
    const auto made = factory.make({.name = served.info->name}, served.settings);
    return made.ok() && (*made)->Reads().Has(Needs::kClusterPods);
  });
}

absl::StatusOr<Asked> FindObjects(const PodFlags& flags, const World& world, bool with_all_pods) {
  Asked asked;
  std::optional<PodClaims::File> file;
  if (!flags.file.empty()) {
    absl::StatusOr<ExplainInput> input = ReadExplainInput(flags.file, world);
    if (!input.ok()) return Of("--filename", input.status());
    auto pods = PodsInFile(flags, *input, &asked.notes);
    if (!pods.ok()) return pods.status();
    asked.pods = *std::move(pods);
    file = PodClaims::File{std::move(input->name), std::move(input->text)};
  }
  const auto cluster = OpenCluster(flags, world);
  if (!cluster.ok()) return cluster.status();
  const PodName name{flags.name_space, flags.name};
  absl::StatusOr<FoundObjects> found =
      (*cluster)->Find(flags.file.empty() ? &name : nullptr, with_all_pods);
  if (!found.ok()) return found.status();
  if (found->pod) asked.pods.push_back(*std::move(found->pod));
  asked.nodes = std::move(found->nodes);
  if (found->snapshot) asked.cluster = std::make_unique<StillCluster>(std::move(found->snapshot));
  asked.notes.insert(asked.notes.end(), found->notes.begin(), found->notes.end());
  asked.claims = std::make_unique<PodClaims>(asked.pods, file, flags.cluster.empty(),
                                             flags.name_space, cluster->get(), &asked.notes);
  asked.dra =
      std::make_unique<PodDra>(asked.pods, file, flags.name_space, cluster->get(), &asked.notes);
  return asked;
}

// safe refuses no node and scores all alike then, which looks like an answer.
void NoteUnmeasured(const std::vector<engine::ServedAgent>& agents, const std::vector<Node>& nodes,
                    std::vector<std::string>* notes) {
  const auto is_safe = [](const engine::ServedAgent& served) {
    return served.info->name == "safe";
  };
  if (nodes.empty() || std::none_of(agents.begin(), agents.end(), is_safe)) return;
  if (std::any_of(nodes.begin(), nodes.end(), IsMeasured)) return;
  notes->push_back(
      fmt::format("no node has been measured: is `outrigger annotate usage` running "
                  "(deploy/controller.annotate-usage.yaml)?"));
}

// Leaves the nodes of `list` in `explanation`; the counts stay those of all.
absl::Status ShowOnly(const std::string& list, engine::Explanation* explanation) {
  if (list.empty()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const engine::ExplainedNode& node : explanation->nodes) names.push_back(node.name);
  const std::vector<std::string> wanted = SplitList(list);
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return absl::NotFoundError(Printable(
        fmt::format("--nodes: the cluster has no node {}{}", name, DidYouMean(name, names))));
  }
  std::erase_if(explanation->nodes, [&](const engine::ExplainedNode& node) {
    return std::find(wanted.begin(), wanted.end(), node.name) == wanted.end();
  });
  return absl::OkStatus();
}

void AddNotes(const engine::Explanation& explanation, const std::string& pod, bool has_claims,
              std::vector<std::string>* notes) {
  for (const std::string& agent : explanation.left_out) {
    if (agent == "devices" && has_claims) continue;  // its table is below those of the others
    notes->push_back(
        agent +
        " is left out: it can only be explained while serving; see `outrigger explain gang`");
  }
  for (const engine::ExplainedMalformed& value : explanation.malformed) {
    notes->push_back(value.agent + ": " +
                     NoteOf({value.node, value.field, value.value, value.accepted}, "pod " + pod));
  }
}

std::string InForm(const PodFlags& flags, const World& world, const ExplainedPod& explained) {
  if (flags.output == "json") return ExplainJson(explained);
  if (flags.output == "yaml") return ExplainYaml(explained);
  const bool wide = flags.output == "wide";
  return ExplainTable(explained,
                      {.wide = wide,
                       .color = IsColored(flags.color, world),
                       .columns = wide || !world.terminal.is_one ? 0 : world.terminal.columns});
}

// Adds what the agents say of one pod.
absl::Status ExplainOne(const PodFlags& flags, const World& world,
                        const std::vector<engine::ServedAgent>& agents, const Pod& pod,
                        const Asked& asked, ExplainText* result) {
  NobodyWatches observer;
  auto explanation = engine::Explain(agents, pod, asked.nodes, &observer, asked.cluster.get());
  if (!explanation.ok()) return explanation.status();
  const std::vector<std::string> shown =
      flags.nodes.empty() ? std::vector<std::string>() : SplitList(flags.nodes);
  const auto claims = asked.claims->Explain(pod, shown);
  if (!claims.ok()) return claims.status();
  auto dra = asked.dra->Explain(pod, shown);
  if (!dra.ok()) {
    result->notes.push_back(
        fmt::format("ResourceClaims cannot be explained: {}", std::string(dra.status().message())));
    dra = std::optional<DraExplained>();
  }
  if (explanation->agents.empty() && !claims->has_value() && !dra->has_value()) {
    const auto& agents_left = explanation->left_out;
    return absl::FailedPreconditionError(
        fmt::format("{} can only be explained while serving; see `outrigger explain gang`. The pod "
                    "has no device claims to explain",
                    Listed(agents_left)));
  }
  AddNotes(*explanation, pod.name, claims->has_value(), &result->notes);
  const std::string event = engine::EventText(*explanation);  // of all nodes
  absl::Status status = ShowOnly(flags.nodes, &*explanation);
  if (!status.ok()) return status;
  const ExplainedPod explained{pod,
                               asked.nodes.size(),
                               event,
                               *explanation,
                               claims->has_value() ? &**claims : nullptr,
                               dra->has_value() ? &**dra : nullptr};
  result->text += InForm(flags, world, explained);
  return absl::OkStatus();
}

absl::StatusOr<ExplainText> ExplainPod(const PodFlags& flags, const World& world) {
  absl::StatusOr<PreparedSettings> settings = PrepareSettings(flags.settings, world);
  if (!settings.ok()) return settings.status();
  const auto agents = ServedAgents(settings->groups, world.registry, world.left_out);
  if (!agents.ok()) return agents.status();
  WarnOfIdleFlags(flags.settings, *agents, &*settings);
  const absl::StatusOr<Asked> asked = FindObjects(flags, world, ReadPods(*agents));
  if (!asked.ok()) return asked.status();

  StartLogging(MakeLogOptions(*settings->groups[0].server));  // for what agents log
  ExplainText result;
  result.notes = std::move(settings->warnings);
  result.notes.insert(result.notes.end(), asked->notes.begin(), asked->notes.end());
  NoteUnmeasured(*agents, asked->nodes, &result.notes);
  for (const Pod& pod : asked->pods) {
    if (!result.text.empty()) result.text += flags.output == "yaml" ? "---\n" : "\n";
    const absl::Status status = ExplainOne(flags, world, *agents, pod, *asked, &result);
    if (!status.ok()) return status;
  }
  return result;
}

absl::StatusOr<PodFlags> ReadPodFlags(const Given& given) {
  PodFlags flags;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (status.ok()) status = ReadName(given, "pod", &flags);
  if (!status.ok()) return status;
  flags.settings = {given.Value("--config"), given.settings()};
  flags.file = given.Value("--filename");
  flags.nodes = given.Value("--nodes");
  if (flags.name.empty() == flags.file.empty()) {
    return given.Wrong("explain pod needs either a pod name or --filename FILE");
  }
  status = CheckOneReadsInput(flags.file, flags);
  if (!status.ok()) return status;
  return flags;
}

}  // namespace

Command ExplainCommand() {
  return {
      .name = "explain",
      .summary =
          "Explain what agents decide about a pod, a claim, a gang, the queue or priority classes",
      .has_subcommands = true};
}

Command ExplainPodCommand(const std::vector<AgentInfo>& registry) {
  Command command{.name = "explain pod",
                  .summary = "Verdict, score and figures of every agent on every node",
                  .opens_connections = true,
                  .run = RunOf(ReadPodFlags, ExplainPod)};
  command.flags =
      Together({{{.name = "name", .help = "NAME, NAMESPACE/NAME or pod/NAME; or use --filename"},
                 {.name = "-n,--namespace",
                  .value = "NS",
                  .help = "namespace of the pod (default: the context's; with --cluster, the only "
                          "one that has it)"},
                 {.name = "-f,--filename",
                  .value = "FILE",
                  .help = "pods that may not exist yet, in YAML or JSON: Pods, or objects with a "
                          "pod template such as Jobs and Deployments; - reads standard input",
                  .is_file = true}},
                ClusterFlags("nodes,pods"),
                {{.name = "--nodes",
                  .value = "LIST",
                  .help = "comma-separated nodes to show (default: all)"},
                 OutputFlag({"table", "wide", "json", "yaml"},
                            "table, wide (all scores, nothing cut), json or yaml"),
                 ColorFlag(),
                 ConfigFlag("Settings of the agents")}});
  command.settings = ServeSettings(registry, {"--agents"});
  command.notes =
      "Only the agents are asked, with the settings that `serve` would use. kube-scheduler asks "
      "them only\nabout nodes that pass its own filters (resources, taints, affinity), and adds "
      "its own scores.";
  return command;
}

}  // namespace outrigger::cli
