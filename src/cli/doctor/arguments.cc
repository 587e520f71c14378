#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/doctor/checks.h"
#include "cli/scheduler_config/added_affinity.h"
#include "cli/scheduler_config/unchecked.h"
#include "fmt/format.h"

// By pkg/scheduler/apis/config/validation of kube-scheduler.

namespace outrigger::cli {
namespace {

using Id = FindingId;

struct ArgumentRange {
  const char* plugin;
  const char* field;
  int64_t least, most;
};
constexpr int64_t kUnbounded = INT32_MAX;
constexpr std::array kRanges = {
    ArgumentRange{"DefaultPreemption", "minCandidateNodesPercentage", 0, 100},
    ArgumentRange{"DefaultPreemption", "minCandidateNodesAbsolute", 0, kUnbounded},
    ArgumentRange{"InterPodAffinity", "hardPodAffinityWeight", 0, 100},
    ArgumentRange{"VolumeBinding", "bindTimeoutSeconds", 0, kUnbounded}};

void CheckRanges(const MapReader& profile, Findings* findings) {
  for (const ArgumentRange& range : kRanges) {
    const Field<int64_t> number = ArgumentsOf(profile, range.plugin).Integer(range.field);
    if (!number.Given() || (number.value >= range.least && number.value <= range.most)) continue;
    findings->Add(
        Id::kArgumentsRefused, number.place, std::to_string(number.value),
        fmt::format("{}: an integer from {} to {}", range.field, range.least, range.most));
  }
}

// One of `accepted`; nothing for a field that is not there.
void CheckWord(const Field<std::string>& word, const std::vector<std::string>& accepted,
               Findings* findings) {
  if (!word.Given() || std::find(accepted.begin(), accepted.end(), word.value) != accepted.end()) {
    return;
  }
  findings->Add(Id::kArgumentsRefused, word.place, word.value, absl::StrJoin(accepted, " or "));
}

void CheckConstraint(const MapReader& constraint, Findings* findings) {
  const auto refuse = [&](const Place& place, const std::string& found, const std::string& fix) {
    findings->Add(Id::kArgumentsRefused, place, found, fix);
  };
  const Field<int64_t> skew = constraint.Integer("maxSkew");
  if (!skew.Broken() && skew.value < 1) {
    refuse(skew.place, skew.Given() ? std::to_string(skew.value) : "missing", "maxSkew: 1");
  }
  const Field<std::string> key = constraint.Text("topologyKey");
  if (!key.Broken() && key.value.empty()) {
    refuse(key.place, "missing", "topologyKey: topology.kubernetes.io/zone");
  }
  const Field<std::string> otherwise = constraint.Text("whenUnsatisfiable");
  if (otherwise.Absent()) {
    refuse(otherwise.place, "missing", "whenUnsatisfiable: ScheduleAnyway");
  }
  CheckWord(otherwise, {"DoNotSchedule", "ScheduleAnyway"}, findings);
  if (constraint.Has("labelSelector")) {
    refuse(constraint.Map("labelSelector").place(), "labelSelector",
           "leave it out: default constraints count the pods of each pod's own owner");
  }
}

void CheckSpread(const MapReader& profile, Findings* findings) {
  const MapReader arguments = ArgumentsOf(profile, "PodTopologySpread");
  const Field<std::string> type = arguments.Text("defaultingType");
  CheckWord(type, {"List", "System"}, findings);
  const std::vector<MapReader> constraints = arguments.List("defaultConstraints");
  for (const MapReader& constraint : constraints) CheckConstraint(constraint, findings);
  if (constraints.empty() || type.Or("System") != "System") return;
  findings->Add(Id::kArgumentsRefused, type.place,
                type.Given() ? "System, with defaultConstraints"
                             : "missing (so System), with defaultConstraints",
                "defaultingType: List");
}

void CheckFit(const MapReader& profile, Findings* findings) {
  const MapReader arguments = ArgumentsOf(profile, "NodeResourcesFit");
  for (const Field<std::string>& group : arguments.Texts("ignoredResourceGroups")) {
    const size_t slash = group.value.find('/');
    if (slash == std::string::npos) continue;
    findings->Add(
        Id::kArgumentsRefused, group.place, group.value,
        fmt::format("{}, or ignoredResources: [{}]", group.value.substr(0, slash), group.value));
  }
  CheckWord(arguments.Map("scoringStrategy").Text("type"),
            {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}, findings);
}

void CheckAddedAffinity(const MapReader& profile, Findings* findings) {
  Place refused;
  const auto added = ReadAddedAffinity(profile, &refused);
  if (added.ok()) return;
  findings->Add(Id::kArgumentsRefused, refused, std::string(added.status().message()),
                "a requirement as in a pod's nodeAffinity, such as {key: pool, operator: In, "
                "values: [batch]}");
}

void CheckOncePerPlugin(const MapReader& profile, Findings* findings) {
  std::set<std::string> names;
  for (const MapReader& config : profile.List("pluginConfig")) {
    const Field<std::string> name = config.Text("name");
    if (!name.Given() || names.insert(name.value).second) continue;
    findings->Add(Id::kArgumentsRefused, name.place, name.value + ", again",
                  "one element of pluginConfig for each plugin");
  }
}

// The plugin that sorts the queue; empty where one of multiPoint may.
std::string QueueSortOf(const MapReader& profile) {
  const MapReader plugins = profile.Map("plugins");
  const MapReader own = plugins.Map("queueSort");
  for (const MapReader& plugin : own.List("enabled")) return plugin.Text("name").value;
  bool off = false;
  for (const MapReader& set : {own, plugins.Map("multiPoint")}) {
    for (const MapReader& plugin : set.List("disabled")) {
      const std::string name = plugin.Text("name").value;
      off = off || name == "*" || name == "PrioritySort";
    }
  }
  if (!plugins.Map("multiPoint").List("enabled").empty()) return "";
  return off ? "none" : "PrioritySort";
}

void CheckQueueSort(const std::vector<MapReader>& profiles, Findings* findings) {
  std::string first;
  for (const MapReader& profile : profiles) {
    const std::string sort = QueueSortOf(profile);
    if (sort.empty()) continue;
    const Place place = profile.Map("plugins").Map("queueSort").place();
    if (sort == "none") {
      findings->Add(Id::kQueueSortRefused, place,
                    "PrioritySort is disabled, and no other plugin sorts",
                    "leave PrioritySort enabled");
      continue;
    }
    if (first.empty()) first = sort;
    if (sort == first) continue;
    findings->Add(Id::kQueueSortRefused, place, fmt::format("{}, and {} before", sort, first),
                  "the same queueSort in all profiles");
  }
}

}  // namespace

void CheckArguments(const DoctorCase& found, Findings* findings) {
  for (const MapReader& profile : found.profiles) {
    CheckAddedAffinity(profile, findings);
    CheckRanges(profile, findings);
    CheckSpread(profile, findings);
    CheckFit(profile, findings);
    CheckOncePerPlugin(profile, findings);
  }
  CheckQueueSort(found.profiles, findings);
}

}  // namespace outrigger::cli
