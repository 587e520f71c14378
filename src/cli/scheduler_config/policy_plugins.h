#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/policy_source.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli::policy {

/// What a profile has for the predicates and priorities of a Policy.
struct PolicyPlugins {
  YAML::Node plugins;  // null: the scheduler's own
  YAML::Node config;   // elements of pluginConfig; null: none
  std::vector<std::string> notes;
};

/// Reads `predicates`, `priorities` and `hardPodAffinitySymmetricWeight` of `policy`, a mapping. A
/// list that is not given means the scheduler's own plugins. InvalidArgument, with the place, for
/// names that no scheduler knew, and for what no plugin does any more.
absl::StatusOr<PolicyPlugins> PluginsOfPolicy(const Source& source, const YAML::Node& policy);

}  // namespace outrigger::cli::policy
