#pragma once

#include "absl/status/statusor.h"
#include "cli/args/command.h"
#include "cli/explain/explain.h"
#include "cli/format/world.h"

namespace outrigger::cli {

/// `outrigger explain queue`: plans the cluster as agent qos does, or asks a running agent, and
/// prints the queue in the form that `command` wants. Errors as of files, of
/// ClusterObjects::ReadPlanned() and of agent_client::FetchPage().
absl::StatusOr<ExplainText> ExplainQueue(const Command& command, const World& world);

}  // namespace outrigger::cli
