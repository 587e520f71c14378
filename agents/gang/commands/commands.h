#pragma once

#include <vector>

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger explain gang`: plans the cluster and says what becomes of gangs. Errors as of files
/// and of ClusterObjects::ReadPlanned(); NotFound, with names that are near, for a gang that is not
/// there.
Command ExplainGangCommand();

/// `outrigger explain queue`: plans the cluster as agent qos does, or asks a running agent, and
/// prints the queue. Errors as of files, of ClusterObjects::ReadPlanned() and of
/// agent_client::FetchPage().
Command ExplainQueueCommand();

/// `outrigger gang release --all`: deletes the bindings of our policies about the scheduling gate
/// outrigger.dev/queue, removes it from all pods, and prints what it did. Errors: of the kubeconfig
/// and of calls; PermissionDenied names every right that is missing, and nothing was done then;
/// Aborted: some pods have the gate still.
std::vector<Command> GangCommands();

}  // namespace outrigger::cli
