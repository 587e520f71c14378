#pragma once

#include <string>

#include "fake_cluster.h"
#include "outrigger/agent/stages.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::contract {

/// What is wrong with how `agent` prepares `pod`, which asks for nothing of it, or nothing. Puts
/// the pod into `cluster`, and takes it away. A call that does not return stops the test.
std::string PreBindFaultOf(PreBinder& agent, const Pod& pod, testing::FakeCluster* cluster);

}  // namespace outrigger::contract
