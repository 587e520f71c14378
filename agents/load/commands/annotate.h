#pragma once

#include <vector>

#include "console/args/command.h"

namespace outrigger::cli {

/// `outrigger annotate usage` and `annotate allocation`: until SIGTERM or SIGINT, or once.
std::vector<Command> AnnotateCommands();

}  // namespace outrigger::cli
