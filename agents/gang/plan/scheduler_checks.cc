#include "gang/plan/scheduler_checks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "outrigger/base/text.h"

namespace outrigger::plan {
namespace {

constexpr std::array<std::string_view, kFilterPlugins> kNames = {
    "NodeUnschedulable", "TaintToleration",   "NodeAffinity",    "NodePorts",
    "NodeResourcesFit",  "PodTopologySpread", "InterPodAffinity"};

constexpr std::string_view kGroupEnd = "/*";
constexpr size_t kMostItems = 1000;

// As IsExtendedResourceName() of k8s.io/kubernetes/pkg/apis/core/v1/helper: native are names
// without a prefix, and those under kubernetes.io.
bool IsExtended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos &&
         !resource.starts_with("requests.");
}

std::optional<FilterPlugin> PluginOf(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FilterPlugin>(found - kNames.begin());
}

absl::Status NotAccepted(std::string_view item, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format(
      "\"{}\" {}; accepted are extended resources (example.com/score), groups of them "
      "(example.com/*) and plugins ({}), each after a schedulerName and a colon or without",
      Printable(item.substr(0, 128)), why, fmt::join(kNames, ", ")));
}

absl::Status Add(std::string_view item, std::string_view what, ProfileChecks* profile) {
  if (what.empty()) return NotAccepted(item, "names nothing");
  if (what.find('/') == std::string_view::npos) {
    const auto plugin = PluginOf(what);
    if (!plugin) return NotAccepted(item, "is not a plugin that the planner supports");
    profile->plugins.insert(*plugin);
    return absl::OkStatus();
  }
  if (what.ends_with(kGroupEnd)) {
    const std::string_view group = what.substr(0, what.size() - kGroupEnd.size());
    if (group.empty() || group.find_first_of("/*") != std::string_view::npos) {
      return NotAccepted(item, "is not a group of resources");
    }
    profile->resource_groups.emplace(group);
    return absl::OkStatus();
  }
  if (!IsExtended(what) || what.find('*') != std::string_view::npos) {
    return NotAccepted(item, "is not an extended resource");
  }
  profile->resources.emplace(what);
  return absl::OkStatus();
}

// What is left of the requests is asked for by one container, so that no sum brings it back.
void LeaveResourcesOut(const ProfileChecks& profile, Pod* pod) {
  const auto is_out = [&](const ResourceList& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& entry) { return profile.LeavesOut(entry.name); });
  };
  const ResourceList requests = PodRequests(*pod);
  if (!is_out(requests)) return;
  Container all;
  for (const auto& [name, quantity] : requests) {
    if (!profile.LeavesOut(name)) all.requests.Append(name, quantity);
  }
  all.requests.Normalize();
  const CallsAsked asked = CallsAskedBy(*pod);
  if (asked.in_cycle) all.limits.Set(kCallResource, Quantity::FromInt(1));
  if (asked.bind) all.limits.Set(kBindCallResource, Quantity::FromInt(1));
  pod->containers = {std::move(all)};
  pod->init_containers.clear();
  pod->overhead = {};
  pod->pod_requests.reset();
}

}  // namespace

std::string_view NameOf(FilterPlugin plugin) {
  return kNames[static_cast<size_t>(plugin)];
}

bool ProfileChecks::LeavesOut(std::string_view resource) const {
  if (Has(FilterPlugin::kNodeResourcesFit) || IsCallResource(resource)) return true;
  if (!IsExtended(resource)) return false;
  return resources.contains(resource) ||
         resource_groups.contains(resource.substr(0, resource.find('/')));
}

absl::StatusOr<SchedulerChecks> SchedulerChecks::Parse(std::string_view list) {
  SchedulerChecks checks;
  const std::vector<std::string> items = SplitList(list);
  if (items.size() > kMostItems) {
    return absl::InvalidArgumentError(
        fmt::format("has {} items, at most {} are allowed", items.size(), kMostItems));
  }
  // What all profiles leave out comes first: a profile of its own has it too.
  for (const bool of_one : {false, true}) {
    for (const std::string& item : items) {
      const size_t colon = item.find(':');
      if (item.empty() || (colon != std::string::npos) != of_one) continue;
      if (colon == 0) return NotAccepted(item, "has no schedulerName before its colon");
      const std::string_view what = std::string_view(item).substr(of_one ? colon + 1 : 0);
      ProfileChecks& profile =
          of_one
              ? checks.profiles.try_emplace(item.substr(0, colon), checks.everywhere).first->second
              : checks.everywhere;
      if (absl::Status status = Add(item, what, &profile); !status.ok()) return status;
    }
  }
  return checks;
}

void SchedulerChecks::AddToProfiles(const std::map<std::string, NodeSelector>& added_affinity) {
  for (const auto& [name, selector] : added_affinity) {
    profiles.try_emplace(name, everywhere).first->second.added_affinity = selector;
  }
}

const ProfileChecks& SchedulerChecks::Of(const Pod& pod) const {
  const std::string_view name =
      pod.scheduler_name.empty() ? std::string_view("default-scheduler") : pod.scheduler_name;
  const auto found = profiles.find(name);
  return found == profiles.end() ? everywhere : found->second;
}

void SchedulerChecks::LeaveOutOf(Pod* pod) const {
  LeaveCallsOutOf(pod);
  const ProfileChecks& profile = Of(*pod);
  if (profile == ProfileChecks()) return;
  LeaveResourcesOut(profile, pod);
  if (profile.Has(FilterPlugin::kNodePorts)) pod->host_ports.clear();
  if (profile.Has(FilterPlugin::kPodTopologySpread)) pod->topology_spread.clear();
  if (profile.Has(FilterPlugin::kInterPodAffinity)) {
    pod->affinity.required_pod.clear();
    pod->affinity.required_pod_anti.clear();
  }
}

void SchedulerChecks::AddDevices(const ResourceList& allocatable, ResourceList* free) const {
  for (const std::string& name : device_resources) {
    if (allocatable.Get(name).Value() <= 0) free->Set(name, Quantity::FromInt(kAnyAmount));
  }
}

}  // namespace outrigger::plan
