#pragma once

#include "outrigger/agent/cluster.h"
#include "outrigger/agent/stages.h"
#include "serve/engine/call.h"
#include "serve/engine/instance.h"

namespace outrigger::engine {

/// Whether no agent binds at `pipeline`, though one prepares: the engine does it.
bool BindsPlainly(const Pipeline& pipeline);

/// What is said where the engine would have to bind and there is no cluster.
inline constexpr const char* kNothingToBindAt =
    "needs the API server to bind pods: set --kubeconfig FILE, or run in a pod";

/// Runs a bind call of `pipeline`: what prepares the pod, what binds it, and what comes after
/// (PreBinder says in which order). `cluster` is where the engine binds; null is an error there,
/// and nothing is prepared. What an agent throws ends here. Blocks as long as the agents do.
CallError RunBind(const Pipeline& pipeline, ClusterWriter* cluster, const BindRequest& request);

}  // namespace outrigger::engine
