#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/hash_trie.h"
#include "sdk/names/hash.h"
#include "sdk/names/name_table.h"

namespace outrigger::cluster {

using names::HashOf;
using names::NameTable;

/// From names of nodes to their slots: a table that versions share for as long as few nodes come
/// and go, and a small persistent one of those that did since. Changes of nodes that stay do not
/// touch it. A persistent structure (see shared.h).
class NodeNames {
 public:
  /// The slot of the node, or nothing.
  std::optional<size_t> Find(std::string_view name) const;
  /// Calls visit(i, slot) for each of `names` in their order, with NameTable::kNone for what is not
  /// here.
  template <typename Visit>
  void FindAll(std::span<const std::string_view> names, Visit visit) const {
    const auto of_change = [&](size_t i) {
      const Change* change = changed_.size() == 0 ? nullptr : changed_.Find(names[i]);
      visit(i, change == nullptr ? NameTable::kNone : change->slot);
    };
    if (table_ == nullptr) {
      for (size_t i = 0; i < names.size(); ++i) of_change(i);
      return;
    }
    table_->FindAll(names, [&](size_t i, size_t slot) {
      if (slot == NameTable::kNone || (stale_ != nullptr && (*stale_)[slot])) return of_change(i);
      visit(i, slot);
    });
  }

  void Set(std::string_view name, size_t slot, uint64_t epoch) { Note(name, slot, epoch); }
  void Erase(std::string_view name, uint64_t epoch) { Note(name, NameTable::kNone, epoch); }

 private:
  struct Change {
    std::string name;
    size_t slot;  // kNone: gone
  };
  struct ByName {
    using Key = std::string_view;
    static Key KeyOf(const Change& change) { return change.name; }
    static uint64_t Hash(Key key) { return HashOf(key); }
  };

  void Note(std::string_view name, size_t slot, uint64_t epoch);
  void MarkStale(std::string_view name);
  std::shared_ptr<const NameTable> Rebuilt() const;

  std::shared_ptr<const NameTable> table_;
  HashTrie<Change, ByName> changed_;
  // The slots that table_ gives to names which are in changed_, too. Null: none.
  std::shared_ptr<const std::vector<bool>> stale_;
};

}  // namespace outrigger::cluster
