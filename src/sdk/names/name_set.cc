#include "sdk/names/name_set.h"

#include <algorithm>
#include <bit>

#include "sdk/names/hash.h"

namespace outrigger::names {

size_t NameSet::EntryOf(std::string_view name, uint64_t hash) const {
  const auto high = static_cast<uint32_t>(hash >> 32U);
  size_t i = hash & mask_;
  while (entries_[i].place != 0 &&
         (entries_[i].hash != high || names_[entries_[i].place - 1] != name)) {
    i = (i + 1) & mask_;
  }
  return i;
}

size_t NameSet::Assign(std::span<const std::string_view> names) {
  const size_t wanted = std::bit_ceil(names.size() + names.size() / 2 + 1);
  if (entries_.size() < wanted) entries_.resize(wanted);
  std::fill_n(entries_.begin(), wanted, Entry());
  mask_ = wanted - 1;
  names_ = names;
  hashes_.resize(names.size());
  // Before anything is looked up, so that no step waits for the one before.
  std::transform(names.begin(), names.end(), hashes_.begin(), HashOf);
  for (size_t i = 0; i < names.size(); ++i) {
    const uint64_t hash = hashes_[i];
    Entry& entry = entries_[EntryOf(names[i], hash)];
    if (entry.place != 0) return i;
    entry = {static_cast<uint32_t>(hash >> 32U), static_cast<uint32_t>(i + 1)};
  }
  return kNone;
}

size_t NameSet::Find(std::string_view name) const {
  if (names_.empty()) return kNone;
  const size_t place = entries_[EntryOf(name, HashOf(name))].place;
  return place == 0 ? kNone : place - 1;
}

}  // namespace outrigger::names
