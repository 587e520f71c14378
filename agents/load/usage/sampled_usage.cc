#include "load/usage/sampled_usage.h"

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
#include "load/usage/forecast.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

// Clocks that are closer than this are the same clock.
constexpr int64_t kSameClockMs = 30'000;
constexpr size_t kMaxName = 100;
// Of less, a moment would be taken for the load.
constexpr std::chrono::milliseconds kLeastKnown{60'000};

Free Missing(Gap gap, const std::string& detail, bool forecast) {
  const Value value = Value::Missing(gap, detail);
  return {.mean = value, .deviation = value, .forecast = forecast ? value : Value()};
}

NodeReading NoReading(Gap gap, const std::string& detail, bool forecast) {
  return {.matched_by = {},
          .cpu = Missing(gap, detail, forecast),
          .memory = Missing(gap, detail, forecast),
          .known = {},
          .further = {},
          .original = {}};
}

// Never in the future: pods would seem to be in a measurement that they are not in, and a node
// whose clock is ahead would end the window of all others.
int64_t TimeOf(const UsedNow& sample, int64_t now_ms) {
  return sample.time_ms > 0 ? std::min(sample.time_ms, now_ms) : now_ms;
}

int64_t EndOf(std::span<const UsedNow> samples, int64_t now_ms) {
  int64_t newest = 0;
  for (const UsedNow& sample : samples) newest = std::max(newest, TimeOf(sample, now_ms));
  return newest > 0 ? newest : now_ms;
}

/// Adds a note of the nodes, if there are any. It stays the same while they do.
void NoteNodes(std::string_view what, std::string_view source,
               const std::vector<std::string_view>& nodes, std::vector<std::string>* notes) {
  if (nodes.empty()) return;
  notes->push_back(fmt::format("{}: {} ({} nodes, the first is {})", source, what, nodes.size(),
                               Shortened(Printable(nodes.front()), kMaxName)));
}

}  // namespace

Reading SampledUsage::Take(std::span<const NodeQuestion> nodes, std::span<const UsedNow> samples,
                           int64_t now_ms, std::string_view source) {
  Reading reading;
  reading.window = window_;
  reading.end_ms = EndOf(samples, now_ms);
  std::vector<std::string_view> ahead;
  std::vector<std::string_view> back;
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
      windows_.emplace(node.name, Window(window_));
      window = windows_.extract(node.name);
    }
    const auto sample = by_name.find(node.name);
    if (sample == by_name.end()) {
      reading.nodes.push_back(
          NoReading(Gap::kNoSeries, fmt::format("{} has no such node", source), forecast_));
    } else if (sample->second == nullptr) {
      reading.nodes.push_back(NoReading(Gap::kSeveralSeries,
                                        fmt::format("{} has several nodes with this name", source),
                                        forecast_));
    } else {
      const UsedNow& used = *sample->second;
      if (used.time_ms > now_ms + kSameClockMs) ahead.push_back(node.name);
      if (!Add(used, now_ms, &window.mapped())) back.push_back(node.name);
      reading.nodes.push_back(ReadNode(node, used, reading.end_ms, window.mapped()));
    }
    kept.insert(std::move(window));
  }
  windows_ = std::move(kept);
  NoteNodes("its clock is ahead of this program's; samples count as current", source, ahead,
            &reading.notes);
  NoteNodes("its clock went backwards; its window restarts", source, back, &reading.notes);
  return reading;
}

bool SampledUsage::Add(const UsedNow& sample, int64_t now_ms, Window* window) const {
  // The same sample again, of a clock that is ahead: its time would count as a new one each time.
  if (sample.time_ms > 0 && sample.time_ms == window->given_ms) return true;
  const int64_t time = TimeOf(sample, now_ms);
  const bool went_back = time < window->last_ms - kSameClockMs;
  if (went_back) *window = Window(window_);
  window->given_ms = sample.time_ms;
  window->last_ms = std::max(window->last_ms, time);
  if (sample.cpu) window->cpu.Add(time, *sample.cpu, sample.covers);
  if (sample.memory) window->memory.Add(time, *sample.memory, sample.covers);
  return !went_back;
}

NodeReading SampledUsage::ReadNode(const NodeQuestion& node, const UsedNow& sample, int64_t end_ms,
                                   const Window& window) const {
  return {.matched_by = "name=" + node.name,
          .cpu = FreeOf(window.cpu, node.cpu, sample.cpu.has_value(), end_ms),
          .memory = FreeOf(window.memory, node.memory, sample.memory.has_value(), end_ms),
          .known = std::max(window.cpu.Age(end_ms), window.memory.Age(end_ms)),
          .further = {},
          .original = {}};
}

Free SampledUsage::FreeOf(const WindowedMoments& used, double allocatable, bool is_amount,
                          int64_t end_ms) const {
  if (!is_amount) return Missing(Gap::kUnit, "the usage is missing or not an amount", forecast_);
  if (!(allocatable > 0)) return Missing(Gap::kUnit, "the node has no allocatable", forecast_);
  const std::optional<Moments> moments = used.Of(end_ms);
  const std::chrono::milliseconds known = used.Known(end_ms);
  if (const auto needed = std::min(kLeastKnown, window_ / 2); !moments || known < needed) {
    return Missing(Gap::kTooYoung,
                   fmt::format("{} s of a window of {} s have data, {} s are needed",
                               known.count() / 1000, window_.count() / 1000, needed.count() / 1000),
                   forecast_);
  }
  Free free;
  free.mean = Value::Of(std::max(allocatable - moments->mean, 0.0));
  free.deviation = Value::Of(moments->deviation);
  if (!forecast_) return free;
  // Hundredths without a sample are left out: samples may be further apart than those.
  std::vector<double> means = used.ChunkMeans(end_ms);
  std::erase_if(means, [](double mean) { return std::isnan(mean); });
  const std::optional<double> next = ForecastWithin(means);
  free.forecast = next ? Value::Of(std::clamp(allocatable - *next, 0.0, allocatable))
                       : Value::Missing(Gap::kTooYoung, "too few samples for a forecast");
  return free;
}

}  // namespace outrigger::usage
