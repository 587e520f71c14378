#pragma once

#include <string>

#include "console/args/command_line.h"

namespace outrigger::cli {

/// Returns the whole of docs/commands.md: a section for each command, so that a build with some of
/// the agents has some of the page's sections.
std::string CommandsPage(const CommandLine& line);

}  // namespace outrigger::cli
