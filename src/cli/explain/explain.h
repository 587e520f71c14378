#pragma once

#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// `outrigger explain pod`: reads pod and nodes, asks the agents, and puts it into the form that
/// `command` wants. Errors as of settings, of files, and of ClusterObjects::Find().
absl::StatusOr<ExplainText> ExplainPod(const Command& command, const World& world);

}  // namespace outrigger::cli
