#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/serve_options.h"

namespace outrigger::cli {

/// Standard output, if it is a terminal.
struct Terminal {
  bool is_one = false;
  size_t columns = 0;  // 0: not known
};

/// What a run of the program sees of the world, so that tests can own it.
struct World {
  const std::vector<AgentInfo>& registry;
  LeftOutAgents left_out;
  Environment environment;
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Terminal terminal = {};
  /// What texts call the program: "outrigger", or "kubectl outrigger" as a plugin of kubectl.
  std::string program = "outrigger";
};

/// Everything of `serve` before it starts: the settings from all sources, checked. Warnings are
/// for the log, which `log` says how to open.
struct PreparedServe {
  ServeOptions options;
  LogOptions log;
  std::vector<std::string> warnings;
};
absl::StatusOr<PreparedServe> PrepareServe(const Command& command, const World& world);

/// Runs one command line (without the program's name) and returns the exit code.
int Run(const std::vector<std::string>& arguments, const World& world);

}  // namespace outrigger::cli
