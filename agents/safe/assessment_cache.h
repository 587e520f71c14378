#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "statistics.h"

namespace outrigger::safe {

/// What was worked out about one node: its statistics and, per resource, the risk with the demand
/// that was asked about last.
struct Assessment {
  uint64_t revision = 0;
  NodeStatistics statistics;
  Amounts demand = {kNone, kNone};
  Amounts risk = {0, 0};

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // equals nothing
};

/// Remembers assessments from call to call, by the revision of the node, since reading annotations
/// and integrating distributions is what a call costs. Never changes an answer.
///
/// One call at a time uses it; a call that finds it taken works without it instead of waiting.
class AssessmentCache {
 public:
  /// The use of the cache by one call.
  class Session {
   public:
    /// Takes `cache` if it is free, for `nodes` nodes.
    Session(AssessmentCache* cache, size_t nodes);

    /// Where the assessment of `node` is or belongs; the caller fills it if its revision is not
    /// that of the node or is 0. Valid until the next call of At().
    Assessment& At(const Node& node);

   private:
    std::unique_lock<std::mutex> lock_;
    std::vector<Assessment>* slots_ = nullptr;  // null: taken by another call
    Assessment scratch_;
  };

 private:
  std::mutex mutex_;
  std::vector<Assessment> slots_;  // by revision modulo the size, a power of two
};

}  // namespace outrigger::safe
