#pragma once

#include <array>
#include <cstdint>
#include <vector>

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

}  // namespace outrigger::safe
