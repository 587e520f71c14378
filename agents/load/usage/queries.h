#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "load/usage/prometheus_answer.h"
#include "load/usage/source.h"

namespace outrigger::usage {

/// The interval at which these raw samples were scraped: the longest median of a series, so that
/// rates are there for all of them. Zero where no series has two samples.
std::chrono::milliseconds ScrapeInterval(std::span<const Series> series);

/// What stands for the placeholders of a query.
struct QueryTerms {
  std::string label;     // "instance"
  std::string nodes;     // a regular expression, escaped for a text in double quotes
  std::string matchers;  // `job="a",`, or empty
  std::chrono::milliseconds window{0};
  std::chrono::milliseconds history{0};
  std::chrono::milliseconds step{0};
  std::chrono::milliseconds range{0};
  std::chrono::milliseconds chunk{0};
};

/// `given` with the default in place of each text that is empty.
PrometheusQueries WithDefaults(PrometheusQueries given);
/// The same with the original program's queries as defaults. They are wrong (docs/annotators.md);
/// memory_series is the raw series.
PrometheusQueries WithOriginals(PrometheusQueries given);

/// What the machines are, by node_exporter; settings do not change these.
struct MachineQueries {
  std::string known;   // how many seconds ago the first sample of the window was taken
  std::string cpus;    // how many it has
  std::string memory;  // bytes in all
};
const MachineQueries& QueriesOfMachines();

/// True if the query is to be asked for each batch of nodes.
bool HasNodes(std::string_view query);

/// `query` with `terms` in place of $label, $nodes, $matchers, $window, $history, $step, $range and
/// $chunk. Any other "$" stays.
std::string Expand(std::string_view query, const QueryTerms& terms);

/// A text of which `$label=~"..."` accepts exactly `value`. The caller has seen to it by
/// IsQuotable() that it can be written in PromQL.
std::string Quoted(std::string_view value);
/// True for printable ASCII without quotes and backslashes, as names of nodes and addresses are.
bool IsQuotable(std::string_view value);

/// "60s", or "1500ms" where that is no whole number of seconds.
std::string DurationText(std::chrono::milliseconds time);

/// The steps of a window: how its samples, rates and chunks are spaced.
struct Spacing {
  std::chrono::milliseconds window{0};
  std::chrono::milliseconds history{0};
  std::chrono::milliseconds step{0};   // between samples of a subquery
  std::chrono::milliseconds range{0};  // of rates
  std::chrono::milliseconds chunk{0};  // of the forecast's series
  size_t chunks = 0;

  double SamplesOfASeries() const;
};

/// Spaces a window of whole seconds and a history that is no shorter. `step` is lowered until at
/// least ten samples are in the window (1 s at least); `scrape` is the interval of the series'
/// samples, 0: not known, taken as the longest that there is, 5 min. A rate is over four scrapes,
/// so that one missed scrape, or a counter reset, leaves a rate.
Spacing SpacingOf(std::chrono::seconds window, std::chrono::seconds history,
                  std::chrono::seconds step, std::chrono::milliseconds scrape);

}  // namespace outrigger::usage
