#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "outrigger/agent/cluster.h"

namespace outrigger::kube {

/// The object `status` of a merge patch, as JSON: what a PodGroup of `dialect` has fields for.
/// `version`: that of the PodGroup; its condition has two names.
std::string GroupStatusJson(Dialect dialect, std::string_view version, const PodGroupStatus& status,
                            std::chrono::system_clock::time_point now);

}  // namespace outrigger::kube
