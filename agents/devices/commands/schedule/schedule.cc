#include "devices/commands/schedule/schedule.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "console/args/flags.h"
#include "console/format/yaml.h"
#include "console/reading/live_client.h"
#include "console/reading/live_cluster.h"
#include "devices/commands/claims/asked.h"
#include "devices/commands/claims/placement.h"
#include "devices/commands/claims/pod_room.h"
#include "devices/commands/devices/read_objects.h"
#include "devices/commands/dra/dra_placement.h"
#include "devices/commands/schedule/live_writes.h"
#include "devices/commands/schedule/results.h"
#include "devices/commands/schedule/write.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

struct ScheduleFlags {
  DeviceSources sources;
  std::string pod;              // NAME or NAMESPACE/NAME; empty: the one in the files
  std::string output = "text";  // text, json or yaml
  bool verbose = false;
  bool original_results = false;
  bool network_pools = false;
  bool write = false;  // with a live cluster only
};

absl::StatusOr<AskedClaims> FindAsked(const ScheduleFlags& flags, DeviceObjects* objects) {
  const absl::StatusOr<const DevicePod*> pod = FindPod(*objects, flags.pod);
  if (!pod.ok()) return pod.status();
  if (*pod != nullptr) return ClaimsOf(**pod, objects);
  if (!flags.sources.files.empty()) return ClaimsOfFiles(*objects);
  return absl::InvalidArgumentError(
      "no pod or claim to schedule: give --filename FILE or --pod NAME");
}

// As the prototype's test has it.
bool IsVerbose(const ScheduleFlags& flags, const World& world) {
  const std::string* const verbose = Find(world.environment, "VERBOSE");
  return flags.verbose || (verbose != nullptr && *verbose == "y");
}

/// Returns where the pod has room besides its devices, for --write: a binding goes past
/// kube-scheduler, and what it looks at must hold all the same.
absl::StatusOr<std::shared_ptr<const PodRoom>> FindRoom(const ScheduleFlags& flags,
                                                        const DevicePod& pod, const World& world) {
  const auto objects =
      OpenLiveCluster({flags.sources.kubeconfig, flags.sources.context}, world.environment);
  if (!objects.ok()) return objects.status();
  const absl::StatusOr<PlannedCluster> read = (*objects)->ReadPlanned();
  if (!read.ok()) return read.status();
  const ClusterSnapshot& cluster = *read->snapshot;
  const auto found = cluster.FindPod(pod.namespace_, pod.name);
  if (!found) return absl::NotFoundError(Printable("there is no pod " + NameOf(pod) + " any more"));
  auto room = std::make_shared<const PodRoom>(read->snapshot, read->claims.get(), found->Unpack());
  if (const std::string why = room->WhyNotByHand(); !why.empty()) {
    return absl::FailedPreconditionError(
        Printable(fmt::format("pod {} is not bound by this command: {}", NameOf(pod), why)));
  }
  return room;
}

absl::StatusOr<PlacementOptions> PlacingOf(const ScheduleFlags& flags, const DeviceObjects& objects,
                                           const World& world) {
  const bool is_live = flags.sources.cluster == DeviceSources::kLive;
  PlacementOptions options{
      .network_pools = flags.network_pools, .always_resolve = is_live, .knows_namespaces = is_live};
  if (!flags.write) return options;
  const absl::StatusOr<const DevicePod*> pod = FindPod(objects, flags.pod);
  if (!pod.ok()) return pod.status();
  if (!(*pod)->node.empty()) return options;  // it is refused
  const auto room = FindRoom(flags, **pod, world);
  if (!room.ok()) return room.status();
  options.why_no_room = [room = *room](const std::string& node) { return room->WhyNot(node); };
  return options;
}

absl::StatusOr<ScheduleResults> FindResults(const ScheduleFlags& flags,
                                            const DeviceObjects& objects, AskedClaims asked,
                                            const PlacementOptions& placing, bool whole,
                                            std::vector<std::string>* notes) {
  if (flags.original_results) {
    for (const devices::ClaimObject* claim : asked.claims) {
      if (claim->claim.fault.empty()) continue;
      notes->push_back(Printable(fmt::format("claim {} is invalid: {}",
                                             devices::NameOf(claim->claim), claim->claim.fault)));
    }
    return OriginalResultsOf(objects, asked);
  }
  const Placement placement(objects, std::move(asked), placing);
  for (std::string& stray : placement.Strays()) notes->push_back(std::move(stray));
  return ResultsOf(placement, whole);
}

