#pragma once

#include "absl/status/status.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// `outrigger penalty restore`: takes the agent's Lease, puts classes back to their base, and
/// prints a line for each. Errors: of the kubeconfig, HoldingLease(), and Restorer.
absl::Status RestorePenalty(const PenaltyFlags& flags, const World& world);

}  // namespace outrigger::cli
