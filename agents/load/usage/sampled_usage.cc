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
#include "load/usage/node_values.h"
#include "outrigger/base/text.h"

namespace outrigger::usage {
namespace {

// Clocks that are closer than this are the same clock.
constexpr int64_t kSameClockMs = 30'000;
constexpr size_t kMaxName = 100;
// An older sample stands for nothing: as in Prometheus, or a quarter of a window of hours.
constexpr int64_t kOldestMs = 300'000;
constexpr int64_t kOldestOfWindow = 4;
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

/// Why the sample says nothing of now; empty: it does.
std::string Outdated(const UsedNow& sample, int64_t now_ms, std::chrono::milliseconds window) {
  const int64_t age_ms = now_ms - TimeOf(sample, now_ms);
  if (age_ms <= std::max(kOldestMs, window.count() / kOldestOfWindow)) return "";
  return fmt::format(
      "its sample is {} s old. Check that the source still measures it, and the clocks",
      age_ms / 1000);
}

std::optional<std::string_view> FaultOf(std::optional<double> used, double capacity) {
  if (!used) return "what is used is missing or no amount";
  if (IsTooMuch(*used, capacity)) return "what is used is more than the machine has";
  return std::nullopt;
}

/// Adds a note of the nodes, if there are any. It stays the same while they do.
void NoteNodes(std::string_view what, std::string_view source,
               const std::vector<std::string_view>& nodes, std::vector<std::string>* notes) {
  if (nodes.empty()) return;
  notes->push_back(fmt::format("{}: {} (of {} nodes, {} first)", source, what, nodes.size(),
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
                                        fmt::format("{} has several nodes of this name", source),
                                        forecast_));
    } else {
      const UsedNow& used = *sample->second;
      if (used.time_ms > now_ms + kSameClockMs) ahead.push_back(node.name);
      if (!Add(node, used, now_ms, &window.mapped())) back.push_back(node.name);
      const std::string outdated = Outdated(used, now_ms, window_);
      reading.nodes.push_back(outdated.empty()
                                  ? ReadNode(node, used, reading.end_ms, window.mapped())
                                  : NoReading(Gap::kNoSeries, outdated, forecast_));
    }
    kept.insert(std::move(window));
  }
  windows_ = std::move(kept);
  NoteNodes("its clock is ahead of that of this program; samples count as of now", source, ahead,
            &reading.notes);
  NoteNodes("its clock went back; its window begins again", source, back, &reading.notes);
  return reading;
}

bool SampledUsage::Add(const NodeQuestion& node, const UsedNow& sample, int64_t now_ms,
                       Window* window) const {
  // The same sample again, of a clock that is ahead: its time would count as a new one each time.
  if (sample.time_ms > 0 && sample.time_ms == window->given_ms) return true;
  const int64_t time = TimeOf(sample, now_ms);
  const bool went_back = time < window->last_ms - kSameClockMs;
  if (went_back) *window = Window(window_);
  window->given_ms = sample.time_ms;
  window->last_ms = std::max(window->last_ms, time);
  if (!FaultOf(sample.cpu, node.cpu_capacity)) window->cpu.Add(time, *sample.cpu, sample.covers);
  if (!FaultOf(sample.memory, node.memory_capacity)) {
    window->memory.Add(time, *sample.memory, sample.covers);
  }
  return !went_back;
}

NodeReading SampledUsage::ReadNode(const NodeQuestion& node, const UsedNow& sample, int64_t end_ms,
                                   const Window& window) const {
  return {.matched_by = fmt::format("name={} (node name)", node.name),
          .cpu = FreeOf(window.cpu, node.cpu, FaultOf(sample.cpu, node.cpu_capacity), end_ms),
          .memory = FreeOf(window.memory, node.memory, FaultOf(sample.memory, node.memory_capacity),
                           end_ms),
          .known = std::max(window.cpu.Age(end_ms), window.memory.Age(end_ms)),
          .further = {},
          .original = {}};
}

Free SampledUsage::FreeOf(const WindowedMoments& used, double allocatable,
                          std::optional<std::string_view> fault, int64_t end_ms) const {
  if (fault) return Missing(Gap::kUnit, std::string(*fault), forecast_);
  if (!(allocatable > 0)) return Missing(Gap::kUnit, "the node has no allocatable", forecast_);
  const std::optional<Moments> moments = used.Of(end_ms);
  const std::chrono::milliseconds known = used.Known(end_ms);
  if (const auto needed = std::min(kLeastKnown, window_ / 2); !moments || known < needed) {
    return Missing(
        Gap::kTooYoung,
        fmt::format("{} s of a window of {} s are known, {} s are needed. The next passes "
                    "add samples, if the source has new ones",
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