// With --write the cluster's own state decides: files say which pod is meant.
absl::StatusOr<DeviceObjects> ReadObjects(ScheduleFlags* flags, const World& world, DraTaker* dra,
                                          std::vector<std::string>* notes) {
  if (flags->write && flags->pod.empty()) {
    DeviceSources files = flags->sources;
    files.cluster.clear();
    std::vector<std::string> of_files;
    const auto objects = ReadDeviceObjects(files, "", world, &of_files);
    if (!objects.ok()) return objects.status();
    const absl::StatusOr<const DevicePod*> pod = FindPod(*objects, "");
    if (!pod.ok()) return pod.status();
    if (*pod == nullptr) {
      return absl::InvalidArgumentError("--write needs a pod: the files have none");
    }
    flags->pod = NameOf(**pod);
  }
  if (flags->write) flags->sources.files.clear();
  return ReadDeviceObjects(flags->sources, flags->pod, world, notes, dra);
}

// `objects` are those of the live cluster.
absl::Status WriteResults(const ScheduleFlags& flags, const ScheduleResults& results,
                          const PlacementOptions& placing, const World& world,
                          DeviceObjects* objects, std::vector<std::string>* notes) {
  const absl::StatusOr<const DevicePod*> found = FindPod(*objects, flags.pod);
  if (!found.ok()) return found.status();
  const DevicePod pod = **found;
  if (results.node.empty()) {
    return absl::FailedPreconditionError(
        Printable(fmt::format("no node has devices and room for pod {}: nothing is written",
                              NameOf(pod))) +
        "\n" + absl::StrJoin(results.summaries, "\n"));
  }
  auto client =
      OpenLiveClient({flags.sources.kubeconfig, flags.sources.context}, world.environment);
  if (!client.ok()) return client.status();
  LiveWrites live(*std::move(client));
  absl::Status status = WriteSchedule(pod, results.node, placing, objects, live.Access());
  if (!status.ok()) return status;
  notes->push_back(Printable(fmt::format("written: pod {} is bound to node {} with its devices",
                                         NameOf(pod), results.node)));
  return status;
}

/// The ResourceClaims that are asked for; nothing: the pod has none, and so the files.
absl::StatusOr<std::optional<DraAsked>> FindDraAsked(const ScheduleFlags& flags,
                                                     const DeviceObjects& objects,
                                                     const DraObjects& dra) {
  const absl::StatusOr<const DevicePod*> pod = FindPod(objects, flags.pod);
  if (!pod.ok()) return pod.status();
  DraAsked asked;
  if (*pod == nullptr) {
    if (objects.file_claims > 0 || dra.file_claims == 0) return std::nullopt;
    if (!dra.missing.ok()) return dra.missing;
    for (size_t i = 0; i < dra.file_claims; ++i) {
      const dra::Claim& claim = dra.cluster.claims[i];
      (claim.allocated ? asked.allocated : asked.open).push_back(claim);
    }
    return asked;
  }
  const dra::PodClaims* claims = FindDraPod(dra, (*pod)->namespace_, (*pod)->name);
  if (claims == nullptr || claims->claims.empty()) return std::nullopt;
  if (!(*pod)->claims.empty()) {
    return absl::InvalidArgumentError(Printable(fmt::format(
        "pod {} has both DeviceClaims and ResourceClaims; explain pod shows both", NameOf(**pod))));
  }
  if (!dra.missing.ok()) return dra.missing;
  auto found = DraClaimsOf(*claims, dra);
  if (!found.ok()) return found.status();
  return *std::move(found);
}

absl::StatusOr<std::string> ScheduleDra(const ScheduleFlags& flags, const DraObjects& dra,
                                        DraAsked asked, bool verbose) {
  if (flags.write || flags.original_results) {
    return absl::InvalidArgumentError(
        "--write and --original-results are for DeviceClaims: only kube-scheduler allocates "
        "ResourceClaims");
  }
  const DraExplained explained = ExplainDra(dra, std::move(asked), {});
  if (flags.output == "json") return DraJson(explained).dump(2) + "\n";
  if (flags.output == "yaml") return YamlFromJson(DraJson(explained));
  if (verbose) return DraTable(explained, {.wide = true});
  return "NODE RESULTS\n------------\n" + absl::StrJoin(DraSummaries(explained), "\n") + "\n";
}

std::string InForm(const ScheduleFlags& flags, const ScheduleResults& results, bool verbose) {
  if (flags.output == "json") return ResultsJson(results);
  if (flags.output == "yaml") return ResultsYaml(results);
  return ResultsText(results, verbose);
}

