#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "outrigger/base/mutex.h"
#include "usage/prometheus_client.h"

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

  /// OK if a query was answered, or none asked; else why the first one failed.
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

}  // namespace outrigger::usage
