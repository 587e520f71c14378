#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "load/annotate/counters.h"
#include "load/annotate/differ.h"
#include "load/annotate/node_patcher.h"
#include "load/annotate/node_writer.h"
#include "load/annotate/value_source.h"
#include "load/annotate/written_values.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

namespace outrigger::annotate {

struct AnnotatorOptions {
  std::chrono::milliseconds interval{60'000};  // between two rounds about all nodes
  std::chrono::seconds forget{600};            // until a value is removed that the source lost
  DiffPolicy diff;
  PatcherOptions patcher;
  Clock clock = {};
  /// What an operator should know, in a line; may be empty.
  std::function<void(const std::string& line)> warn = {};
};

/// Keeps the annotations of all nodes as a source has them: computes them in rounds, compares them
/// with what the nodes show, and patches what differs while this process leads. A round is about
/// all nodes at each interval, and about changed ones in between where the source follows the
/// cluster. All state is in the nodes themselves, so a restart writes nothing that is right
/// already. Thread-safe.
class Annotator {
 public:
  /// All outlive this.
  Annotator(ClusterReader* cluster, ValueSource* source, NodeWriter* writer, Counters* counters,
            AnnotatorOptions options);

  /// Makes rounds until stop is requested.
  void Run(const std::stop_token& stop);
  /// Patches until `term` ends. Called for each term of leadership, by another thread than Run().
  void Lead(const std::stop_token& term);

  /// Makes one round and, while a term lasts, hands its changes to the patcher. The error is the
  /// cluster's or the source's.
  absl::Status Round(Scope scope, const std::stop_token& stop);

  /// A leader's round about all nodes, whose patches are written, each tried a few times. Returns
  /// the error of the round; the number of nodes that could not be patched as an error; or, soon,
  /// PermissionDenied or Unavailable if none can be.
  absl::Status Once(const std::stop_token& stop);

  /// Empty, or why values are not up to date: the last round failed, values failed in each of the
  /// last three rounds, or a right is missing.
  std::string Trouble() const;
  /// Nodes with a patch that is not written yet, and of the last round all.
  size_t Pending() const { return counters_.Read().pending; }

 private:
  /// What begins with leadership and ends with it.
  struct Term {
    Term(const ValueSource& source, NodeWriter* writer, Counters* counters,
         const AnnotatorOptions& options);
    WrittenValues written;
    Forgetting forgetting;
    NodePatcher patcher;
  };

  /// The cluster as the source was asked about it, and as it is after the answer.
  struct Snapshots {
    const ClusterSnapshot& asked;
    const ClusterSnapshot& now;
  };

  void Wake(bool all);
  /// Waits for the next round, at most until `next_all`. Nothing: stop is requested.
  std::optional<Scope> Await(Clock::TimePoint next_all, const std::stop_token& stop);
  std::shared_ptr<Term> CurrentTerm() const;
  void Apply(const Snapshots& snapshots, const std::vector<NodeValues>& values, Scope scope,
             Term* term);
  void Count(const std::vector<NodeValues>& values, Scope scope);
  void NoteTrouble(const absl::Status& status);
  /// What failed of a round that went well otherwise; empty: nothing.
  void NoteFailures(std::string failures);

  ClusterReader& cluster_;
  ValueSource& source_;
  NodeWriter& writer_;
  Counters& counters_;
  const AnnotatorOptions options_;

  mutable Mutex mutex_;
  std::condition_variable_any woken_;
  bool changed_ ABSL_GUARDED_BY(mutex_) = false;  // something in the cluster
  bool all_ ABSL_GUARDED_BY(mutex_) = false;      // a round about all nodes is due: a term began
  std::shared_ptr<Term> term_ ABSL_GUARDED_BY(mutex_);
  std::string trouble_ ABSL_GUARDED_BY(mutex_);
  std::string failures_ ABSL_GUARDED_BY(mutex_);    // of the last round about all nodes
  int failing_rounds_ ABSL_GUARDED_BY(mutex_) = 0;  // rounds in a row that had some
};

}  // namespace outrigger::annotate
