#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../rates.h"
#include "absl/status/statusor.h"
#include "expression.h"

namespace outrigger::load_bench {

/// "__name__" is the metric.
using LabelSet = std::map<std::string, std::string>;

/// The series that a Prometheus has. Samples are appended in the order of time.
class SeriesStore {
 public:
  struct Series {
    LabelSet labels;
    std::vector<Sample> samples;
  };

  /// Returns the place of the series, which is new.
  size_t Add(LabelSet labels) {
    all_.push_back({std::move(labels), {}});
    return all_.size() - 1;
  }
  void Append(size_t series, Sample sample) { all_[series].samples.push_back(sample); }
  const std::vector<Series>& all() const { return all_; }

 private:
  std::vector<Series> all_;
};

/// Evaluates PromQL on a SeriesStore. What an expression inside a subquery had as its value at a
/// time is kept: it stays the same, since samples come in the order of time. Not thread-safe.
class Engine {
 public:
  /// By number of a label set, see LabelsOf().
  struct Point {
    size_t labels;
    double value;
  };
  struct Vector {
    bool is_scalar = false;
    std::vector<Point> points;
  };
  struct RangeOf {
    size_t labels;
    std::vector<Sample> samples;
  };

  /// `store` outlives this.
  explicit Engine(const SeriesStore* store) : store_(*store) {}

  /// The value at `time`; an error names what is not supported.
  absl::StatusOr<Vector> At(const Expression& expression, double time);
  /// The samples of a range or a subquery that ends at `time`.
  absl::StatusOr<std::vector<RangeOf>> RangeAt(const Expression& expression, double time);

  const LabelSet& LabelsOf(size_t number) const { return *label_sets_[number]; }

 private:
  using Result = absl::StatusOr<Vector>;

  Result Select(const Expression& selector, double time, bool wants_times = false);
  Result Call(const Expression& call, double time);
  Result Aggregate(const Expression& aggregate, double time);
  Result Binary(const Expression& binary, double time);
  Result SetOperation(const Expression& binary, const Vector& left, const Vector& right);
  Result Matched(const Expression& binary, const Vector& left, const Vector& right);
  absl::StatusOr<std::vector<RangeOf>> Subquery(const Expression& subquery, double end);
  absl::StatusOr<const Vector*> Remembered(const Expression& expression, double time);
  /// The series that a selector means, found once.
  const std::vector<size_t>& Places(const Expression& selector);
  size_t NumberOf(const LabelSet& labels);
  /// Of the labels by which two sides match.
  size_t KeyOf(const Expression& binary, size_t labels);
  size_t WithoutName(size_t labels);

  const SeriesStore& store_;
  std::map<LabelSet, size_t> numbers_;
  std::vector<const LabelSet*> label_sets_;
  std::vector<size_t> without_name_;  // by number; kUnknown
  struct Found {
    size_t among = 0;  // as many series were looked at
    std::vector<size_t> places;
  };
  std::unordered_map<std::string, Found> places_;
  std::unordered_map<std::string, std::unordered_map<int64_t, Vector>> remembered_;
};

}  // namespace outrigger::load_bench
