#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "console/format/world.h"
#include "console/process/cluster_source.h"
#include "console/process/log.h"
#include "console/settings/setting_group.h"
#include "serve/engine/engine.h"
#include "serve/server/service.h"

namespace outrigger::cli {

/// Everything `outrigger serve` needs to start.
struct ServeOptions {
  server::ServiceOptions service;
  std::string port_by = "--port";           // what chooses the port for calls
  std::string open_to_all;                  // a warning if --original opens the port, or empty
  std::vector<engine::ServedAgent> agents;  // at least one; they point into the registry
  std::string node_table;                   // path, or empty
  std::string scheduler_config;             // path, or empty
  std::string scheduler_config_by;          // where that comes from
  SchedulerFacts scheduler;                 // what is in it
  ClusterOptions cluster;
  std::string port_file;  // path, or empty
  std::chrono::milliseconds drain_delay{0};
  std::chrono::milliseconds drain_timeout{0};
};

/// The agents that `list` ("safe,congestion") names, in that order; all for an empty list.
/// InvalidArgument says which are compiled in, and for `left_out` ones how to compile them in.
absl::StatusOr<std::vector<const AgentInfo*>> ChooseAgents(const std::string& list,
                                                           const std::vector<AgentInfo>& registry,
                                                           const LeftOutAgents& left_out);

/// The agents that the settings choose, with theirs. `groups` as MakeSettingGroups made them from
/// `registry`. InvalidArgument as ChooseAgents().
absl::StatusOr<std::vector<engine::ServedAgent>> ServedAgents(
    const std::vector<SettingGroup>& groups, const std::vector<AgentInfo>& registry,
    const LeftOutAgents& left_out);

/// Checks settings against each other and fills in what depends on others. `groups` as
/// MakeSettingGroups made them from `registry`; of `environment`, KUBECONFIG is read.
/// InvalidArgument names the flags.
absl::StatusOr<ServeOptions> MakeServeOptions(const std::vector<SettingGroup>& groups,
                                              const std::vector<AgentInfo>& registry,
                                              const LeftOutAgents& left_out,
                                              const Environment& environment);

/// The part that can be known before anything else is right: how to log.
LogOptions MakeLogOptions(const ServerSettings& settings);

/// True for 127.0.0.0/8, ::1 and localhost.
bool IsLoopback(const std::string& address);

}  // namespace outrigger::cli
