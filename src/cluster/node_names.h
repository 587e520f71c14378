#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/hash_trie.h"
#include "names/hash.h"
#include "names/name_table.h"

namespace outrigger::cluster {

using names::HashOf;
using names::NameTable;

/// From names of nodes to their slots: a table that versions share for as long as few nodes come
/// and go, and a small persistent one of those that did since. Changes of nodes that stay do not
/// touch it. A persistent structure (see shared.h).
class NodeNames {
 public:
  /// The slot of the node, or nothing.
  std::optional<size_t> Find(std::string_view name) const { return Find(name, HashOf(name)); }
  /// The same where the hash is known already.
  std::optional<size_t> Find(std::string_view name, uint64_t hash) const;
  /// Begins to bring what Find() reads into the cache.
  void Prefetch(uint64_t hash) const {
    if (table_ != nullptr) table_->Prefetch(hash);
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
  std::shared_ptr<const NameTable> Rebuilt() const;

  std::shared_ptr<const NameTable> table_;
  HashTrie<Change, ByName> changed_;
};

}  // namespace outrigger::cluster
