#pragma once

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// `outrigger explain penalty`: classes, changes, sums and groups of the journal in the cluster, or
/// of a running agent, in the form that `flags` want. Errors: of the kubeconfig, PagesOfJournal()
/// and AskForPage().
absl::StatusOr<ExplainText> ExplainPenalty(const PenaltyFlags& flags, const World& world);

}  // namespace outrigger::cli
