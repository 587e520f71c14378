#pragma once

#include <vector>

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger penalty restore`: takes the agent's Lease, puts classes back to their base, and
/// prints a line for each. Errors: of the kubeconfig, HoldingLease(), and Restorer.
std::vector<Command> PenaltyCommands();

}  // namespace outrigger::cli
