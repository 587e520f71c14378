#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/scheduler_config/scheduler_config.h"
#include "yaml-cpp/node/node.h"

namespace outrigger::cli {

/// Writes the plan's entries into `extenders` of `root`, beside those that are there; agents that
/// wish to be last are behind all others then. `name` is that of the document; `notes` gets what
/// was changed. Errors as WriteSchedulerConfig().
absl::Status WriteExtenders(const SchedulerConfigPlan& plan, const std::string& name,
                            YAML::Node& root, std::vector<std::string>* notes);

}  // namespace outrigger::cli
