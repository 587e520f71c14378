#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "cli/scheduler_config/document.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::cli {

/// What addedAffinity of plugin NodeAffinity requires of nodes for each pod of the profile; nothing
/// where it requires nothing. InvalidArgument for what kube-scheduler refuses, and for what no
/// node matches; `refused` gets the place.
absl::StatusOr<std::optional<NodeSelector>> ReadAddedAffinity(const MapReader& profile,
                                                              Place* refused = nullptr);

}  // namespace outrigger::cli
