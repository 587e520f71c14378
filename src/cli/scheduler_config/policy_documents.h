#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/policy_source.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli::policy {

/// A mapping and where it is from.
struct SourceDocument {
  Source source;
  YAML::Node node;
};

/// The Policy of an input, and the KubeSchedulerConfiguration that goes with it, if there is one.
struct PolicyDocuments {
  SourceDocument policy;
  std::optional<SourceDocument> configuration;
};

/// Finds both in `input`: documents of their kinds, or ConfigMaps that hold them, the Policy under
/// policy.cfg, among other objects. InvalidArgument if there is no Policy or more than one, or if
/// it is not known which configuration goes with it. Throws YAML::Exception for what is not YAML.
absl::StatusOr<PolicyDocuments> FindPolicy(const SchedulerConfigInput& input);

}  // namespace outrigger::cli::policy
