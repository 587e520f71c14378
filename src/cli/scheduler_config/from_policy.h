#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/scheduler_config.h"

namespace outrigger::cli::policy {

/// What a Policy asks for, as a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1.
struct ConvertedPolicy {
  SchedulerConfigInput configuration;
  std::string scheduler_name;  // of its profile; empty: not known
  std::vector<std::string> notes;
};

/// Converts the v1 Policy in `input`, which FindPolicy() finds; of the configuration next to it,
/// the scheduler's name, its election and its kubeconfig. Every other field is named in a note.
/// `scheduler_name`, if not empty, wins. InvalidArgument, with the place, for what has no
/// equivalent.
absl::StatusOr<ConvertedPolicy> ConvertPolicy(const SchedulerConfigInput& input,
                                              const std::string& scheduler_name);

}  // namespace outrigger::cli::policy
