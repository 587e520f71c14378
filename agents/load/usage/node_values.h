#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "load/usage/batches.h"
#include "load/usage/prometheus_answer.h"
#include "load/usage/source.h"

// Values of nodes from the series of an answer.

namespace outrigger::usage {

/// Returns the node of a series, or kNoNode.
using NodeOf = absl::FunctionRef<size_t(const Labels&)>;

/// For each of `count` nodes its one series of the answer, or the gap.
struct NodeSeries {
  const Series* series = nullptr;
  Gap gap = Gap::kNoSeries;
  std::string detail;
};
std::vector<NodeSeries> SeriesOfNodes(const QueryAnswer& answer, size_t count, NodeOf node_of);

/// The last sample of the series. `signed_ok`: negative values are values, too (of further queries,
/// whose unit is not known here).
Value LastValue(const NodeSeries& node, bool signed_ok);

/// The forecast from a series of means that are `step` seconds apart, of which the last is at
/// `end`: a free amount is not negative, so neither is this. kTooYoung of a short series, kUnit
/// of one that is negative anywhere.
Value ForecastValue(const NodeSeries& node, double end, double step, size_t points);

/// `value`, or kNotFinite or kUnit.
Value Checked(double value, bool signed_ok);

/// True if no machine of that capacity has so much, free or used. Rates are a little wrong, so a
/// tenth more is not. False where the capacity is not known (0).
bool IsTooMuch(double value, double capacity);

}  // namespace outrigger::usage
