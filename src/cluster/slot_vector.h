#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/shared.h"

namespace outrigger::cluster {

/// A persistent vector: copies share what is equal, and a change copies chunks of 32, not the
/// whole. Copies may be read while the writer goes on with its own (see shared.h); T is cheap to
/// copy and default-constructible.
template <typename T>
class SlotVector {
 public:
  size_t size() const { return size_; }

  /// The element at `i`, which is below size().
  const T& operator[](size_t i) const {
    return root_->middles[i / kMiddle]->leaves[i / kChunk % kChunk]->items[i % kChunk];
  }

  /// The element at `i`, to be changed before the epoch goes up.
  T& Mutable(size_t i, uint64_t epoch) {
    Middle& middle = Own(Own(root_, epoch).middles[i / kMiddle], epoch);
    return Own(middle.leaves[i / kChunk % kChunk], epoch).items[i % kChunk];
  }

  /// Adds a default element.
  void Grow(uint64_t epoch) {
    if (!root_) root_ = Ref<Root>(new Root(epoch));
    const size_t i = size_++;
    Root& root = Own(root_, epoch);
    if (i / kMiddle == root.middles.size()) root.middles.emplace_back(new Middle(epoch));
    Middle& middle = Own(root.middles[i / kMiddle], epoch);
    Ref<Leaf>& leaf = middle.leaves[i / kChunk % kChunk];
    if (!leaf) leaf = Ref<Leaf>(new Leaf(epoch));
  }

  /// Takes away the last element, which must be in its default state: its memory is kept for the
  /// next one.
  void Shrink() { --size_; }

 private:
  static constexpr size_t kChunk = 32;
  static constexpr size_t kMiddle = kChunk * kChunk;

  struct Leaf : Shared {
    using Shared::Shared;
    Leaf(const Leaf& other, uint64_t epoch) : Shared(epoch), items(other.items) {}
    std::array<T, kChunk> items{};
  };
  struct Middle : Shared {
    using Shared::Shared;
    Middle(const Middle& other, uint64_t epoch) : Shared(epoch), leaves(other.leaves) {}
    std::array<Ref<Leaf>, kChunk> leaves;
  };
  struct Root : Shared {
    using Shared::Shared;
    Root(const Root& other, uint64_t epoch) : Shared(epoch), middles(other.middles) {}
    std::vector<Ref<Middle>> middles;
  };

  Ref<Root> root_;
  size_t size_ = 0;
};

}  // namespace outrigger::cluster
