#include "cli/schedule/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/claims/asked.h"
#include "cli/claims/placement.h"
#include "cli/devices/read_objects.h"
#include "cli/explain/live_client.h"
#include "cli/schedule/live_writes.h"
#include "cli/schedule/results.h"
#include "cli/schedule/write.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

absl::StatusOr<AskedClaims> FindAsked(const ScheduleFlags& flags, DeviceObjects* objects) {
  const absl::StatusOr<const DevicePod*> pod = FindPod(*objects, flags.pod);
  if (!pod.ok()) return pod.status();
  if (*pod != nullptr) return ClaimsOf(**pod, objects);
  if (!flags.sources.files.empty()) return ClaimsOfFiles(*objects);
  return absl::InvalidArgumentError(
      "there is neither a pod nor a claim to schedule: give --filename FILE or --pod NAME");
}

// As the prototype's test has it.
bool IsVerbose(const ScheduleFlags& flags, const World& world) {
  const std::string* const verbose = Find(world.environment, "VERBOSE");
  return flags.verbose || (verbose != nullptr && *verbose == "y");
}

PlacementOptions PlacingOf(const ScheduleFlags& flags) {
  const bool is_live = flags.sources.cluster == DeviceSources::kLive;
  return {
      .network_pools = flags.network_pools, .always_resolve = is_live, .knows_namespaces = is_live};
}

absl::StatusOr<ScheduleResults> FindResults(const ScheduleFlags& flags,
                                            const DeviceObjects& objects, AskedClaims asked,
                                            bool whole, std::vector<std::string>* notes) {
  if (flags.original_results) return OriginalResultsOf(objects, asked);
  const Placement placement(objects, std::move(asked), PlacingOf(flags));
  for (std::string& stray : placement.Strays()) notes->push_back(std::move(stray));
  return ResultsOf(placement, whole);
}

// With --write the cluster's own state decides: files say which pod is meant.
absl::StatusOr<DeviceObjects> ReadObjects(ScheduleFlags* flags, const World& world,
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
      return absl::InvalidArgumentError("--write wants a pod: the files have none");
    }
    flags->pod = NameOf(**pod);
  }
  if (flags->write) flags->sources.files.clear();
  return ReadDeviceObjects(flags->sources, flags->pod, world, notes);
}

// `objects` are those of the live cluster.
absl::Status WriteResults(const ScheduleFlags& flags, const ScheduleResults& results,
                          const World& world, DeviceObjects* objects,
                          std::vector<std::string>* notes) {
  const absl::StatusOr<const DevicePod*> found = FindPod(*objects, flags.pod);
  if (!found.ok()) return found.status();
  const DevicePod pod = **found;
  if (results.node.empty()) {
    return absl::FailedPreconditionError(
        Printable(fmt::format("no node has devices for pod {}: nothing is written", NameOf(pod))) +
        "\n" + absl::StrJoin(results.summaries, "\n"));
  }
  auto client =
      OpenLiveClient({flags.sources.kubeconfig, flags.sources.context}, world.environment);
  if (!client.ok()) return client.status();
  LiveWrites live(*std::move(client));
  absl::Status status = WriteSchedule(pod, results.node, PlacingOf(flags), objects, live.Access());
  if (!status.ok()) return status;
  notes->push_back(Printable(fmt::format("written: pod {} is bound to node {} with its devices",
                                         NameOf(pod), results.node)));
  return status;
}

std::string InForm(const ScheduleFlags& flags, const ScheduleResults& results, bool verbose) {
  if (flags.output == "json") return ResultsJson(results);
  if (flags.output == "yaml") return ResultsYaml(results);
  return ResultsText(results, verbose);
}

}  // namespace

absl::StatusOr<ExplainText> Schedule(const ScheduleFlags& given, const World& world) {
  ScheduleFlags flags = given;
  ExplainText text;
  auto objects = ReadObjects(&flags, world, &text.notes);
  if (!objects.ok()) return objects.status();
  absl::StatusOr<AskedClaims> asked = FindAsked(flags, &*objects);
  if (!asked.ok()) return asked.status();
  const bool verbose = IsVerbose(flags, world);
  const auto results = FindResults(flags, *objects, *std::move(asked),
                                   verbose || flags.output != "text", &text.notes);
  if (!results.ok()) return results.status();
  text.text = InForm(flags, *results, verbose);
  if (!flags.write) return text;
  absl::Status status = WriteResults(flags, *results, world, &*objects, &text.notes);
  if (!status.ok()) return status;
  return text;
}

}  // namespace outrigger::cli