absl::StatusOr<ExplainText> Schedule(const ScheduleFlags& given, const World& world) {
  ScheduleFlags flags = given;
  ExplainText text;
  DraTaker taker;
  std::vector<std::string> notes;  // of DeviceClaims
  auto objects = ReadObjects(&flags, world, &taker, &notes);
  if (!objects.ok()) return objects.status();
  const DraObjects dra = taker.Finish(&text.notes);
  auto of_dra = FindDraAsked(flags, *objects, dra);
  if (!of_dra.ok()) return of_dra.status();
  if (of_dra->has_value()) {
    auto answer = ScheduleDra(flags, dra, **std::move(of_dra), IsVerbose(flags, world));
    if (!answer.ok()) return answer.status();
    text.text = *std::move(answer);
    return text;
  }
  text.notes.insert(text.notes.end(), notes.begin(), notes.end());
  absl::StatusOr<AskedClaims> asked = FindAsked(flags, &*objects);
  if (!asked.ok()) return asked.status();
  const bool verbose = IsVerbose(flags, world);
  const absl::StatusOr<PlacementOptions> placing = PlacingOf(flags, *objects, world);
  if (!placing.ok()) return placing.status();
  const auto results = FindResults(flags, *objects, *std::move(asked), *placing,
                                   verbose || flags.output != "text", &text.notes);
  if (!results.ok()) return results.status();
  text.text = InForm(flags, *results, verbose);
  if (!flags.write) return text;
  absl::Status status = WriteResults(flags, *results, *placing, world, &*objects, &text.notes);
  if (!status.ok()) return status;
  return text;
}

absl::Status CheckScheduleFlags(const Given& given, const ScheduleFlags& flags) {
  const DeviceSources& sources = flags.sources;
  const bool is_live = sources.cluster == DeviceSources::kLive;
  if (!is_live && !(sources.kubeconfig.empty() && sources.context.empty())) {
    return absl::InvalidArgumentError("--kubeconfig and --context need --cluster live");
  }
  if (flags.write && (!is_live || flags.original_results)) {
    return absl::InvalidArgumentError(
        "--write needs --cluster live, and excludes --original-results");
  }
  if (sources.files.empty() && (sources.cluster.empty() || flags.pod.empty())) {
    return given.Wrong(
        "schedule needs --filename FILE with a pod or claims, or --cluster with --pod");
  }
  return absl::OkStatus();
}

absl::StatusOr<ScheduleFlags> ReadScheduleFlags(const Given& given) {
  ScheduleFlags flags;
  absl::Status status = ReadDeviceSources(given, &flags.sources);
  if (!status.ok()) return status;
  flags.pod = given.Value("--pod");
  flags.output = given.Value("--output", flags.output);
  flags.verbose = given.Has("--verbose");
  flags.original_results = given.Has("--original-results");
  flags.network_pools = given.Has("--network-pools");
  flags.write = given.Has("--write");
  status = CheckScheduleFlags(given, flags);
  if (!status.ok()) return status;
  return flags;
}

}  // namespace

Command ScheduleCommand() {
  Command command{.name = "schedule",
                  .summary = "Find a node and devices for the device claims of a pod",
                  .opens_connections = true,
                  .run = RunOf(ReadScheduleFlags, Schedule)};
  command.flags =
      Together({DeviceSourceFlags("only the files are read"),
                {{.name = "--pod",
                  .value = "NAME",
                  .help = "NAME or NAMESPACE/NAME of the pod (default: the one in the files; if "
                          "there is none, all claims of the files)"},
                 {.name = "-v,--verbose",
                  .help = "Full results with scores, ignored pools and reasons; also VERBOSE=y"},
                 OutputFlag({"text", "json", "yaml"}),
                 {.name = "--original-results",
                  .help = "Results of the prototype's scheduler, including its faults"},
                 {.name = "--network-pools",
                  .help = "Devices of pools without a node are available to every node"},
                 {.name = "--write",
                  .help = "Write pools, claims and the pod's binding; with --cluster live"}}});
  command.notes =
      "Only devices are checked, not resources, taints or affinity. --write checks these, too; it "
      "uses the\nstate of the cluster only, and reads just the pod's name from files. Without it "
      "nothing is written.\nDevices in the status of claims are in use. Classes are looked up in a "
      "live cluster, and elsewhere if\nthere are any. docs/devices.md has the formats.";
  return command;
}

}  // namespace outrigger::cli
