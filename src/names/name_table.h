#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrigger::names {

/// From names to slots, never changed: open addressing over 16 bytes for each, and the names in the
/// order of their slots, which is the order in which many of them are mostly asked for. Half the
/// memory of absl::flat_hash_map, and so more of it in the processor's caches.
class NameTable {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  /// The names differ, and there are less than 2^31 bytes of them.
  explicit NameTable(std::vector<std::pair<std::string_view, size_t>> names);

  size_t size() const { return size_; }
  /// The slot, or kNone. `hash` is HashOf(name).
  size_t Find(std::string_view name, uint64_t hash) const;
  /// Begins to bring what Find() reads into the cache.
  void Prefetch(uint64_t hash) const {
    __builtin_prefetch(&entries_[hash & (entries_.size() - 1)]);
  }
  /// Calls visit(name, slot) for each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.slot != kEmpty) visit(NameOf(entry), size_t{entry.slot});
    }
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Entry {
    uint32_t hash = 0;
    uint32_t slot = kEmpty;
    uint32_t at = 0;
    uint32_t length = 0;
  };

  std::string_view NameOf(const Entry& entry) const {
    return {texts_.data() + entry.at, entry.length};
  }

  size_t size_;
  std::string texts_;
  std::vector<Entry> entries_;  // a power of two, of which a third or more is empty
};

}  // namespace outrigger::names
