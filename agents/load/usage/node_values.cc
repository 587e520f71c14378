#include "load/usage/node_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "load/usage/forecast.h"

namespace outrigger::usage {
namespace {

/// Returns the values of the series on a grid of `points` that ends at `end`; NaN where there is no
/// sample.
std::vector<double> OnGrid(const Series& series, double end, double step, size_t points) {
  std::vector<double> values(points, std::numeric_limits<double>::quiet_NaN());
  for (const Point& point : series.points) {
    const double back = std::round((end - point.time) / step);
    if (!(back >= 0 && back < static_cast<double>(points))) continue;
    values[points - 1 - static_cast<size_t>(back)] = point.value;
  }
  return values;
}

}  // namespace

std::vector<NodeSeries> SeriesOfNodes(const QueryAnswer& answer, size_t count, NodeOf node_of) {
  std::vector<NodeSeries> nodes(count);
  for (const Series& series : answer.series) {
    const size_t node = node_of(series.labels);
    if (node >= count || series.points.empty()) continue;
    NodeSeries& found = nodes[node];
    if (found.series != nullptr && found.gap == Gap::kNone) {
      found.detail = "several series in the response, with " +
                     DifferencesOf({&found.series->labels, &series.labels});
      found.gap = Gap::kSeveralSeries;
    } else if (found.series == nullptr) {
      found = {.series = &series, .gap = Gap::kNone, .detail = {}};
    }
  }
  const auto is_found = [](const NodeSeries& node) { return node.series != nullptr; };
  const bool is_foreign =
      !answer.series.empty() && std::none_of(nodes.begin(), nodes.end(), is_found);
  for (NodeSeries& node : nodes) {
    if (node.gap != Gap::kNoSeries) continue;
    node.detail = is_foreign ? fmt::format(
                                   "the response has {} series, but none names the node in its "
                                   "label node or instance",
                                   answer.series.size())
                             : "the response has no value for it";
  }
  return nodes;
}

Value Checked(double value, bool signed_ok) {
  if (!std::isfinite(value)) {
    return Value::Missing(Gap::kNotFinite, fmt::format("the value is {}", value));
  }
  if (value < 0 && !signed_ok) {
    return Value::Missing(Gap::kUnit, fmt::format("the value is {}: negative", value));
  }
  return Value::Of(value);
}

Value LastValue(const NodeSeries& node, bool signed_ok) {
  if (node.gap != Gap::kNone) return Value::Missing(node.gap, node.detail);
  return Checked(node.series->points.back().value, signed_ok);
}

Value ForecastValue(const NodeSeries& node, double end, double step, size_t points) {
  if (node.gap != Gap::kNone) return Value::Missing(node.gap, node.detail);
  const std::vector<double> grid = OnGrid(*node.series, end, step, points);
  const auto known = std::count_if(grid.begin(), grid.end(), [](double v) { return v == v; });
  const auto negative =
      std::find_if(grid.begin(), grid.end(), [](double v) { return std::isfinite(v) && v < 0; });
  if (negative != grid.end()) return Checked(*negative, /*signed_ok=*/false);
  const std::optional<double> next = ForecastWithin(WithoutGaps(grid));
  if (!next || static_cast<size_t>(known) < kFewestForForecast) {
    return Value::Missing(
        Gap::kTooYoung, fmt::format("{} parts of the window have data, a forecast needs {}", known,
                                    kFewestForForecast));
  }
  return Checked(std::max(*next, 0.0), /*signed_ok=*/false);
}

}  // namespace outrigger::usage
