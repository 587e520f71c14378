#pragma once

#include <vector>

#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// The whole program. Exit codes: 0 done, 1 it failed, 2 the command line or settings are wrong.
int Main(int argc, char** argv, const std::vector<AgentInfo>& registry);

}  // namespace outrigger::cli
