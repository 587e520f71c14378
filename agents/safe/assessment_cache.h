#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "outrigger/agent/request.h"
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
    /// Begins to bring what At() gives into the processor's cache.
    void Prefetch(const Node& node) const {
      if (slots_ == nullptr) return;
      const char* const slot = reinterpret_cast<const char*>(&SlotOf(node));
      __builtin_prefetch(slot, /*rw=*/1);
      __builtin_prefetch(slot + sizeof(Assessment) - 1, /*rw=*/1);
    }

   private:
    Assessment& SlotOf(const Node& node) const {
      return (*slots_)[node.revision & (slots_->size() - 1)];
    }

    std::unique_lock<std::mutex> lock_;
    std::vector<Assessment>* slots_ = nullptr;  // null: taken by another call
    Assessment scratch_;
  };

 private:
  std::mutex mutex_;
  std::vector<Assessment> slots_;  // by revision modulo the size, a power of two
};

/// For the loop over the nodes of `request`, at `i`: the slots of thousands of nodes are more than
/// the processor's nearer caches hold, and are better waited for several at once.
inline void PrefetchAhead(const Request& request, size_t i, const AssessmentCache::Session& cache) {
  constexpr size_t kAhead = 12;
  if (i + kAhead < request.nodes.size()) cache.Prefetch(request.nodes[i + kAhead]);
}

}  // namespace outrigger::safe
