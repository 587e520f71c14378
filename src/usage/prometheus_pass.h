#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "outrigger/base/mutex.h"
#include "usage/batches.h"
#include "usage/node_index.h"
#include "usage/node_values.h"
#include "usage/prometheus_client.h"
#include "usage/queries.h"
#include "usage/query_fates.h"
#include "usage/source.h"

namespace outrigger::usage {

/// One measurement of all nodes by Prometheus: finds the series of each node, then asks in batches,
/// some at a time. A batch that fails is a gap of its nodes and stops no other, unless QueryFates
/// sees that the others would fail as well.
class PrometheusPass {
 public:
  /// All but `stop` must outlive this. `most_samples`: bound of a batch, as estimated.
  PrometheusPass(const PrometheusOptions& options, const PrometheusClient& client,
                 std::span<const NodeQuestion> nodes, double most_samples, std::stop_token stop);

  /// A Status if no query of values was answered.
  absl::StatusOr<Reading> Run();
  /// True if a query was too much for the server, or took too long, so that smaller ones may do.
  bool was_refused() const { return fates_.are_smaller_better(); }

 private:
  enum class Kind : uint8_t { kInstant, kForecast, kOriginalMemory };

  /// Where the values of a query go.
  struct Target {
    Kind kind = Kind::kInstant;
    Resource resource = Resource::kCpu;
    Value Free::*part = nullptr;  // none: a further query
    size_t further = 0;
    size_t number = 0;      // among the targets
    std::string_view name;  // "cpu-mean", for notes
    const std::string* query = nullptr;
  };
  struct Job {
    Target target;
    Batch batch;  // without nodes: one query for all
  };

  absl::Status FindSeries();
  void LearnNames();
  void MeasureScrapes();
  void SetGaps();
  std::vector<Target> Targets() const;
  std::vector<Job> Jobs() const;

  void AskBatch(const Target& target, const Batch& batch);
  void Fail(const Target& target, const Batch& batch, const std::string& why);
  void Fill(const Target& target, const Batch& batch, const QueryAnswer& answer);
  void FillOriginal(size_t node, const NodeSeries& series);
  Value* SlotOf(const Target& target, size_t node);
  QueryTerms TermsOf(const Batch& batch) const;
  QueryTime TimeOf(Kind kind) const;
  void Note(std::string note);
  /// The notes, at most kMostNotes.
  std::vector<std::string> TakeNotes();

  const PrometheusOptions& options_;
  const PrometheusClient& client_;
  std::span<const NodeQuestion> nodes_;
  const double most_samples_;
  const std::stop_token stop_;
  NodeIndex index_;
  std::vector<NodeMatch> matches_;
  Spacing spacing_;
  QueryFates fates_;
  Reading reading_;
  Mutex mutex_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
  size_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;  // notes
};

}  // namespace outrigger::usage
