#include "outrigger/k8s/string_map.h"

#include <cassert>

#include "flat_map.h"

namespace outrigger {
namespace {

constexpr auto kKey = [](const StringMap::Entry& entry) -> std::string_view { return entry.first; };

}  // namespace

StringMap::StringMap(std::initializer_list<Entry> entries) : entries_(entries), in_order_(false) {
  Normalize();
}

void StringMap::Set(std::string_view key, std::string_view value) {
  assert(in_order_);
  const auto at = flat_map::LowerBound(entries_, key, kKey);
  if (at != entries_.end() && at->first == key) {
    at->second = value;
  } else {
    entries_.emplace(at, key, value);
  }
}

void StringMap::Append(std::string_view key, std::string_view value) {
  in_order_ = in_order_ && flat_map::Extends(entries_, key, kKey);
  entries_.emplace_back(key, value);
}

void StringMap::Normalize() {
  if (!in_order_) flat_map::Normalize(entries_, kKey);
  in_order_ = true;
}

const std::string* StringMap::Find(std::string_view key) const {
  assert(in_order_);
  const Entry* entry = flat_map::Find(entries_, key, kKey);
  return entry == nullptr ? nullptr : &entry->second;
}

std::string_view StringMap::Get(std::string_view key) const {
  const std::string* value = Find(key);
  return value == nullptr ? std::string_view() : *value;
}

}  // namespace outrigger
