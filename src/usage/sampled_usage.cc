#include "usage/sampled_usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "usage/forecast.h"

namespace outrigger::usage {
namespace {

// Clocks that are closer than this are the same clock.
constexpr int64_t kSameClockMs = 30'000;

Free Missing(Gap gap, const std::string& detail, bool forecast) {
  const Value value = Value::Missing(gap, detail);
  return {.mean = value, .deviation = value, .forecast = forecast ? value : Value()};
}

NodeReading NoReading(Gap gap, const std::string& detail, bool forecast) {
  return {.matched_by = {},
          .cpu = Missing(gap, detail, forecast),
          .memory = Missing(gap, detail, forecast),
          .further = {},
          .original = {}};
}

int64_t TimeOf(const UsedNow& sample, int64_t now_ms) {
  return sample.time_ms > 0 ? sample.time_ms : now_ms;
}

}  // namespace

int64_t SampledUsage::NewestOf(std::span<const UsedNow> samples, int64_t now_ms) const {
  int64_t newest = 0;
  for (const UsedNow& sample : samples) newest = std::max(newest, TimeOf(sample, now_ms));
  return newest > 0 ? newest : std::max(end_ms_, int64_t{0});
}

Reading SampledUsage::Take(std::span<const NodeQuestion> nodes, std::span<const UsedNow> samples,
                           int64_t now_ms, std::string_view source) {
  Reading reading;
  reading.window = window_;
  const int64_t newest = NewestOf(samples, now_ms);
  if (newest < end_ms_ - kSameClockMs) {
    windows_.clear();
    reading.notes.push_back(
        fmt::format("the clock of {} went back: its window begins again", source));
  }
  end_ms_ = newest;
  if (newest > now_ms + kSameClockMs) {
    reading.notes.push_back(fmt::format("the clock of {} is {} s ahead of that of this program",
                                        source, (newest - now_ms) / 1000));
  }
  // Never in the future: pods would seem to be in a measurement that they are not in.
  reading.end_ms = newest > 0 ? std::min(newest, now_ms) : now_ms;
  std::map<std::string_view, const UsedNow*> by_name;
  for (const UsedNow& sample : samples) {
    // Named twice: which is meant is not known.
    if (const auto [entry, is_new] = by_name.emplace(sample.name, &sample); !is_new) {
      entry->second = nullptr;
    }
  }
  std::map<std::string, Window, std::less<>> kept;
  for (const NodeQuestion& node : nodes) {
    auto window = windows_.extract(node.name);
    if (window.empty()) {
      windows_.emplace(node.name,
                       Window{.cpu = WindowedMoments(window_), .memory = WindowedMoments(window_)});
      window = windows_.extract(node.name);
    }
    const auto sample = by_name.find(node.name);
    if (sample == by_name.end()) {
      reading.nodes.push_back(
          NoReading(Gap::kNoSeries, fmt::format("{} has no such node", source), forecast_));
    } else if (sample->second == nullptr) {
      reading.nodes.push_back(NoReading(Gap::kSeveralSeries,
                                        fmt::format("{} has several nodes of this name", source),
                                        forecast_));
    } else {
      reading.nodes.push_back(ReadNode(node, *sample->second, now_ms, &window.mapped()));
    }
    kept.insert(std::move(window));
  }
  windows_ = std::move(kept);
  return reading;
}

NodeReading SampledUsage::ReadNode(const NodeQuestion& node, const UsedNow& sample, int64_t now_ms,
                                   Window* window) const {
  const int64_t time = TimeOf(sample, now_ms);
  if (sample.cpu) window->cpu.Add(time, *sample.cpu, sample.covers);
  if (sample.memory) window->memory.Add(time, *sample.memory, sample.covers);
  return {.matched_by = "name=" + node.name,
          .cpu = FreeOf(window->cpu, node.cpu, sample.cpu.has_value()),
          .memory = FreeOf(window->memory, node.memory, sample.memory.has_value()),
          .further = {},
          .original = {}};
}

Free SampledUsage::FreeOf(const WindowedMoments& used, double allocatable, bool is_amount) const {
  if (!is_amount) return Missing(Gap::kUnit, "what is used is missing or no amount", forecast_);
  if (!(allocatable > 0)) return Missing(Gap::kUnit, "the node has no allocatable", forecast_);
  const std::optional<Moments> moments = used.Of(end_ms_);
  const std::chrono::milliseconds known = used.Known(end_ms_);
  if (!moments || 2 * known < window_) {
    return Missing(Gap::kTooYoung,
                   fmt::format("{} s of a window of {} s are known, half of it is needed",
                               known.count() / 1000, window_.count() / 1000),
                   forecast_);
  }
  Free free;
  free.mean = Value::Of(std::max(allocatable - moments->mean, 0.0));
  free.deviation = Value::Of(moments->deviation);
  if (!forecast_) return free;
  // Hundredths without a sample are left out: samples may be further apart than those.
  std::vector<double> means = used.ChunkMeans(end_ms_);
  std::erase_if(means, [](double mean) { return std::isnan(mean); });
  const std::optional<double> next = ForecastNext(means);
  free.forecast = next ? Value::Of(std::clamp(allocatable - *next, 0.0, allocatable))
                       : Value::Missing(Gap::kTooYoung, "too few samples for a forecast");
  return free;
}

}  // namespace outrigger::usage
