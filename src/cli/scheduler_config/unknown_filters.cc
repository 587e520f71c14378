#include "cli/scheduler_config/unknown_filters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/scheduler_config/unchecked.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

// Of Kubernetes 1.37; those of 1.33 and 1.36 are among them.
constexpr std::array<std::string_view, 24> kOwnPlugins = {
    "DefaultBinder",     "DefaultPreemption",  "DeferredPodScheduling",
    "DynamicResources",  "GangScheduling",     "ImageLocality",
    "InterPodAffinity",  "NodeAffinity",       "NodeDeclaredFeatures",
    "NodeName",          "NodePorts",          "NodeResourcesBalancedAllocation",
    "NodeResourcesFit",  "NodeUnschedulable",  "NodeVolumeLimits",
    "PodGroupPodsCount", "PodTopologySpread",  "PrioritySort",
    "SchedulingGates",   "TaintToleration",    "TopologyPlacementGenerator",
    "VolumeBinding",     "VolumeRestrictions", "VolumeZone"};

}  // namespace

std::vector<Field<std::string>> UnknownPlugins(const MapReader& profile) {
  std::vector<Field<std::string>> filters;
  for (const char* point : {"preFilter", "filter", "multiPoint"}) {
    for (const MapReader& plugin : profile.Map("plugins").Map(point).List("enabled")) {
      Field<std::string> name = plugin.Text("name");
      const bool is_own = std::binary_search(kOwnPlugins.begin(), kOwnPlugins.end(), name.value);
      const bool is_known =
          std::any_of(filters.begin(), filters.end(),
                      [&](const Field<std::string>& known) { return known.value == name.value; });
      if (name.Given() && !is_own && !is_known) filters.push_back(std::move(name));
    }
  }
  return filters;
}

std::vector<Field<std::string>> DefaultConstraints(const MapReader& profile) {
  std::vector<Field<std::string>> constraints;
  for (const MapReader& constraint :
       ArgumentsOf(profile, "PodTopologySpread").List("defaultConstraints")) {
    if (constraint.Text("whenUnsatisfiable").value != "DoNotSchedule") continue;
    constraints.push_back(
        {fmt::format("a default constraint over {}", constraint.Text("topologyKey").value),
         Field<std::string>::State::kGiven, constraint.place()});
  }
  return constraints;
}

std::string NoteOfUnknownFilter(std::string_view filter) {
  return fmt::format(
      "the planner does not support {}, which may reject nodes: gangs learn from kube-scheduler "
      "which nodes pass",
      filter);
}

}  // namespace outrigger::cli
