#pragma once

#include <string>
#include <vector>

#include "cli/look/readings.h"
#include "outrigger/agent/page.h"

// The pages of agents gang and qos, as far as `outrigger top` reads them.

namespace outrigger::cli::look {

/// A waiting unit: kind, name, state, lacks, why.
struct QueuedUnit {
  std::string kind;
  std::string name;
  std::string state = "waits";
  std::string lacks = "cpu";
  std::string why = "no node has room for it";
};

PageTable QueueTable(const std::vector<QueuedUnit>& units);
/// Gangs, each with a state and what it lacks.
PageTable GangsTable(const std::vector<QueuedUnit>& gangs);
/// Nodes "n0" and so on, of 8 cores, 32 Gi and 4 GPUs, in two zones in turn: the first has a
/// reservation, the last one is closed.
PageTable NodesTable(size_t count);

/// What an agent with these pages has answered at 12:00:00 UTC.
Readings ReadingsOf(PageTable queue, PageTable gangs, PageTable nodes);
/// Then.
WallTime Noon();

}  // namespace outrigger::cli::look
