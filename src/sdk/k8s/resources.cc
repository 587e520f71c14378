#include "outrigger/k8s/resources.h"

#include <algorithm>
#include <cassert>

#include "flat_map.h"

namespace outrigger {
namespace {

constexpr auto kName = [](const ResourceList::Entry& entry) -> std::string_view {
  return entry.name;
};

}  // namespace

ResourceList::ResourceList(std::initializer_list<Entry> entries)
    : entries_(entries), in_order_(false) {
  Normalize();
}

void ResourceList::Set(std::string_view name, const Quantity& quantity) {
  assert(in_order_);
  const auto at = flat_map::LowerBound(entries_, name, kName);
  if (at != entries_.end() && at->name == name) {
    at->quantity = quantity;
  } else {
    entries_.insert(at, {std::string(name), quantity});
  }
}

void ResourceList::Append(std::string_view name, const Quantity& quantity) {
  in_order_ = in_order_ && flat_map::Extends(entries_, name, kName);
  entries_.push_back({std::string(name), quantity});
}

void ResourceList::Normalize() {
  if (!in_order_) flat_map::Normalize(entries_, kName);
  in_order_ = true;
}

const Quantity* ResourceList::Find(std::string_view name) const {
  assert(in_order_);
  const Entry* entry = flat_map::Find(entries_, name, kName);
  return entry == nullptr ? nullptr : &entry->quantity;
}

template <typename Combine>
void ResourceList::Merge(const ResourceList& other, Combine combine) {
  assert(in_order_ && other.in_order_);
  std::vector<Entry> added;
  auto mine = entries_.begin();
  for (const Entry& entry : other.entries_) {
    mine = std::find_if(mine, entries_.end(),
                        [&](const Entry& candidate) { return candidate.name >= entry.name; });
    if (mine != entries_.end() && mine->name == entry.name) {
      combine(mine->quantity, entry.quantity);
    } else {
      added.push_back(entry);
    }
  }
  const auto middle = static_cast<std::ptrdiff_t>(entries_.size());
  std::move(added.begin(), added.end(), std::back_inserter(entries_));
  std::inplace_merge(entries_.begin(), entries_.begin() + middle, entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.name < b.name; });
}

void ResourceList::Add(const ResourceList& other) {
  Merge(other, [](Quantity& mine, const Quantity& theirs) { mine += theirs; });
}

void ResourceList::Max(const ResourceList& other) {
  Merge(other, [](Quantity& mine, const Quantity& theirs) { mine = std::max(mine, theirs); });
}

void ResourceList::Subtract(const ResourceList& other) {
  for (const Entry& entry : other.entries_) Set(entry.name, Get(entry.name) - entry.quantity);
}

bool ResourceList::Covers(const ResourceList& requests) const {
  return std::all_of(requests.begin(), requests.end(), [this](const Entry& wanted) {
    return wanted.quantity.IsZero() || Get(wanted.name) >= wanted.quantity;
  });
}

Quantity ResourceList::Get(std::string_view name) const {
  const Quantity* quantity = Find(name);
  return quantity == nullptr ? Quantity() : *quantity;
}

}  // namespace outrigger
