#pragma once

#include <string>
#include <vector>

#include "outrigger/agent/agent.h"
#include "yaml-cpp/node/node.h"

namespace outrigger::cli {

/// Writes into the KubeSchedulerConfiguration `root` what agents wish of the scheduler, where it is
/// not set. `notes` gets what is set and stays, though something else is wished.
void WriteWishes(const SchedulerWishes& wishes, YAML::Node& root, std::vector<std::string>* notes);

}  // namespace outrigger::cli
