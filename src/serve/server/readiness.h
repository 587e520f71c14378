#pragma once

#include <functional>
#include <string>
#include <vector>

namespace outrigger::server {

/// Whether calls should be sent here, as far as the process itself goes.
enum class Readiness { kStarting, kReady, kDraining };

/// A line of /readyz?verbose: something that has to be well before calls make sense.
struct Check {
  std::string name;     // "cluster"
  std::string why_not;  // empty: passed; else what is behind, and why
};

/// What is checked besides the process itself; called with every probe, from several threads, so it
/// must be quick.
using Checks = std::function<std::vector<Check>()>;

}  // namespace outrigger::server
