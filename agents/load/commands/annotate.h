#pragma once

#include "absl/status/status.h"
#include "console/format/world.h"
#include "load/commands/options.h"

namespace outrigger::cli {

/// Runs `outrigger annotate` until SIGTERM or SIGINT, or once. Logging must be set up;
/// HoldSignals() called unless it runs once.
absl::Status Annotate(const AnnotateOptions& options, const World& world);

}  // namespace outrigger::cli
