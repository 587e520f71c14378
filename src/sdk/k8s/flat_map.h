#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

// What StringMap and ResourceList share: a vector of entries in the order of their keys. `key` is a
// function object from entry to key.
namespace outrigger::flat_map {

// Up to this size a scan, whose comparison is mostly one of lengths, beats halving.
inline constexpr size_t kScanUpTo = 16;

template <typename Entries, typename Key>
auto LowerBound(Entries& entries, std::string_view wanted, Key key) {
  return std::lower_bound(
      entries.begin(), entries.end(), wanted,
      [&](const auto& entry, std::string_view text) { return key(entry) < text; });
}

// The entry of `wanted` in ordered entries, or nullptr.
template <typename Entry, typename Key>
const Entry* Find(const std::vector<Entry>& entries, std::string_view wanted, Key key) {
  if (entries.size() <= kScanUpTo) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return key(entry) == wanted; });
    return found == entries.end() ? nullptr : &*found;
  }
  const auto found = LowerBound(entries, wanted, key);
  return found == entries.end() || key(*found) != wanted ? nullptr : &*found;
}

// Whether an entry of key `next` keeps the order when it comes last.
template <typename Entry, typename Key>
bool Extends(const std::vector<Entry>& entries, std::string_view next, Key key) {
  return entries.empty() || key(entries.back()) < next;
}

// Orders the entries and keeps the last of those with the same key.
template <typename Entry, typename Key>
void Normalize(std::vector<Entry>& entries, Key key) {
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  // unique() keeps the first of a run, so it walks from the back.
  const auto kept = std::unique(entries.rbegin(), entries.rend(),
                                [&](const Entry& a, const Entry& b) { return key(a) == key(b); });
  entries.erase(entries.begin(), kept.base());
}

}  // namespace outrigger::flat_map
