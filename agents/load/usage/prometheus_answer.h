#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace outrigger::usage {

/// Labels of a series, as its source names them.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// The value of label `name`; empty where there is none, as in PromQL.
std::string_view LabelOf(const Labels& labels, std::string_view name);

/// How these series differ, for people: "job=a, job=b". At most four series are listed.
std::string DifferencesOf(const std::vector<const Labels*>& series);

/// A sample of a series.
struct Point {
  double time = 0;   // Unix time, seconds: below 1e11
  double value = 0;  // may be NaN or infinite, which Prometheus writes as text
};

struct Series {
  Labels labels;
  std::vector<Point> points;  // one in answers to instant queries; none of native histograms
};

/// An answer of Prometheus' /api/v1/query and query_range.
struct QueryAnswer {
  // Where the query failed.
  std::string error_type;  // "execution"
  std::string error;       // empty: it did not fail
  /// What Prometheus, or Thanos, warns of: parts of the answer may be missing.
  std::vector<std::string> warnings;
  std::vector<Series> series;  // of a scalar: one without labels
};

/// 5000 nodes with 100 points each take 10 MB. Each of the answers that are read at a time may take
/// this and its text: deploy/controller.annotate-usage.yaml has the sum.
inline constexpr size_t kMostAnswerMemory = size_t{96} << 20U;

/// Reads the JSON `body`, to which bytes are appended meanwhile. Result types vector, matrix and
/// scalar are accepted. InvalidArgument says what is wrong and where; ResourceExhausted: what is
/// read, with an index of the text, takes more than `most_memory` bytes. Linear in the body.
absl::StatusOr<QueryAnswer> ReadQueryAnswer(std::string* body,
                                            size_t most_memory = kMostAnswerMemory);

}  // namespace outrigger::usage
