#include "names/name_table.h"

#include <algorithm>
#include <bit>

#include "names/hash.h"

namespace outrigger::names {

NameTable::NameTable(std::vector<std::pair<std::string_view, size_t>> names)
    : size_(names.size()), entries_(std::bit_ceil(names.size() + names.size() / 2 + 1)) {
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [name, slot] : names) {
    const uint64_t hash = HashOf(name);
    size_t i = hash & (entries_.size() - 1);
    while (entries_[i].slot != kEmpty) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = {.hash = static_cast<uint32_t>(hash >> 32),
                   .slot = static_cast<uint32_t>(slot),
                   .at = static_cast<uint32_t>(texts_.size()),
                   .length = static_cast<uint32_t>(name.size())};
    texts_.append(name);
  }
  texts_.shrink_to_fit();
}

size_t NameTable::Find(std::string_view name, uint64_t hash) const {
  const size_t mask = entries_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Entry& entry = entries_[i];
    if (entry.slot == kEmpty) return kNone;
    if (entry.hash == static_cast<uint32_t>(hash >> 32) && NameOf(entry) == name) {
      return entry.slot;
    }
  }
}

}  // namespace outrigger::names
