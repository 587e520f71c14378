#include "cluster/node_names.h"

#include <algorithm>

namespace outrigger::cluster {

std::optional<size_t> NodeNames::Find(std::string_view name) const {
  const uint64_t hash = HashOf(name);
  size_t slot = NameTable::kNone;
  const Change* change = changed_.size() == 0 ? nullptr : changed_.FindHashed(name, hash);
  if (change != nullptr) {
    slot = change->slot;
  } else if (table_ != nullptr) {
    slot = table_->Find(name, hash);
  }
  return slot == NameTable::kNone ? std::nullopt : std::optional(slot);
}

void NodeNames::Note(std::string_view name, size_t slot, uint64_t epoch) {
  changed_.Set({std::string(name), slot}, epoch);
  MarkStale(name);
  // So that a rebuild, which looks at every node, comes once for as many changes as an eighth.
  constexpr size_t kFewest = 64;
  const size_t in_table = table_ == nullptr ? 0 : table_->size();
  if (changed_.size() < kFewest + in_table / 8) return;
  table_ = Rebuilt();
  changed_ = {};
  stale_ = nullptr;
}

void NodeNames::MarkStale(std::string_view name) {
  const size_t slot = table_ == nullptr ? NameTable::kNone : table_->Find(name, HashOf(name));
  if (slot == NameTable::kNone) return;
  std::vector<bool> stale = stale_ == nullptr ? std::vector<bool>() : *stale_;
  stale.resize(std::max(stale.size(), table_->slots()));
  stale[slot] = true;
  stale_ = std::make_shared<const std::vector<bool>>(std::move(stale));
}

std::shared_ptr<const NameTable> NodeNames::Rebuilt() const {
  std::vector<std::pair<std::string_view, size_t>> all;
  if (table_ != nullptr) {
    table_->ForEach([&](std::string_view name, size_t slot) {
      if (changed_.Find(name) == nullptr) all.emplace_back(name, slot);
    });
  }
  changed_.ForEach([&](const Change& change) {
    if (change.slot != NameTable::kNone) all.emplace_back(change.name, change.slot);
  });
  return std::make_shared<const NameTable>(std::move(all));
}

}  // namespace outrigger::cluster
