#include "answer_memo.h"

#include <algorithm>
#include <bit>

namespace outrigger::safe {
namespace {

constexpr size_t kMaxNodes = size_t{1} << 17;  // 6 MB, more nodes than a cluster has

}  // namespace

void AnswerMemo::Reserve(size_t nodes) {
  // Revisions of one table of nodes follow one another, so they seldom share a slot.
  const size_t wanted = 2 * std::min(std::bit_ceil(2 * nodes + 1), kMaxNodes);
  if (slots_.size() >= wanted) return;
  slots_.assign(wanted, {});
  half_ = wanted / 2;
}

void AnswerMemo::Forget(uint64_t revision) {
  if (slots_.empty()) return;
  for (const uint64_t kind : {0U, 1U}) {
    Slot& slot = slots_[IndexOf(revision, kind)];
    if (slot.revision == revision) slot = {};
  }
}

void AnswerMemo::Clear() {
  std::fill(slots_.begin(), slots_.end(), Slot());
}

uint64_t AnswerMemo::NumberOf(const Question& question) {
  const auto kind = static_cast<uint64_t>(question.kind);
  Numbered* const first = numbered_.data() + kind * kRemembered;
  Numbered* const end = first + kRemembered;
  Numbered* at = std::find_if(
      first, end, [&](const Numbered& n) { return n.number != 0 && n.question == question; });
  if (at != end) return at->number;
  // In place of the one that has been known longest.
  at = std::min_element(first, end,
                        [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  last_ += 2;
  *at = {question, (last_ & ~uint64_t{1}) | kind};
  return at->number;
}

}  // namespace outrigger::safe
