#pragma once

#include "absl/status/statusor.h"
#include "cli/args/command.h"
#include "cli/explain/explain.h"
#include "cli/format/world.h"

namespace outrigger::cli {

/// `outrigger explain gang`: plans the cluster and says what becomes of the gangs that `command`
/// names, in the form that it wants. Errors as of files and of ClusterObjects::ReadPlanned();
/// NotFound, with names that are near, for a gang that is not there.
absl::StatusOr<ExplainText> ExplainGang(const Command& command, const World& world);

}  // namespace outrigger::cli
