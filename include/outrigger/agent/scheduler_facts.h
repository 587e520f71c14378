#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "outrigger/k8s/selector.h"

namespace outrigger {

/// What planning agents know about their scheduler, from its KubeSchedulerConfiguration (`serve
/// --scheduler-config`). Without that file nothing is set, and the agents use defaults.
struct SchedulerFacts {
  /// The file name, for messages; empty: no file.
  std::string file;
  /// Checks that the scheduler does not make, in the form of plan::SchedulerChecks::Parse().
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
  /// The entry of this process's filter has managedResources: it is called only for pods that
  /// request them.
  std::optional<bool> members_only;
  /// A profile has a percentageOfNodesToScore below 100, which is the default: of more than 100
  /// nodes the scheduler offers only a part.
  std::optional<bool> samples_nodes;
  /// How many of its bind calls may wait at once (`serve --max-waiting-binds`).
  std::optional<int64_t> waiting_binds;
};

}  // namespace outrigger
