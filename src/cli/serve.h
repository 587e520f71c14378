#pragma once

#include "absl/status/status.h"
#include "cli/serve_options.h"

namespace outrigger::cli {

/// Serves until SIGTERM or SIGINT and drains. Logging must be set up, HoldSignals() called.
absl::Status Serve(const ServeOptions& options);

}  // namespace outrigger::cli
