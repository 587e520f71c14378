#include "sdk/names/name_table.h"

#include <algorithm>
#include <bit>

#include "sdk/names/hash.h"

namespace outrigger::names {

NameTable::NameTable(std::vector<std::pair<std::string_view, size_t>> names)
    : entries_(std::bit_ceil(names.size() + names.size() / 2 + 1)) {
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  places_.reserve(names.size() + 1);
  for (const auto& [name, slot] : names) {
    const uint64_t hash = HashOf(name);
    size_t i = hash & (entries_.size() - 1);
    while (entries_[i].place != kEmpty) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = {.hash = static_cast<uint32_t>(hash >> 32),
                   .place = static_cast<uint32_t>(places_.size())};
    places_.push_back(
        {.at = static_cast<uint32_t>(texts_.size()), .slot = static_cast<uint32_t>(slot)});
    texts_.append(name);
  }
  places_.push_back({.at = static_cast<uint32_t>(texts_.size())});
  texts_.shrink_to_fit();
}

size_t NameTable::PlaceOf(std::string_view name, uint64_t hash) const {
  const size_t mask = entries_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Entry& entry = entries_[i];
    if (entry.place == kEmpty) return size();
    if (entry.hash == static_cast<uint32_t>(hash >> 32) && NameAt(entry.place) == name) {
      return entry.place;
    }
  }
}

size_t NameTable::Find(std::string_view name, uint64_t hash) const {
  const size_t place = PlaceOf(name, hash);
  return place == size() ? kNone : places_[place].slot;
}

}  // namespace outrigger::names
