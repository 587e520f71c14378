#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "annotate/node_values.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "usage/source.h"

namespace outrigger::annotate {

// What the original program ("usage annotator") wrote, with its units: memory without a forecast of
// cpu, and four annotations for people.

/// The memory of a node as the original program counted it, in bytes.
struct OriginalMemoryTexts {
  int64_t allocatable = 0;  // digits of the text, times 1000
  int64_t requested = 0;    // of Running pods: digits of each request, times 10^6
};

/// The digits of the quantity times `unit`: "1985744Ki" is 1985744 units; so is "1985744Mi". At
/// most the largest int64_t.
int64_t OriginalAmount(std::string_view quantity, int64_t unit);

OriginalMemoryTexts OriginalMemoryOf(const NodeView& node);

std::vector<std::string> OriginalUsageKeys();

/// A forecast that is not asked for is "N/A", one that failed "None". The UsageKeys() that are not
/// among OriginalUsageKeys() are missing, and off; `further` as in UsageValues().
NodeValues OriginalUsageValues(const usage::NodeReading& node, const OriginalMemoryTexts& memory,
                               const std::vector<std::string>& further);

}  // namespace outrigger::annotate
