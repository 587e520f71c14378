#pragma once

#include <cstddef>
#include <string>

#include "lab/framework/trace.h"

// What `outrigger lab scheduler` says about a pod.

namespace outrigger::cli {

struct CycleBlockOptions {
  bool color = false;
  /// Of the terminal, by which long lines are cut; 0: not known, nothing is cut.
  size_t columns = 0;
  /// Of one stage and plugin so many nodes are listed; the others are counted.
  size_t most_nodes = 20;
};

/// One line: "default/pod1 -> node1", or "default/pod1: 0/9 nodes are available: ...".
std::string CycleLine(const lab::CycleTrace& trace);

/// All that the plugins said, stage by stage, and where it ended:
///
///     default/pod1, attempt 1
///       Filter  NodeUnschedulable  node0  node(s) were unschedulable
///                                  node1  ok
///       Score   NodeNumber         node1  10
///       Select                     node1  the best, 10 points
///       -> node1
///
/// Names longer than a line are shortened in the middle, so that columns stay columns and the last
/// characters can be seen. Ends with an empty line.
std::string CycleBlock(const lab::CycleTrace& trace, const CycleBlockOptions& options);

}  // namespace outrigger::cli
