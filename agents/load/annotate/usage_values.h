#pragma once

#include <span>
#include <string>
#include <vector>

#include "load/annotate/node_values.h"
#include "load/usage/source.h"

namespace outrigger::annotate {

/// The annotations of `annotate usage`: those of cpu and memory, `further`, and kMeasured. The
/// forecast has two spellings, of which the wrong one is that of the original program.
std::vector<std::string> UsageKeys(const std::vector<std::string>& further);

/// The annotations of one node. Amounts are rounded to integers, but what is there at all
/// not to 0; a negative one is missing. Further values that
/// are no integers keep their decimals, but for congestion-factor, of which agents read integers.
/// What is too young is Lack::kNotYet only on nodes without any value.
NodeValues UsageValues(const usage::NodeReading& node, const std::vector<std::string>& further,
                       const Measurement& measured);

/// What is odd about values of congestion-factor, if that is among `further`: all are fractions.
std::string OddFactors(std::span<const usage::NodeReading> nodes,
                       const std::vector<std::string>& further);

/// Adds the values of further queries, as UsageValues().
void AddFurther(const usage::NodeReading& node, const std::vector<std::string>& further,
                NodeValues* values);

/// Why there is no value, as an annotation that is missing.
MissingValue MissingOf(std::string annotation, const usage::Value& value);

}  // namespace outrigger::annotate
