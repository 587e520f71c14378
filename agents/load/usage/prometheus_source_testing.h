#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "load/usage/source.h"
#include "scripted_prometheus_testing.h"

// A Prometheus of a few nodes, and how the tests of its source ask it.

namespace outrigger::usage {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr int64_t kEndMs = 1'795'658'038'500;

inline bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline NodeQuestion AskedNode(const std::string& name, const std::string& address,
                              double cpu = 4000) {
  return {.name = name, .addresses = {address}, .cpu = cpu, .memory = 8e9, .requested_memory = 0};
}

/// The labels of node number `i`: by instance.
inline std::string LabelsOf(int i) {
  return fmt::format(R"("instance":"10.0.0.{}:9100","job":"a")", i);
}

inline PrometheusOptions To(const std::string& url) {
  PrometheusOptions options;
  options.url = url;
  options.window = seconds(86'400);
  options.clock.wall = [] {
    return std::chrono::system_clock::time_point(milliseconds(kEndMs + 1000));
  };
  return options;
}

/// Tells the queries of a pass apart.
inline std::string KindOf(const Asked& asked) {
  if (asked.path == "/api/v1/query_range")
    return Holds(asked.query, "cpu") ? "cpu-series" : "memory-series";
  if (Holds(asked.query, "uname")) return "names";
  if (Holds(asked.query, "[30m]")) return "scrapes";
  if (Holds(asked.query, "timestamp(")) return "known";
  if (Holds(asked.query, "mode!=")) return "cpu-mean";
  if (Holds(asked.query, "count without")) return "cpus";
  if (Holds(asked.query, "MemTotal")) return "total";
  if (Holds(asked.query, "over_time")) {
    return fmt::format("{}-{}", Holds(asked.query, "cpu") ? "cpu" : "memory",
                       Holds(asked.query, "stddev") ? "deviation" : "mean");
  }
  return "nodes";
}

/// Of the machines, and no value of them.
inline bool IsOfMachines(const std::string& kind) {
  return kind == "known" || kind == "cpus" || kind == "total";
}

/// An answer to the query of scrapes: samples 15 s apart.
inline Answered Scrapes(const std::string& samples = R"([10,"1"],[25,"1"],[40,"1"])") {
  return {200, R"({"status":"success","data":{"resultType":"matrix","result":[)"
               R"({"metric":{},"values":[)" +
                   samples + "]}]}}"};
}

/// Nodes 1 to `count` by instance; each value is 1000 times the node's number, plus one for
/// deviations. What the machines are is not known. `change` may answer in place of that.
inline ScriptedPrometheus::Script Cluster(
    int count, std::function<std::optional<Answered>(const std::string&, const Asked&)> change =
                   [](const std::string&, const Asked&) { return std::nullopt; }) {
  return [count, change = std::move(change)](const Asked& asked) -> Answered {
    const std::string kind = KindOf(asked);
    if (auto changed = change(kind, asked)) return *changed;
    if (kind == "scrapes") return Scrapes();
    if (IsOfMachines(kind)) return {200, VectorOf({})};
    std::vector<std::string> series;
    for (int i = 1; i <= count; ++i) {
      const std::string mine = fmt::format("10\\\\.0\\\\.0\\\\.{}:9100", i);
      const bool is_mine =
          kind == "nodes" || Holds(asked.query, mine + "|") || Holds(asked.query, mine + "\"");
      if (is_mine && kind != "names") {
        series.push_back(InstantSeries(
            LabelsOf(i), std::to_string(1000 * i + (Holds(kind, "deviation") ? 1 : 0))));
      }
    }
    return {200, VectorOf(series)};
  };
}

inline absl::StatusOr<Reading> Read(const PrometheusOptions& options,
                                    const std::vector<NodeQuestion>& nodes) {
  auto source = MakePrometheusSource(options);
  return source.ok() ? (*source)->Read(nodes, {}) : absl::StatusOr<Reading>(source.status());
}

}  // namespace outrigger::usage
