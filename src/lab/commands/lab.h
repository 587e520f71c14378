#pragma once

#include "absl/status/status.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// Runs `outrigger lab scheduler` until SIGTERM or SIGINT. A program that was built without the lab
/// says so. An API server that does not answer is waited for, and so is a right that is missing.
absl::Status RunLabScheduler(const LabFlags& flags, const World& world);

}  // namespace outrigger::cli
