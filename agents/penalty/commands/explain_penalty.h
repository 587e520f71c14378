#pragma once

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger explain penalty`: classes, changes, sums and groups of the journal in the cluster, or
/// of a running agent. Errors: of the kubeconfig, PagesOfJournal() and AskForPage().
Command ExplainPenaltyCommand();

}  // namespace outrigger::cli
