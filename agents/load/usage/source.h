#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "outrigger/base/clock.h"

// How much of each node is free, measured over a window: what `outrigger annotate usage` writes.
// A value that cannot be had is absent with its cause, and never zero.

namespace outrigger::usage {

/// The mean is of a window, which is short, so that it follows the load. Deviation and forecast are
/// of a history of so many windows: what swings within minutes shows in no shorter time.
inline constexpr int kWindowsOfHistory = 3;

enum class Resource : uint8_t { kCpu, kMemory };  // in millicores, bytes

/// A node whose usage is asked for.
struct NodeQuestion {
  std::string name;
  std::vector<std::string> addresses;  // its InternalIPs
  double cpu = 0;                      // allocatable, millicores
  double memory = 0;                   // allocatable, bytes
  double cpu_capacity = 0;             // of the machine, in the same units; 0: not known
  double memory_capacity = 0;
  /// Sum of the memory that its pods request, in bytes. Used with original arithmetic only.
  double requested_memory = 0;
};

/// Why a value is absent.
enum class Gap : uint8_t {
  kNone,
  kNoSeries,       // the source knows no such node, or has no such value of it
  kSeveralSeries,  // several series could be meant
  kNotFinite,      // NaN or infinite
  kFailed,         // the source did not answer, or answered something else
  kTooYoung,       // less than a minute is known, or half of a shorter window
  kUnit,           // the value is no amount of its resource: negative, text, a ratio, too much
};

/// Stable words for metrics and tables: "none", "no-series", "several-series", "not-finite",
/// "failed", "too-young", "unit".
std::string_view ToString(Gap gap);
/// Every Gap but kNone, in their order.
std::span<const Gap> AllGaps();

/// A value, or why there is none.
struct Value {
  std::optional<double> value;
  Gap gap = Gap::kNone;
  std::string
      detail;  // of a gap, for people: "instance=10.0.0.1:9100: 2 series, with job=a, job=b"

  static Value Of(double value) { return {.value = value, .gap = Gap::kNone, .detail = {}}; }
  static Value Missing(Gap gap, std::string detail) {
    return {.value = {}, .gap = gap, .detail = std::move(detail)};
  }
};

/// Of the free amounts of one resource, in the unit of the Resource: allocatable less what the
/// machine uses, its pods and its system, and never below 0. The mean is of the window, the
/// deviation of the history. The forecast is of the mean over the next hundredth of the history,
/// and within what was seen in it; it has no value and no gap where it is not asked for.
struct Free {
  Value mean, deviation, forecast;
};

/// What the original program wrote in addition, by its own arithmetic.
struct OriginalMemory {
  Value now, least;  // bytes
};

struct NodeReading {
  /// The source's series, and what names the node in it: "instance=10.0.0.1:9100 (address)";
  /// empty: none.
  std::string matched_by;
  Free cpu, memory;
  /// How long ago the first sample of the window was taken: less than the window on a node that is
  /// new. Gaps after that do not count.
  std::chrono::milliseconds known{0};
  std::vector<Value> further;              // as the further queries
  std::optional<OriginalMemory> original;  // with original arithmetic only
};

struct Reading {
  std::vector<NodeReading> nodes;  // as the questions
  /// End of the window, Unix time in ms: by the source's clock, or, where that is far off, by the
  /// clock here.
  int64_t end_ms = 0;
  std::chrono::milliseconds window{0};
  /// What an administrator should know, a sentence each: "the clock of Prometheus is 95 s ahead".
  std::vector<std::string> notes;
};

/// An annotation whose value is the answer to a query of the user's.
struct FurtherQuery {
  std::string annotation;
  std::string query;
};

/// Something that measures nodes. One Read() at a time.
class Source {
 public:
  virtual ~Source() = default;

  /// Measures these nodes. A Status where nothing at all could be had, with what to check; what is
  /// missing of single nodes is in their Values. Blocks for as long as the source's limits of time
  /// allow; Cancelled soon after a stop is requested.
  virtual absl::StatusOr<Reading> Read(std::span<const NodeQuestion> nodes,
                                       std::stop_token stop) = 0;
  /// For people: "Prometheus at http://127.0.0.1:9090".
  virtual std::string Name() const = 0;
};

/// Queries of Prometheus (PromQL). An empty text stands for the default. Placeholders: $label and
/// $nodes (`$label=~"$nodes"` selects the nodes of a batch), $matchers (further label matchers,
/// each with a comma after it), $window, $history, $step, $range (of rates) and $chunk (a hundredth
/// of the history), the last five as durations ("60s"). A query without $nodes is asked once for
/// all nodes.
struct PrometheusQueries {
  std::string nodes;    // a series for each node: which nodes there are, and by which labels
  std::string names;    // series with both labels nodename and instance
  std::string scrapes;  // raw samples of a few nodes, of which the interval of scrapes is seen
  std::string cpu_mean, cpu_deviation, cpu_series;           // millicores that are free
  std::string memory_mean, memory_deviation, memory_series;  // bytes that are free
};

/// Reports how many of the source's calls have been answered.
using Progress = std::function<void(size_t done, size_t total)>;

struct PrometheusOptions {
  std::string url = "http://127.0.0.1:9090";  // with the path prefix, if there is one
  std::string url_by = "URL";                 // what names it, for errors
  // Files as http_client::Options has them. Read for each call, so they may change.
  std::string ca_file, cert_file, key_file, token_file, header_file;
  int exporter_port = 9100;  // of node_exporter, preferred among the instances of one address
  std::string matchers;      // further label matchers: `job="node-exporter",cluster="a"`
  std::chrono::seconds window{300};
  std::chrono::seconds step{15};
  bool forecast = false;
  bool original_arithmetic = false;
  bool use_requests = false;  // original arithmetic: free memory is at least what is not requested
  PrometheusQueries queries;
  std::vector<FurtherQuery> further;

  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds total{60'000};  // of one call, by the wall clock
  size_t most_bytes = size_t{32} << 20U;    // of one answer
  double most_samples = 50e6;               // of one query; Prometheus' own default
  size_t most_calls = 4;                    // at a time
  Clock clock;
  Progress progress;
};

/// InvalidArgument names the option that is wrong.
absl::StatusOr<std::unique_ptr<Source>> MakePrometheusSource(PrometheusOptions options);

struct MetricsOptions {
  std::chrono::seconds window{300};
  bool forecast = false;
  Clock clock;
};

/// Returns the body of what is at `path` on the API server ("/apis/metrics.k8s.io/v1beta1/nodes").
using Fetch = std::function<absl::StatusOr<std::string>(const std::string& path,
                                                        const std::stop_token& stop)>;

/// Usage as metrics.k8s.io (metrics-server) reports it. Mean and deviation are of what was read
/// here: each Read() is a sample. Values are there once a minute is known, or half of a shorter
/// window.
absl::StatusOr<std::unique_ptr<Source>> MakeMetricsApiSource(Fetch fetch, MetricsOptions options);

struct FileOptions {
  std::string path;
  std::chrono::seconds window{300};
  bool forecast = false;
  Clock clock;
};

/// Usage from a file of the form {"time": "2026-11-26T02:00:00Z", "nodes": {"a": {"cpu": "1500m",
/// "memory": "3Gi"}}}: amounts that are used, at a time that may be left out: then it is the one at
/// which the file was written last. Read again with each Read(); a sample as those of
/// metrics.k8s.io, so a file that is not written any more gives no new ones.
absl::StatusOr<std::unique_ptr<Source>> MakeFileSource(FileOptions options);

}  // namespace outrigger::usage
