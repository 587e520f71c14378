#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/names/hash.h"

namespace outrigger::names {

/// From names to slots, never changed: open addressing over 8 bytes for each, and the names in the
/// order of their slots, which is the order in which many of them are mostly asked for. Half the
/// memory of absl::flat_hash_map, and so more of it in the processor's caches.
class NameTable {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  /// The names differ, and there are less than 2^31 bytes of them.
  explicit NameTable(std::vector<std::pair<std::string_view, size_t>> names);

  size_t size() const { return places_.size() - 1; }
  /// One more than the largest slot.
  size_t slots() const { return size() == 0 ? 0 : size_t{places_[size() - 1].slot} + 1; }
  /// The slot, or kNone. `hash` is HashOf(name).
  size_t Find(std::string_view name, uint64_t hash) const;
  /// Calls visit(i, slot) for each of `names` in their order, with kNone for what is not here.
  /// Several times as quick as Find() where they come in the table's order, for longer or shorter
  /// stretches: then memory is read in a row, and nothing is hashed.
  template <typename Visit>
  void FindAll(std::span<const std::string_view> names, Visit visit) const {
    size_t next = 0;  // what comes behind the one found last
    for (size_t i = 0; i < names.size();) {
      if (next < size() && NameAt(next) == names[i]) {
        visit(i++, size_t{places_[next++].slot});
      } else {
        i = FindBlock(names, i, &next, visit);
      }
    }
  }
  /// Calls visit(name, slot) for each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < size(); ++i) visit(NameAt(i), size_t{places_[i].slot});
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Entry {
    uint32_t hash = 0;
    uint32_t place = kEmpty;
  };
  struct Place {
    uint32_t at = 0;  // where its text begins, which ends where the next one's does
    uint32_t slot = 0;
  };

  std::string_view NameAt(size_t place) const {
    const uint32_t at = places_[place].at;
    return {texts_.data() + at, places_[place + 1].at - at};
  }
  /// The place of `name`, or size().
  size_t PlaceOf(std::string_view name, uint64_t hash) const;

  // Looks up some by their hashes: as many as the processor can wait for at once. Returns where to
  // go on.
  template <typename Visit>
  size_t FindBlock(std::span<const std::string_view> names, size_t i, size_t* next,
                   Visit& visit) const {
    std::array<uint64_t, 16> hashes;
    const size_t count = std::min(hashes.size(), names.size() - i);
    for (size_t k = 0; k < count; ++k) {
      hashes[k] = HashOf(names[i + k]);
      __builtin_prefetch(&entries_[hashes[k] & (entries_.size() - 1)]);
    }
    for (size_t k = 0; k < count; ++k) {
      const size_t place = PlaceOf(names[i + k], hashes[k]);
      if (place < size()) *next = place + 1;
      visit(i + k, place < size() ? size_t{places_[place].slot} : kNone);
    }
    return i + count;
  }

  std::string texts_;
  std::vector<Place> places_;   // one for each name, by slot, and one for the end
  std::vector<Entry> entries_;  // a power of two, of which a third or more is empty
};

}  // namespace outrigger::names
