#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gang/commands/gangs.h"

// Gangs in the forms of `outrigger explain gang -o`.

namespace outrigger::cli {

/// What is to be printed.
struct ExplainedGangs {
  /// Length of the queue: what wants a place and can be planned. Single pods and gangs that fit are
  /// in it; gangs that wait for members or for their PodGroup are not.
  size_t waiting = 0;
  std::vector<ExplainedGang> gangs;
};

/// A few lines about each gang, and a row per member. `columns` is where rows are cut (0: nowhere).
std::string GangTable(const ExplainedGangs& explained, bool color, size_t columns);
/// A row per gang.
std::string GangList(const ExplainedGangs& explained, bool color, size_t columns);

/// Everything, for programs; keys are stable. YAML says the same.
std::string GangJson(const ExplainedGangs& explained);
std::string GangYaml(const ExplainedGangs& explained);

}  // namespace outrigger::cli
