#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/entries.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "outrigger/agent/scheduler_facts.h"

// What agents that plan read from the configuration of their scheduler.

namespace outrigger::cli {

/// The Lease of leaderElection as agents name it: "namespace/name", or "none". Nothing where it
/// cannot be read.
std::optional<std::string> LeaseOf(const MapReader& root);

/// What the configuration `root` with the extenders `entries` says to agents `served`, which run in
/// one process. What is malformed counts as not there. `file` is empty.
SchedulerFacts FactsOf(const MapReader& root, const std::vector<Entry>& entries,
                       const std::vector<const AgentInfo*>& served);

/// The same of a file. InvalidArgument, with the place, for what is not one
/// KubeSchedulerConfiguration, for two profiles of one name, and for a malformed value among those
/// that are read. `groups` are those of all agents that are compiled in.
absl::StatusOr<SchedulerFacts> ReadSchedulerFacts(const SchedulerConfigInput& input,
                                                  const std::vector<SettingGroup>& groups,
                                                  const LeftOutAgents& left_out,
                                                  const std::vector<const AgentInfo*>& served);

}  // namespace outrigger::cli
