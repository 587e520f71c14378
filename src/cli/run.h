#pragma once

#include <string>
#include <vector>

#include "console/format/world.h"

namespace outrigger::cli {

/// Runs one command line (without the program's name) and returns the exit code.
int Run(const std::vector<std::string>& arguments, const World& world);

}  // namespace outrigger::cli
