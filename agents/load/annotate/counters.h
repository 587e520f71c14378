#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "outrigger/base/mutex.h"

namespace outrigger::annotate {

/// What an annotator has done since its start; figures for metrics. A plain value.
struct Figures {
  /// Patches by their outcome: "patched", "gone", "conflict", "throttled", "forbidden", "refused",
  /// "failed".
  std::map<std::string, uint64_t> patches;
  /// Values missing in the source, by node and cause.
  std::map<std::pair<std::string, std::string>, uint64_t> missing;
  uint64_t removed = 0;  // annotations
  uint64_t rounds = 0;
  uint64_t failed_rounds = 0;
  double round_seconds = 0;    // the source's time and ours, of all rounds
  double compute_seconds = 0;  // ours alone
  size_t pending = 0;          // nodes with a patch that is not written yet
  size_t nodes = 0;            // of the last round
  size_t nodes_without = 0;    // of these, nodes with at least one missing value
  bool is_leader = false;
};

/// Counts. Thread-safe. Values by node are bounded: above kMostSeries pairs of node and cause, a
/// further node counts as "other".
class Counters {
 public:
  static constexpr size_t kMostSeries = 1000;

  void Patch(std::string_view outcome);
  void Missing(std::string_view node, std::string_view cause);
  void Removed(size_t annotations);
  void Round(double seconds, double compute_seconds);
  void FailedRound();
  void Nodes(size_t nodes, size_t without);
  void Pending(size_t nodes);
  void Leads(bool is_leader);

  Figures Read() const;

 private:
  mutable Mutex mutex_;
  Figures figures_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace outrigger::annotate
