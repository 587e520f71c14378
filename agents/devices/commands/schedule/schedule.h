#pragma once

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger schedule`: finds the node and the devices for the claims of a pod, or for all claims
/// of the files if these have no pod. Errors as those of ReadDeviceObjects(), FindPod() and
/// ClaimsOf().
Command ScheduleCommand();

}  // namespace outrigger::cli
