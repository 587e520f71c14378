#pragma once

#include <string>
#include <vector>

#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// The whole program. Exit codes: 0 success, 1 failure, 2 the command line or settings are wrong.
///
/// `left_out` names the agents of the tree that were not compiled in, for error messages alone.
/// Nothing is thrown. Call it once, from main.
int Main(int argc, char** argv, const std::vector<AgentInfo>& registry,
         const std::vector<std::string>& left_out = {});

}  // namespace outrigger::cli
