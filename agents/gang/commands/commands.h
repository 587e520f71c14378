#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// `outrigger explain gang`: plans the cluster and says what becomes of the gangs that `command`
/// names, in the form that it wants. Errors as of files and of ClusterObjects::ReadPlanned();
/// NotFound, with names that are near, for a gang that is not there.
absl::StatusOr<ExplainText> ExplainGang(const Command& command, const World& world);

/// `outrigger explain queue`: plans the cluster as agent qos does, or asks a running agent, and
/// prints the queue in the form that `command` wants. Errors as of files, of
/// ClusterObjects::ReadPlanned() and of agent_client::FetchPage().
absl::StatusOr<ExplainText> ExplainQueue(const Command& command, const World& world);

/// `outrigger gang release --all`: deletes the bindings of our policies about the scheduling gate
/// outrigger.dev/queue, removes it from all pods, and prints what it did. Errors: of the kubeconfig
/// and of calls; PermissionDenied names every right that is missing, and nothing was done then;
/// Aborted: some pods have the gate still.
absl::Status ReleaseGates(const GangReleaseFlags& flags, const World& world);

}  // namespace outrigger::cli
