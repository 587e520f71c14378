#include "assessment_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

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

std::optional<size_t> Rejections::NumberOf(const Verdict& verdict) {
  const auto known = numbers_.find(verdict.reason());
  if (known != numbers_.end()) return known->second;
  if (full()) return std::nullopt;
  verdicts_.push_back(verdict);
  numbers_.emplace(verdicts_.back().reason(), verdicts_.size() - 1);
  return verdicts_.size() - 1;
}

void Rejections::Clear() {
  numbers_.clear();
  verdicts_.clear();
}

namespace {

constexpr size_t kMaxSlots = size_t{1} << 17;  // 24 MB, more nodes than a cluster has

}  // namespace

AssessmentCache::Session::Session(AssessmentCache* cache, const NodeList& nodes,
                                  const Question& question)
    : nodes_(nodes), lock_(cache->mutex_, std::try_to_lock) {
  if (!lock_.owns_lock()) return;
  cache->mutex_.AssertHeld();
  slots_ = &cache->slots_;
  // Revisions of one table of nodes follow one another, so they seldom share a slot.
  const size_t wanted = std::min(std::bit_ceil(2 * nodes.size() + 1), kMaxSlots);
  if (slots_->size() < wanted) slots_->assign(wanted, {});
  cache_ = cache;
  memo_ = &cache->memo_;
  rejections_ = &cache->rejections_;
  if (rejections_->full()) {
    rejections_->Clear();
    memo_->Clear();
  }
  memo_->Reserve(nodes.size());
  number_ = memo_->NumberOf(question);
}

void AssessmentCache::Session::Remember(size_t i, const Verdict& rejection) {
  if (memo_ == nullptr || nodes_.Revision(i) == 0) return;
  const auto number = rejections_->NumberOf(rejection);
  if (number.has_value()) Remember(i, -1 - static_cast<double>(*number));
}

void AssessmentCache::Session::ForgetAll() {
  cache_->mutex_.AssertHeld();
  memo_->Clear();
  std::fill(slots_->begin(), slots_->end(), Assessment());
  cache_->expiries_ = {};
}

void AssessmentCache::Session::Forget(const ChangedNodes& changed) {
  if (memo_ == nullptr) return;
  if (changed.all) return ForgetAll();
  for (const uint64_t revision : changed.revisions) Forget(revision);
}

void AssessmentCache::Session::Forget(uint64_t revision) {
  memo_->Forget(revision);
  Assessment& assessment = SlotOf(revision);
  if (assessment.revision == revision) assessment = {};
}

void AssessmentCache::Session::ForgetStale(double now) {
  if (memo_ == nullptr) return;
  cache_->mutex_.AssertHeld();
  // What was too old may not be, once the clock was put back.
  const bool was_put_back = now < std::exchange(cache_->last_now_, now);
  auto& expiries = cache_->expiries_;
  // One for each assessment: those of nodes that have changed since are of no use.
  if (was_put_back || expiries.size() > 4 * slots_->size()) return ForgetAll();
  while (!expiries.empty() && expiries.top().first <= now) {
    Forget(expiries.top().second);
    expiries.pop();
  }
}

void AssessmentCache::Session::ForgetAt(size_t i, double time) {
  if (memo_ == nullptr || nodes_.Revision(i) == 0) return;
  cache_->mutex_.AssertHeld();
  cache_->expiries_.emplace(time, nodes_.Revision(i));
}

Assessment& AssessmentCache::Session::At(size_t i) {
  const uint64_t revision = nodes_.Revision(i);
  if (slots_ != nullptr && revision != 0) return SlotOf(revision);
  scratch_ = {};
  return scratch_;
}

}  // namespace outrigger::safe
