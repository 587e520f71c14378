#include "assessment_cache.h"

#include <algorithm>
#include <bit>

namespace outrigger::safe {
namespace {

constexpr size_t kMaxSlots = size_t{1} << 17;  // 20 MB, more nodes than a cluster has

}  // namespace

AssessmentCache::Session::Session(AssessmentCache* cache, size_t nodes)
    : lock_(cache->mutex_, std::try_to_lock) {
  if (!lock_.owns_lock()) return;
  slots_ = &cache->slots_;
  // Revisions of one table of nodes follow one another, so they seldom share a slot.
  const size_t wanted = std::min(std::bit_ceil(2 * nodes), kMaxSlots);
  if (slots_->size() < wanted) slots_->assign(wanted, {});
}

Assessment& AssessmentCache::Session::At(const Node& node) {
  if (slots_ != nullptr && node.revision != 0) return SlotOf(node);
  scratch_ = {};
  return scratch_;
}

}  // namespace outrigger::safe
