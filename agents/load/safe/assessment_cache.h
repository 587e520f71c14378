#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "burst.h"
#include "outrigger/agent/request.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/base/mutex.h"
#include "pod_ledger.h"
#include "statistics.h"

namespace outrigger::safe {

/// What is asked about each node of a call.
struct Question {
  enum class Kind : uint8_t { kFits, kScore };
  Kind kind = Kind::kFits;
  Amounts demand = {};
  double overload_share = 0;  ///< of a score

  friend bool operator==(const Question&, const Question&) = default;
};

/// Answers by question and by the revision of the node. Pods of one workload ask the same of
/// thousands of nodes: an answer is found in 24 bytes for each, while what it is made from takes
/// several lines of the processor's cache. Not thread-safe.
class AnswerMemo {
 public:
  AnswerMemo() = default;

  /// Makes room for the answers of `nodes` nodes.
  void Reserve(size_t nodes);
  /// A number that no other question has had. Asked again among the last kRemembered of its kind, a
  /// question has the same.
  uint64_t NumberOf(const Question& question);

  /// The answer to question `number` about the node of `revision`, or null if it is not remembered.
  /// Valid until the next call of Put(), Reserve() or Clear().
  const double* Find(uint64_t revision, uint64_t number) const {
    const Slot& slot = slots_[IndexOf(revision, number)];
    if (revision == 0 || slot.revision != revision || slot.number != number) return nullptr;
    return &slot.answer;
  }
  void Put(uint64_t revision, uint64_t number, double answer) {
    if (revision == 0) return;  // nobody vouches for the node
    slots_[IndexOf(revision, number)] = {revision, number, answer};
  }
  /// Forgets the answers about the node of `revision`.
  void Forget(uint64_t revision);
  /// Forgets all answers; questions keep their numbers.
  void Clear();
  /// Begins to bring what Find() reads into the processor's cache.
  void Prefetch(uint64_t revision, uint64_t number) const {
    __builtin_prefetch(&slots_[IndexOf(revision, number)]);
  }

  static constexpr size_t kRemembered = 16;

 private:
  struct Slot {
    uint64_t revision = 0;
    uint64_t number = 0;
    double answer = 0;
  };
  struct Numbered {
    Question question;
    uint64_t number = 0;  // 0: none
  };

  // Each kind has half of the slots, since a pod is filtered and scored by turns. The lowest bit of
  // a number is its kind.
  size_t IndexOf(uint64_t revision, uint64_t number) const {
    return (number & 1U) * half_ + (revision & (half_ - 1));
  }

  std::vector<Slot> slots_;
  size_t half_ = 0;                                 // of the slots, a power of two
  std::array<Numbered, 2 * kRemembered> numbered_;  // the last ones of each kind
  uint64_t last_ = 1;
};

/// The rejections that were written out, by their text: a risk is shown with two decimals, so
/// thousands of nodes share a hundred texts, and one of those is found by a number. Not
/// thread-safe.
class Rejections {
 public:
  /// The number of `verdict`, which is a rejection; nothing where there is no more room.
  std::optional<size_t> NumberOf(const Verdict& verdict);
  /// The rejection of a number that NumberOf() has returned since the last Clear().
  const Verdict& At(size_t number) const { return verdicts_[number]; }
  /// No more numbers are given out until Clear().
  bool full() const { return verdicts_.size() >= kMost; }
  /// No number is good any more.
  void Clear();

  static constexpr size_t kMost = 4096;

 private:
  std::deque<Verdict> verdicts_;                          // none moves: their texts are the keys
  std::unordered_map<std::string_view, size_t> numbers_;  // by text, which tells the class
};

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
    std::unique_lock<Mutex> lock_;
    AnswerMemo* memo_ = nullptr;  // null, as the next two: taken by another call
    Rejections* rejections_ = nullptr;
    std::vector<Assessment>* slots_ = nullptr;
    AssessmentCache* cache_ = nullptr;
    uint64_t number_ = 0;   // of the question
    bool missing_ = false;  // no answer was remembered for the node before
    Assessment scratch_;
  };

 private:
  Mutex mutex_;
  AnswerMemo memo_ ABSL_GUARDED_BY(mutex_);
  Rejections rejections_ ABSL_GUARDED_BY(mutex_);  // those of memo_
  std::vector<Assessment> slots_
      ABSL_GUARDED_BY(mutex_);  // by revision modulo the size, a power of two
  // Revisions by the time at which they are to be forgotten; the earliest first.
  using Expiry = std::pair<double, uint64_t>;
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiries_
      ABSL_GUARDED_BY(mutex_);
  double last_now_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace outrigger::safe
