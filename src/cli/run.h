#pragma once

#include <string>
#include <vector>

#include "console/args/command.h"
#include "console/format/world.h"

namespace outrigger::cli {

/// All commands of the program, in the order of its help.
std::vector<Command> Commands(const std::vector<AgentInfo>& registry,
                              const std::string& program = "outrigger");

/// Runs one command line (without the program's name) and returns the exit code.
int Run(const std::vector<std::string>& arguments, const World& world);

}  // namespace outrigger::cli
