#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine.h"
#include "expression.h"
#include "load/usage/scripted_prometheus_testing.h"

namespace outrigger::load_bench {

/// Answers queries about the series of a store as Prometheus does at /api/v1/query and
/// /api/v1/query_range. Not thread-safe.
class StoreAnswers {
 public:
  /// `store` outlives this.
  explicit StoreAnswers(const SeriesStore* store) : engine_(store) {}

  /// `now`: the time of a query that names none, in seconds since 1970.
  usage::Answered Answer(const usage::Asked& asked, double now);

 private:
  absl::StatusOr<const Expression*> Parsed(const std::string& query);
  absl::StatusOr<std::string> Instant(const Expression& expression, double time);
  absl::StatusOr<std::string> Range(const Expression& expression, const usage::Asked& asked);
  std::string LabelsText(size_t labels) const;

  Engine engine_;
  std::map<std::string, std::unique_ptr<Expression>> parsed_;
};

}  // namespace outrigger::load_bench
