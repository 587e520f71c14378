#include "devices/commands/explain/dra.h"

#include <algorithm>
#include <utility>

#include "console/args/flags.h"
#include "console/format/files.h"
#include "console/format/text.h"
#include "console/format/yaml.h"
#include "console/reading/input.h"
#include "console/reading/object_file.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

bool HasResourceClaims(const Pod& pod) {
  return !pod.resource_claims.empty() || pod.claims_to_come > 0;
}

absl::StatusOr<DraObjects> ReadDra(const std::optional<PodClaims::File>& file,
                                   const std::string& name_space, const PodName* pod,
                                   ClusterObjects* cluster, std::vector<std::string>* notes) {
  DraTaker taker;
  if (!name_space.empty()) taker.BeginIn(name_space);
  const auto take = [&taker](const json::ListedObject& object) { return taker.Take(object); };
  if (file.has_value()) {
    taker.Begin(file->name);
    absl::Status status = ForEachObjectInFile(file->name, file->text, take);
    if (!status.ok()) return status;
  }
  taker.BeginCluster("the cluster");
  absl::Status status = cluster->ForEachDraObject(pod, take, notes);
  if (!status.ok()) return status;
  return taker.Finish(notes);
}

absl::Status CheckShown(const DraObjects& objects, const std::vector<std::string>& shown) {
  std::vector<std::string> names;
  names.reserve(objects.nodes.size());
  for (const Node& node : objects.nodes) names.push_back(node.name);
  for (const std::string& name : shown) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return absl::NotFoundError(Printable(
        fmt::format("--nodes: the cluster has no node {}{}", name, DidYouMean(name, names))));
  }
  return absl::OkStatus();
}

}  // namespace

PodDra::PodDra(const std::vector<Pod>& pods, const std::optional<PodClaims::File>& file,
               const std::string& name_space, ClusterObjects* cluster,
               std::vector<std::string>* notes) {
  if (std::none_of(pods.begin(), pods.end(), HasResourceClaims)) return;
  const PodName named{pods.front().namespace_, pods.front().name};
  auto read = ReadDra(file, name_space, file.has_value() ? nullptr : &named, cluster, notes);
  if (read.ok()) {
    objects_ = *std::move(read);
  } else {
    notes->push_back(fmt::format("ResourceClaims cannot be explained: {}",
                                 std::string(read.status().message())));
  }
}

absl::StatusOr<std::optional<DraExplained>> PodDra::Explain(
    const Pod& pod, const std::vector<std::string>& shown) const {
  if (!objects_.has_value() || !HasResourceClaims(pod)) return std::nullopt;
  const dra::PodClaims* found = FindDraPod(*objects_, pod.namespace_, pod.name);
  if (found == nullptr) return std::nullopt;  // a pod of a template, which has no name
  absl::StatusOr<DraAsked> asked = DraClaimsOf(*found, *objects_);
  if (!asked.ok()) return asked.status();
  return ExplainDra(*objects_, *std::move(asked), shown);
}

namespace {

struct ClaimFlags : ExplainFlags {
  std::string file;   // path of objects that stand in for those of the cluster; "-"
  std::string nodes;  // names of those to show; empty: all
};

absl::StatusOr<ExplainText> ExplainClaim(const ClaimFlags& flags, const World& world) {
  ExplainText result;
  std::optional<PodClaims::File> file;
  if (!flags.file.empty()) {
    absl::StatusOr<ExplainInput> input = ReadExplainInput(flags.file, world);
    if (!input.ok()) return Of("--filename", input.status());
    file = PodClaims::File{std::move(input->name), std::move(input->text)};
  }
  const auto cluster = OpenCluster(flags, world);
  if (!cluster.ok()) return cluster.status();
  const std::string by_default = (*cluster)->DefaultNamespace();
  const std::string& name_space = flags.name_space.empty() ? by_default : flags.name_space;
  const auto objects = ReadDra(file, name_space, nullptr, cluster->get(), &result.notes);
  if (!objects.ok()) return objects.status();
  const std::vector<std::string> shown =
      flags.nodes.empty() ? std::vector<std::string>() : SplitList(flags.nodes);
  absl::Status status = CheckShown(*objects, shown);
  if (!status.ok()) return status;
  absl::StatusOr<DraAsked> asked = DraClaim(flags.name, name_space, *objects);
  if (!asked.ok()) return asked.status();
  const DraExplained explained = ExplainDra(*objects, *std::move(asked), shown);
  if (flags.output == "json") {
    result.text = DraJson(explained).dump(2) + "\n";
  } else if (flags.output == "yaml") {
    result.text = YamlFromJson(DraJson(explained));
  } else {
    const bool wide = flags.output == "wide";
    result.text = DraTable(
        explained, {.wide = wide,
                    .color = IsColored(flags.color, world),
                    .columns = wide || !world.terminal.is_one ? 0 : world.terminal.columns});
  }
  return result;
}

absl::StatusOr<ClaimFlags> ReadClaimFlags(const Given& given) {
  ClaimFlags flags;
  absl::Status status = ReadExplainFlags(given, &flags);
  if (!status.ok()) return status;
  flags.file = given.Value("--filename");
  flags.nodes = given.Value("--nodes");
  if (given.Value("name").empty()) return given.Wrong("explain claim needs the name of a claim");
  status = CheckOneReadsInput(flags.file, flags);
  if (status.ok()) status = ReadName(given, "claim", &flags);
  if (!status.ok()) return status;
  return flags;
}

}  // namespace

Command ExplainClaimCommand() {
  Command command{
      .name = "explain claim",
      .summary = "Which nodes have devices for a DRA ResourceClaim, and what would help",
      .opens_connections = true,
      .run = RunOf(ReadClaimFlags, ExplainClaim)};
  command.flags = Together(
      {{{.name = "name", .help = "NAME or NAMESPACE/NAME of the claim"},
        {.name = "-n,--namespace",
         .value = "NS",
         .help = "namespace of the claim (default: the context's; with --cluster, the only one "
                 "that has it)"},
        {.name = "-f,--filename",
         .value = "FILE",
         .help = "objects that replace or extend those of the cluster, for a what-if; - reads "
                 "standard input",
         .is_file = true}},
       ClusterFlags("nodes,resourceslices,deviceclasses.resource.k8s.io,resourceclaims,"
                    "resourceclaimtemplates,pods"),
       {{.name = "--nodes",
         .value = "LIST",
         .help = "comma-separated nodes to show (default: all)"},
        OutputFlag({"table", "wide", "json", "yaml"}, "table, wide (each device), json or yaml"),
        ColorFlag()}});
  command.notes =
      "The result is that of kube-scheduler 1.37 with default features; uncertain results are "
      "marked. Nothing\nis written. For all claims of a pod: explain pod.";
  return command;
}

}  // namespace outrigger::cli
