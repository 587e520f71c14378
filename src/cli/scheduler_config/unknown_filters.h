#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/scheduler_config/document.h"

namespace outrigger::cli {

// Filters of a profile that no plan knows.

/// Plugins that are not kube-scheduler's own.
std::vector<Field<std::string>> UnknownPlugins(const MapReader& profile);
/// Default constraints of PodTopologySpread that keep pods from nodes: their selector hangs on
/// Services and workloads.
std::vector<Field<std::string>> DefaultConstraints(const MapReader& profile);

/// What scheduler-config says of such a filter.
std::string NoteOfUnknownFilter(std::string_view filter);

}  // namespace outrigger::cli
