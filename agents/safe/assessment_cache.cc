#include "assessment_cache.h"

#include <algorithm>
#include <bit>

namespace outrigger::safe {
namespace {

constexpr size_t kMaxSlots = size_t{1} << 17;  // 20 MB, more nodes than a cluster has

}  // namespace

AssessmentCache::Session::Session(AssessmentCache* cache, const NodeList& nodes,
                                  const Question& question)
    : nodes_(nodes), lock_(cache->mutex_, std::try_to_lock) {
  if (!lock_.owns_lock()) return;
  slots_ = &cache->slots_;
  // Revisions of one table of nodes follow one another, so they seldom share a slot.
  const size_t wanted = std::min(std::bit_ceil(2 * nodes.size() + 1), kMaxSlots);
  if (slots_->size() < wanted) slots_->assign(wanted, {});
  memo_ = &cache->memo_;
  memo_->Reserve(nodes.size());
  number_ = memo_->NumberOf(question);
}

Assessment& AssessmentCache::Session::At(size_t i) {
  const uint64_t revision = nodes_.Revision(i);
  if (slots_ != nullptr && revision != 0) return SlotOf(revision);
  scratch_ = {};
  return scratch_;
}

}  // namespace outrigger::safe
