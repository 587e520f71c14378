#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "console/format/environment.h"
#include "outrigger/agent/registry.h"

namespace outrigger::cli {

/// What a command of `outrigger explain`, and those like it, prints.
struct ExplainText {
  std::string text;
  std::vector<std::string> notes;  // for standard error
};

/// The agents of the tree that this program was built without, by name.
using LeftOutAgents = std::vector<std::string>;

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
  bool err_is_terminal = false;
};

}  // namespace outrigger::cli
