#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "outrigger/k8s/selector.h"

namespace outrigger {

/// What agents that plan know of their scheduler: read from its
/// KubeSchedulerConfiguration
/// (`serve --scheduler-config`). Without that file nothing is set, and the agents take defaults.
struct SchedulerFacts {
  /// The file, for texts; empty: there is none.
  std::string file;
  /// What the scheduler does not compare, as plan::SchedulerChecks::Parse() reads it.
  std::string unchecked;
  /// What plugin NodeAffinity requires of nodes on top of the pod (addedAffinity), by profile.
  std::map<std::string, NodeSelector> added_affinity;
  /// Profiles with a default constraint that keeps pods from nodes (PodTopologySpread).
  std::set<std::string> spreading;
  /// httpTimeout of the entry by which an agent of this process binds.
  std::optional<std::chrono::seconds> bind_timeout;
  /// bindTimeoutSeconds of plugin VolumeBinding; of several profiles the longest.
  std::optional<std::chrono::seconds> volume_bind_timeout;
  /// The profiles, separated by commas.
  std::optional<std::string> names;
  /// The Lease of leaderElection as "namespace/name"; "none" without leader election.
  std::optional<std::string> lease;
  /// The entry by which an agent of this process filters has managedResources: it is called about
  /// pods alone that ask for them.
  std::optional<bool> members_only;
  /// A profile has a percentageOfNodesToScore below 100, as by default: of more than 100 nodes the
  /// scheduler offers a part.
  std::optional<bool> samples_nodes;
  /// So many of its bind calls may wait at once (`serve --max-waiting-binds`).
  std::optional<int64_t> waiting_binds;
};

}  // namespace outrigger
