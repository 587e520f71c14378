#pragma once

namespace outrigger::cli {

/// Writing to a connection that its other end has closed is an error from now on, and does not end
/// the process by SIGPIPE. For whatever opens connections.
void IgnoreBrokenPipes();

/// Keeps SIGTERM and SIGINT for WaitForStop() and calls IgnoreBrokenPipes(). Call while the process
/// has one thread: later ones inherit the mask.
void HoldSignals();

/// Returns when SIGTERM or SIGINT comes. From then on a further one ends the process at once, with
/// exit code 1, whatever is still draining.
void WaitForStop();

}  // namespace outrigger::cli
