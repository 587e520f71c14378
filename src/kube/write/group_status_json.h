#pragma once

#include <chrono>
#include <string>

#include "outrigger/agent/cluster.h"

namespace outrigger::kube {

/// The object `status` of a merge patch, as JSON: what a PodGroup of `dialect` has fields for.
std::string GroupStatusJson(Dialect dialect, const PodGroupStatus& status,
                            std::chrono::system_clock::time_point now);

}  // namespace outrigger::kube
