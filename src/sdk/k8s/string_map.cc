#include "outrigger/k8s/string_map.h"

#include <algorithm>

namespace outrigger {

StringMap::StringMap(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries) Set(entry.first, entry.second);
}

void StringMap::Set(std::string_view key, std::string_view value) {
  for (Entry& entry : entries_) {
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  }
  entries_.emplace_back(key, value);
}

const std::string* StringMap::Find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

std::string_view StringMap::Get(std::string_view key) const {
  const std::string* value = Find(key);
  return value == nullptr ? std::string_view() : *value;
}

bool operator==(const StringMap& a, const StringMap& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const StringMap::Entry& entry) {
    const std::string* other = b.Find(entry.first);
    return other != nullptr && *other == entry.second;
  });
}

}  // namespace outrigger
