#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "load/usage/batches.h"
#include "load/usage/node_index.h"
#include "load/usage/node_values.h"
#include "load/usage/prometheus_client.h"
#include "load/usage/queries.h"
#include "load/usage/source.h"
#include "outrigger/base/mutex.h"

namespace outrigger::usage {

/// What became of the queries of one pass, and whether further ones are worth asking. Targets are
/// the kinds of queries, by number. Thread-safe.
class QueryFates {
 public:
  /// So many calls without an answer, one after the other, are given up at.
  explicit QueryFates(size_t most_silent) : most_silent_(most_silent) {}

  /// A query about `nodes` nodes (0: all) had this outcome; `status` says why it failed.
  void Note(size_t target, size_t nodes, Outcome outcome, const absl::Status& status);

  /// Why a further query of the target would fail as well, for people; nothing: it may do. Either
  /// the server has left the last calls of all targets unanswered, or it has refused queries about
  /// two single nodes and answered none of this target: its limit is not about nodes.
  std::optional<std::string> WhyNotAsk(size_t target) const;

  /// True if a query was too slow, or too much while another of its target was answered.
  bool are_smaller_better() const;

  /// Targets from this number on ask for no values.
  static constexpr size_t kAside = 1'000'000;
  /// OK if a query of values was answered, or none asked; else why the first one failed.
  absl::Status NothingAnswered() const;

 private:
  struct Target {
    bool answered = false;
    bool refused = false;
    int refused_alone = 0;  // queries about one node
    std::string why;        // the last refusal
  };

  const size_t most_silent_;
  mutable Mutex mutex_;
  std::map<size_t, Target> targets_ ABSL_GUARDED_BY(mutex_);
  bool was_slow_ ABSL_GUARDED_BY(mutex_) = false;
  size_t silent_ ABSL_GUARDED_BY(mutex_) = 0;       // calls without an answer since the last one
  std::string why_silent_ ABSL_GUARDED_BY(mutex_);  // the last of them
  absl::Status first_failure_ ABSL_GUARDED_BY(mutex_);
};

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

  /// What is asked of the machines besides what is free.
  enum class Machine : uint8_t { kKnown, kCpus, kMemory };
  static constexpr size_t kMachineParts = 3;

  /// Where the values of a query go.
  struct Target {
    Kind kind = Kind::kInstant;
    Resource resource = Resource::kCpu;
    Value Free::*part = nullptr;  // none: of the machine, or a further query
    std::optional<Machine> machine = std::nullopt;
    size_t further = 0;
    size_t number = 0;      // among the targets
    std::string_view name;  // "cpu-mean", for notes
    const std::string* query = nullptr;
    bool is_given = false;  // by the user: of an amount, its unit is checked
  };
  struct Job {
    Target target;
    Batch batch;  // without nodes: one query for all
  };

  absl::Status FindSeries();
  void LearnNames();
  void MeasureScrapes();
  void SetGaps();
  void AddMachineTargets(std::vector<Target>* targets) const;
  /// Whether the query is the user's own.
  bool IsGiven(std::string PrometheusQueries::*query) const {
    return options_.queries.*query != defaults_.*query;
  }
  std::vector<Target> Targets() const;
  std::vector<Job> Jobs() const;

  void AskBatch(const Target& target, const Batch& batch);
  void Fail(const Target& target, const Batch& batch, const std::string& why);
  void Lose(const Target& target, size_t node, const Value& gap);
  void CheckUnit(const Target& target);
  /// Loses values that are more than the machine has.
  void LoseTooMuch(size_t node);
  /// Free amounts of the machine become those of what is allocatable.
  void TakeReserved(size_t node);
  void SetKnown(size_t node);
  /// What an answer without a node's series may lack, for people.
  std::string CauseOf(const Target& target) const;
  void Fill(const Target& target, const Batch& batch, const QueryAnswer& answer);
  void FillOriginal(const Target& target, size_t node, const NodeSeries& series);
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
  const PrometheusQueries defaults_;
  Spacing spacing_;
  QueryFates fates_;
  Reading reading_;
  int64_t asked_ms_ = 0;  // end of the window by the clock of Prometheus
  std::array<std::vector<Value>, kMachineParts> machines_;  // by Machine, then by node
  Mutex mutex_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
  size_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;  // notes
};

}  // namespace outrigger::usage
