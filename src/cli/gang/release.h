#pragma once

#include "absl/status/status.h"
#include "cli/args/command.h"
#include "cli/format/world.h"

namespace outrigger::cli {

/// `outrigger gang release --all`: deletes the bindings of our policies about the scheduling gate
/// outrigger.dev/queue, removes it from all pods, and prints what it did. Errors: of the kubeconfig
/// and of calls; PermissionDenied names every right that is missing, and nothing was done then;
/// Aborted: some pods have the gate still.
absl::Status ReleaseGates(const GangReleaseFlags& flags, const World& world);

}  // namespace outrigger::cli
