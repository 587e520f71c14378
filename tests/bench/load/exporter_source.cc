#include "exporter_source.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "load/usage/forecast.h"
#include "load/usage/moments.h"
#include "load/usage/queries.h"

namespace outrigger::load_bench {
namespace {

using usage::Gap;
using usage::Value;

constexpr double kCongestionWindow = 300;
// Prometheus shows no sample that is older.
constexpr double kLookback = 300;

double Seconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

Value Missing() {
  return Value::Missing(Gap::kNoSeries, "no samples");
}

/// The times of a subquery's points in (end - window, end]: multiples of the step.
template <typename Visit>
void ForEachPoint(double end, double window, double step, const Visit& visit) {
  const double first = std::floor((end - window) / step) * step + step;
  for (double time = first; time <= end; time += step) visit(time);
}

}  // namespace

ExporterSource::ExporterSource(const Trace* trace, const Exporter* exporter,
                               const usage::PrometheusOptions& options, double epoch, Clock clock)
    : trace_(*trace),
      exporter_(*exporter),
      options_(options),
      epoch_(epoch),
      clock_(std::move(clock)) {
  for (size_t i = 0; i < trace_.nodes.size(); ++i) places_[trace_.nodes[i].name] = i;
}

ExporterSource::Points ExporterSource::IdleOf(size_t node, double end, double window) const {
  const auto spacing = usage::SpacingOf(
      options_.window, options_.step, std::chrono::milliseconds(static_cast<int>(kScrape * 1000)));
  Points points;
  const auto samples = exporter_.idle(node);
  if (samples.empty()) return points;
  const double from = std::max(end - window, samples.front().time - Seconds(spacing.step));
  ForEachPoint(end, end - from, Seconds(spacing.step), [&](double time) {
    if (const auto rate = RateAt(samples, time, Seconds(spacing.range))) {
      points.push_back(*rate * 1000);
    }
  });
  return points;
}

ExporterSource::Points ExporterSource::AvailableOf(size_t node, double end, double window) const {
  const auto spacing = usage::SpacingOf(
      options_.window, options_.step, std::chrono::milliseconds(static_cast<int>(kScrape * 1000)));
  Points points;
  const auto samples = exporter_.available(node);
  if (samples.empty()) return points;
  const double from = std::max(end - window, samples.front().time - Seconds(spacing.step));
  ForEachPoint(end, end - from, Seconds(spacing.step), [&](double time) {
    const auto seen = Between(samples, time - kLookback, time);
    if (!seen.empty()) points.push_back(seen.back().value);
  });
  return points;
}

usage::Free ExporterSource::FreeOf(const Points& window, const Points& chunks) const {
  usage::Free free{.mean = Missing(), .deviation = Missing(), .forecast = {}};
  if (const auto moments = usage::MomentsOf(window)) {
    free.mean = Value::Of(moments->mean);
    free.deviation = Value::Of(moments->deviation);
  }
  if (!options_.forecast) return free;
  const auto next = usage::ForecastNext(usage::WithoutGaps(chunks));
  free.forecast = next ? Value::Of(std::max(*next, 0.0)) : Value::Missing(Gap::kTooYoung, "young");
  return free;
}

usage::NodeReading ExporterSource::ReadNode(size_t node, const usage::NodeQuestion& question,
                                            double end) const {
  const auto spacing = usage::SpacingOf(
      options_.window, options_.step, std::chrono::milliseconds(static_cast<int>(kScrape * 1000)));
  Points idle;
  Points available;
  const auto mean = [](const Points& points) {
    const auto moments = usage::MomentsOf(points);
    return moments ? moments->mean : std::numeric_limits<double>::quiet_NaN();
  };
  for (size_t i = 0; options_.forecast && i < spacing.chunks; ++i) {
    const double at = end - Seconds(spacing.chunk) * static_cast<double>(spacing.chunks - 1 - i);
    if (at <= 0) continue;
    idle.push_back(mean(IdleOf(node, at, Seconds(spacing.chunk))));
    available.push_back(mean(AvailableOf(node, at, Seconds(spacing.chunk))));
  }
  usage::NodeReading reading;
  reading.matched_by = "instance=" + question.name;
  reading.cpu = FreeOf(IdleOf(node, end, Seconds(spacing.window)), idle);
  reading.memory = FreeOf(AvailableOf(node, end, Seconds(spacing.window)), available);
  const double used = trace_.nodes[node].capacity.cpu - mean(IdleOf(node, end, kCongestionWindow));
  reading.further.push_back(
      std::isfinite(used) ? Value::Of(std::max(used, 0.0) / question.cpu * 100) : Missing());
  return reading;
}

absl::StatusOr<usage::Reading> ExporterSource::Read(std::span<const usage::NodeQuestion> nodes,
                                                    std::stop_token /*stop*/) {
  const double wall = std::chrono::duration<double>(clock_.wall().time_since_epoch()).count();
  usage::Reading reading;
  reading.end_ms = static_cast<int64_t>(wall * 1000);
  reading.window = options_.window;
  for (const usage::NodeQuestion& node : nodes) {
    reading.nodes.push_back(ReadNode(places_.at(node.name), node, wall - epoch_));
  }
  return reading;
}

}  // namespace outrigger::load_bench
