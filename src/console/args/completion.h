#pragma once

#include <string>
#include <vector>

#include "console/args/command_line.h"

namespace outrigger::cli {

/// A completion script for `shell` ("bash" or "zsh"): commands, flags, and those values that are
/// few words (agents, choices) or paths. It holds what this program has compiled in and calls
/// nothing.
std::string CompletionScript(const std::string& shell, const std::vector<CommandShape>& shapes);

}  // namespace outrigger::cli
