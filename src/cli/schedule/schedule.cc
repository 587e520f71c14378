#include "cli/schedule/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/claims/asked.h"
#include "cli/claims/placement.h"
#include "cli/devices/read_objects.h"
#include "cli/schedule/results.h"

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

absl::StatusOr<ScheduleResults> FindResults(const ScheduleFlags& flags,
                                            const DeviceObjects& objects, AskedClaims asked,
                                            bool whole, std::vector<std::string>* notes) {
  if (flags.original_results) return OriginalResultsOf(objects, asked);
  const bool is_live = flags.sources.cluster == DeviceSources::kLive;
  const Placement placement(objects, std::move(asked),
                            {.network_pools = flags.network_pools, .always_resolve = is_live});
  for (std::string& stray : placement.Strays()) notes->push_back(std::move(stray));
  return ResultsOf(placement, whole);
}

}  // namespace

absl::StatusOr<ExplainText> Schedule(const ScheduleFlags& flags, const World& world) {
  ExplainText text;
  auto objects = ReadDeviceObjects(flags.sources, flags.pod, world, &text.notes);
  if (!objects.ok()) return objects.status();
  absl::StatusOr<AskedClaims> asked = FindAsked(flags, &*objects);
  if (!asked.ok()) return asked.status();
  const bool verbose = IsVerbose(flags, world);
  const auto results = FindResults(flags, *objects, *std::move(asked),
                                   verbose || flags.output != "text", &text.notes);
  if (!results.ok()) return results.status();
  if (flags.output == "json") {
    text.text = ResultsJson(*results);
  } else if (flags.output == "yaml") {
    text.text = ResultsYaml(*results);
  } else {
    text.text = ResultsText(*results, verbose);
  }
  return text;
}

}  // namespace outrigger::cli
