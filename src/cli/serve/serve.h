#pragma once

#include "absl/status/status.h"
#include "cli/serve/options.h"
#include "console/format/environment.h"

namespace outrigger::cli {

/// Serves until SIGTERM or SIGINT and drains. Logging must be set up, HoldSignals() called.
/// `environment` says where the API server of a pod is.
absl::Status Serve(const ServeOptions& options, const Environment& environment);

}  // namespace outrigger::cli
