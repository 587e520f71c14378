#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "answer_memo.h"
#include "burst.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "pod_ledger.h"
#include "rejections.h"
#include "statistics.h"

namespace outrigger::safe {

/// What was worked out about one node: its statistics and, per resource, the risk with the demand
/// that was asked about last.
struct Assessment {
  uint64_t revision = 0;
  NodeStatistics statistics;
  std::optional<Window> measured = {};  ///< of what time the statistics are, if that is known
  bool is_stale = false;                ///< they are too old to be used
  Amounts demand = {kNone, kNone};
  Amounts risk = {0, 0};

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // equals nothing
};

/// Remembers assessments, and the answers drawn from them, from call to call, by the revision of
/// the node: reading annotations and integrating distributions is what a call costs. Never changes
/// an answer.
///
/// One call at a time uses it; a call that finds it taken works without it instead of waiting.
class AssessmentCache {
 public:
  /// The use of the cache by one call.
  class Session {
   public:
    /// Takes `cache` if it is free, to answer `question` about each of `nodes`.
    Session(AssessmentCache* cache, const NodeList& nodes, const Question& question);

    /// What was remembered as the answer about the node at `i`, or null. To be asked in order; it
    /// is valid until the next call of Remember().
    const double* Answer(size_t i) {
      if (memo_ == nullptr) return nullptr;
      PrefetchAhead(i);
      const double* const answer = memo_->Find(nodes_.Revision(i), number_);
      missing_ = answer == nullptr;
      return answer;
    }
    void Remember(size_t i, double answer) {
      if (memo_ != nullptr) memo_->Put(nodes_.Revision(i), number_, answer);
    }
    /// Forgets what is known of nodes of which something else is right now.
    void Forget(const ChangedNodes& changed);
    /// Forgets what is known of nodes whose statistics have grown too old by `now`.
    void ForgetStale(double now);
    /// From `time` on something else is right for the node at `i`.
    void ForgetAt(size_t i, double time);

    /// The rejection that Remember() was given as an answer, which is below 0.
    const Verdict& RejectionOf(double answer) const {
      return rejections_->At(static_cast<size_t>(-1 - answer));
    }
    /// The rejection of the node at `i` as its answer.
    void Remember(size_t i, const Verdict& rejection);

    /// Where the assessment of the node at `i` is or belongs; the caller fills it if its revision
    /// is not that of the node or is 0. Valid until the next call of At().
    Assessment& At(size_t i);
    /// False: another call has the cache, and nothing is remembered.
    bool remembers() const { return memo_ != nullptr; }

   private:
    void ForgetAll();
    void Forget(uint64_t revision);
    // What is remembered of thousands of nodes is more than the processor's nearer caches hold, and
    // is better waited for several at once.
    void PrefetchAhead(size_t i) const {
      constexpr size_t kAhead = 12;
      if (i + kAhead >= nodes_.size()) return;
      const uint64_t revision = nodes_.Revision(i + kAhead);
      memo_->Prefetch(revision, number_);
      if (!missing_) return;
      const char* const slot = reinterpret_cast<const char*>(&SlotOf(revision));
      __builtin_prefetch(slot, /*rw=*/1);
      __builtin_prefetch(slot + sizeof(Assessment) - 1, /*rw=*/1);
    }
    Assessment& SlotOf(uint64_t revision) const {
      return (*slots_)[revision & (slots_->size() - 1)];
    }

    const NodeList nodes_;
    std::unique_lock<std::mutex> lock_;
    AnswerMemo* memo_ = nullptr;  // null, as the next two: taken by another call
    Rejections* rejections_ = nullptr;
    std::vector<Assessment>* slots_ = nullptr;
    AssessmentCache* cache_ = nullptr;
    uint64_t number_ = 0;   // of the question
    bool missing_ = false;  // no answer was remembered for the node before
    Assessment scratch_;
  };

 private:
  std::mutex mutex_;
  AnswerMemo memo_;
  Rejections rejections_;          // those of memo_
  std::vector<Assessment> slots_;  // by revision modulo the size, a power of two
  // Revisions by the time at which they are to be forgotten; the earliest first.
  using Expiry = std::pair<double, uint64_t>;
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiries_;
  double last_now_ = 0;
};

}  // namespace outrigger::safe
