#include "load/usage/queries.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace outrigger::usage {

std::chrono::milliseconds ScrapeInterval(std::span<const Series> series) {
  double longest = 0;
  for (const Series& one : series) {
    std::vector<double> intervals;
    for (size_t i = 1; i < one.points.size(); ++i) {
      intervals.push_back(one.points[i].time - one.points[i - 1].time);
    }
    if (intervals.empty()) continue;
    const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
    std::nth_element(intervals.begin(), middle, intervals.end());
    longest = std::max(longest, *middle);
  }
  return std::chrono::milliseconds(static_cast<int64_t>(std::llround(longest * 1000)));
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int64_t kSamplesOfAWindow = 10;
constexpr int64_t kChunks = 100;
constexpr int64_t kScrapesOfARate = 4;
// Prometheus shows no series whose last sample is older.
constexpr milliseconds kRarestScrapes{300'000};

// Idle cpus of a node at one instant. The sum is of the series of one exporter; an average over
// exporters, so that one that was started again in the window is not counted twice.
constexpr std::string_view kIdle =
    R"(avg by ($label) (sum without (cpu, mode) (rate(node_cpu_seconds_total{$matchers )"
    R"(mode="idle",$label=~"$nodes"}[$range]))))";
// Of two exporters two series, which is seen.
constexpr std::string_view kCpus =
    R"(count without (cpu, mode) (node_cpu_seconds_total{$matchers mode="idle",$label=~"$nodes"}))";
// What idle and all other modes have had of the window. Both rates miss the same where scrapes are
// missing, a counter was reset, or the node is new. Where modes are left out, user is as a rule.
constexpr std::string_view kIdleOfWindow =
    R"(sum without (cpu, mode) (rate(node_cpu_seconds_total{$matchers )"
    R"(mode="idle",$label=~"$nodes"}[$window])))";
constexpr std::string_view kBusyOfWindow =
    R"((sum without (cpu, mode) (rate(node_cpu_seconds_total{$matchers )"
    R"(mode!="idle",$label=~"$nodes"}[$window])) + )"
    R"(0 * sum without (cpu, mode) (rate(node_cpu_seconds_total{$matchers )"
    R"(mode="user",$label=~"$nodes"}[$window]))))";
constexpr std::string_view kAvailable =
    R"(avg by ($label) (node_memory_MemAvailable_bytes{$matchers $label=~"$nodes"}))";

// The original's, with $nodes in place of one instance and of one call for each.
constexpr std::string_view kOriginalMean =
    R"(sum by ($label) (irate(node_cpu_seconds_total{$matchers mode="idle",$label=~"$nodes"}[5m]))*1000)";
constexpr std::string_view kOriginalDeviation =
    R"(sum by ($label) (stddev_over_time(node_cpu_seconds_total{$matchers mode="idle",$label=~"$nodes"}[5m])/(5*60))*1000)";

void Default(std::string* text, std::string value) {
  if (text->empty()) *text = std::move(value);
}

}  // namespace

PrometheusQueries WithDefaults(PrometheusQueries given) {
  Default(&given.nodes, "node_memory_MemAvailable_bytes{$matchers}");
  Default(&given.names, "node_uname_info{$matchers}");
  Default(&given.scrapes, R"(node_memory_MemAvailable_bytes{$matchers $label=~"$nodes"}[30m])");
  const auto over = [](std::string_view function, std::string_view inner, std::string_view window) {
    return fmt::format("{}(({})[{}:$step])", function, inner, window);
  };
  // Counters that count faster than time goes by are wrong; a fifth is for scrapes that are late.
  Default(&given.cpu_mean, fmt::format("1000 * avg by ($label) ({} * {} / (({} + {}) <= 1.2 * {}))",
                                       kCpus, kIdleOfWindow, kIdleOfWindow, kBusyOfWindow, kCpus));
  Default(&given.cpu_deviation, "1000 * " + over("stddev_over_time", kIdle, "$history"));
  Default(&given.cpu_series, "1000 * " + over("avg_over_time", kIdle, "$chunk"));
  Default(&given.memory_mean, over("avg_over_time", kAvailable, "$window"));
  Default(&given.memory_deviation, over("stddev_over_time", kAvailable, "$history"));
  Default(&given.memory_series, over("avg_over_time", kAvailable, "$chunk"));
  return given;
}

PrometheusQueries WithOriginals(PrometheusQueries given) {
  Default(&given.cpu_mean, std::string(kOriginalMean));
  Default(&given.cpu_deviation, std::string(kOriginalDeviation));
  Default(&given.memory_series, std::string(kAvailable));
  return WithDefaults(std::move(given));
}

const MachineQueries& QueriesOfMachines() {
  static const MachineQueries queries{
      .known = R"(time() - min by ($label) (min_over_time(timestamp()"
               R"(node_memory_MemAvailable_bytes{$matchers $label=~"$nodes"})[$window:$step])))",
      .cpus = std::string(kCpus),
      .memory = R"(avg by ($label) (node_memory_MemTotal_bytes{$matchers $label=~"$nodes"}))"};
  return queries;
}

bool HasNodes(std::string_view query) {
  return query.find("$nodes") != std::string_view::npos;
}

std::string Expand(std::string_view query, const QueryTerms& terms) {
  const std::array<std::pair<std::string_view, std::string>, 8> words = {{
      {"$label", terms.label},
      {"$nodes", terms.nodes},
      {"$matchers", terms.matchers},
      {"$window", DurationText(terms.window)},
      {"$history", DurationText(terms.history)},
      {"$step", DurationText(terms.step)},
      {"$range", DurationText(terms.range)},
      {"$chunk", DurationText(terms.chunk)},
  }};
  std::string text;
  while (!query.empty()) {
    const size_t dollar = query.find('$');
    text += query.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    query.remove_prefix(dollar);
    const auto word = std::find_if(words.begin(), words.end(), [query](const auto& candidate) {
      return query.starts_with(candidate.first);
    });
    text += word == words.end() ? "$" : word->second;
    query.remove_prefix(word == words.end() ? 1 : word->first.size());
  }
  return text;
}

std::string Quoted(std::string_view value) {
  std::string text;
  for (const char c : value) {
    // Prometheus looks up escaped literals by their index. Twice: the text is in double quotes.
    if (std::string_view(".+*?()|[]{}^$").find(c) != std::string_view::npos) text += R"(\\)";
    text += c;
  }
  return text;
}

bool IsQuotable(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '\'' && c != '`';
  });
}

std::string DurationText(milliseconds time) {
  if (time.count() % 1000 == 0) return fmt::format("{}s", time.count() / 1000);
  return fmt::format("{}ms", time.count());
}

double Spacing::SamplesOfASeries() const {
  return static_cast<double>((history + range) / step + 1);
}

Spacing SpacingOf(seconds window, seconds history, seconds step, milliseconds scrape) {
  Spacing spacing;
  spacing.window = window;
  spacing.history = history;
  const seconds finest = std::max(seconds(1), window / kSamplesOfAWindow);
  spacing.step = std::clamp(step, seconds(1), finest);
  if (scrape.count() <= 0) scrape = kRarestScrapes;
  spacing.range = std::max(milliseconds(spacing.step), kScrapesOfARate * scrape);
  spacing.chunk = std::max(milliseconds(history) / kChunks, milliseconds(spacing.step));
  spacing.chunks = static_cast<size_t>(spacing.history / spacing.chunk);
  return spacing;
}

}  // namespace outrigger::usage
