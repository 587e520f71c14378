#pragma once

#include "fake_cluster.h"
#include "outrigger/agent/agent.h"

// Agents that act run before they answer.

namespace outrigger::contract {

/// Makes `cluster` one whose scheduler runs on this machine: what is beside it is in charge.
void PutInCharge(testing::FakeCluster* cluster);

/// Starts the agent's controller, if it has one, and waits until it answers. Stop() it when done.
void StartAndAwait(Agent* agent);
void Stop(Agent* agent);

}  // namespace outrigger::contract
