#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "outrigger/agent/request.h"
#include "outrigger/base/mutex.h"

namespace outrigger {

/// One value for each node, worked out once and remembered from call to call by Node::revision:
/// what an agent reads of a node, a parsed annotation for instance, costs more than all that it
/// does with it. Never changes an answer: the value must follow from the node (and the agent's
/// settings) alone.
///
///     NodeMemo<int64_t>::Session memo(&memo_, request.nodes);
///     for (size_t i = 0; i < request.nodes.size(); ++i) {
///       const int64_t factor = memo.Get(i, [&] { return Factor(request, request.nodes[i]); });
///       sum += factor;
///     }
///
/// T is default-constructible and small; a value takes as much memory as T and eight bytes, twice
/// for each node. Thread-safe: one call at a time uses it, and one that finds it taken works
/// without it instead of waiting.
template <typename T>
class NodeMemo {
  struct Slot {
    uint64_t revision = 0;
    T value = {};
  };

 public:
  /// The use by one call. Not thread-safe.
  class Session {
   public:
    /// For the nodes of one request. `memo` outlives this.
    Session(NodeMemo* memo, const NodeList& nodes)
        : nodes_(nodes), lock_(memo->mutex_, std::try_to_lock) {
      if (!lock_.owns_lock()) return;
      memo->mutex_.AssertHeld();
      // Revisions of one table of nodes follow one another, so they seldom share a slot.
      const size_t wanted = std::min(std::bit_ceil(2 * nodes.size() + 1), kMostSlots);
      if (memo->slots_.size() < wanted) memo->slots_.assign(wanted, {});
      slots_ = &memo->slots_;
    }

    /// The value of the node at `i`: what `compute()` gives, or gave for the same revision.
    /// Quickest if asked in order.
    template <typename Compute>
    T Get(size_t i, Compute compute) {
      const uint64_t revision = nodes_.Revision(i);
      if (slots_ == nullptr || revision == 0) return compute();
      // More than the processor's nearer caches hold is better waited for several at once.
      constexpr size_t kAhead = 12;
      if (i + kAhead < nodes_.size()) {
        __builtin_prefetch(&SlotOf(nodes_.Revision(i + kAhead)), /*rw=*/1);
      }
      Slot& slot = SlotOf(revision);
      if (slot.revision != revision) slot = {revision, compute()};
      return slot.value;
    }

   private:
    Slot& SlotOf(uint64_t revision) const { return (*slots_)[revision & (slots_->size() - 1)]; }

    const NodeList nodes_;
    std::unique_lock<Mutex> lock_;
    std::vector<Slot>* slots_ = nullptr;  // null: taken by another call
  };

 private:
  static constexpr size_t kMostSlots = size_t{1} << 17;  // for more nodes than a cluster has

  Mutex mutex_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);  // by revision modulo the size, a power of two
};

}  // namespace outrigger
