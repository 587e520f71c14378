#pragma once

namespace outrigger::cli {

/// Keeps SIGTERM and SIGINT for WaitForStop() and ignores SIGPIPE. Call while the process has one
/// thread: later ones inherit the mask.
void HoldSignals();

/// Returns when SIGTERM or SIGINT comes. From then on a further one ends the process at once, with
/// exit code 1, whatever is still draining.
void WaitForStop();

}  // namespace outrigger::cli
