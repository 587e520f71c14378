#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/resources.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::plan {

/// Stands for as much as anybody asks for: far above what nodes have, while a few thousand of it
/// still add up within 64 bits.
inline constexpr int64_t kAnyAmount = int64_t{1} << 40;

/// Plugins of kube-scheduler whose filters the planner makes too.
enum class FilterPlugin : uint8_t {
  kNodeUnschedulable,
  kTaintToleration,
  kNodeAffinity,
  kNodePorts,
  kNodeResourcesFit,
  kPodTopologySpread,
  kInterPodAffinity,
};
inline constexpr int kFilterPlugins = 7;
/// "NodeResourcesFit", as a profile names it.
std::string_view NameOf(FilterPlugin plugin);

/// What one profile of kube-scheduler does not compare, and what it asks for on top of the pod.
struct ProfileChecks {
  /// Extended resources by name: NodeResourcesFit's ignoredResources, and what an extender manages
  /// with ignoredByScheduler.
  std::set<std::string, std::less<>> resources;
  /// Those whose name begins with this and a slash: NodeResourcesFit's ignoredResourceGroups.
  std::set<std::string, std::less<>> resource_groups;
  /// Plugins that the profile switches off.
  std::set<FilterPlugin> plugins;
  /// What NodeAffinity's addedAffinity requires of a node for each pod of the profile.
  std::optional<NodeSelector> added_affinity;
  friend bool operator==(const ProfileChecks&, const ProfileChecks&) = default;

  bool Has(FilterPlugin plugin) const { return plugins.contains(plugin); }
  /// True if an amount of the resource is not compared with what nodes have, which resources that
  /// stand for calls never are. That of native
  /// resources ("cpu", "example.kubernetes.io/x") is unless NodeResourcesFit is switched off.
  bool LeavesOut(std::string_view resource) const;
};

/// Which of the planner's checks kube-scheduler does not make, so that a gang never waits for what
/// a single pod needs not have, and which it makes in addition. A plain value.
struct SchedulerChecks {
  /// By schedulerName. A profile that is not here leaves out what `everywhere` has.
  std::map<std::string, ProfileChecks, std::less<>> profiles;
  ProfileChecks everywhere;
  /// Extended resources that a DeviceClass serves: compared only on nodes that have them from a
  /// device plugin (KEP-5004).
  std::set<std::string, std::less<>> device_resources;
  friend bool operator==(const SchedulerChecks&, const SchedulerChecks&) = default;

  /// Reads a list separated by commas, "example.com/score,example.net/*,batch:NodePorts": names of
  /// extended resources, groups of them, plugins; with a schedulerName and a colon before it, of
  /// that profile alone. InvalidArgument quotes the item and names what is accepted.
  static absl::StatusOr<SchedulerChecks> Parse(std::string_view list);
  /// Adds what profiles require of nodes (ProfileChecks::added_affinity), by schedulerName.
  void AddToProfiles(const std::map<std::string, NodeSelector>& added_affinity);

  bool empty() const {
    return profiles.empty() && everywhere == ProfileChecks() && device_resources.empty();
  }
  const ProfileChecks& Of(const Pod& pod) const;

  /// Takes from a pod what its profile does not compare: resources, ports, pod affinity, spread;
  /// and what no profile does (plan/call_resources.h).
  /// What is judged with the node stays: its labels, taints and cordon.
  void LeaveOutOf(Pod* pod) const;
  /// Makes `free`, what a node of that `allocatable` has left, cover any amount of what a
  /// DeviceClass serves, and the node has not from a device plugin.
  void AddDevices(const ResourceList& allocatable, ResourceList* free) const;
};

}  // namespace outrigger::plan
