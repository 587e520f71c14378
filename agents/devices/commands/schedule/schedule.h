#pragma once

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// `outrigger schedule`: finds the node and the devices for the claims of a pod, or for all claims
/// of the files if these have no pod. Errors as those of ReadDeviceObjects(), FindPod() and
/// ClaimsOf().
absl::StatusOr<ExplainText> Schedule(const ScheduleFlags& flags, const World& world);

}  // namespace outrigger::cli
