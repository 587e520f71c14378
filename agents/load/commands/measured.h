#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/format/world.h"
#include "load/annotate/node_values.h"

namespace outrigger::cli {

/// What was measured of a node, and what is allocatable of it.
struct MeasuredNode {
  annotate::NodeValues values;
  double cpu = 0;     // millicores
  double memory = 0;  // bytes
};

/// What each node uses of what is allocatable, since when that was measured, of which series, and
/// for each value that is missing the reason. `form`: "table", "json" or "yaml".
std::string MeasuredText(std::vector<MeasuredNode> nodes, std::string_view form,
                         const Terminal& terminal);

}  // namespace outrigger::cli
