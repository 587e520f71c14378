#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "cluster/hash_trie.h"

namespace outrigger::cluster {

/// absl::Hash of a text.
inline uint64_t HashOf(std::string_view text) {
  return absl::Hash<absl::string_view>()(absl::string_view(text.data(), text.size()));
}

/// From names to slots, never changed: open addressing over 16 bytes for each, and the names in the
/// order of their slots, which is the order in which many of them are mostly asked for. Half the
/// memory of absl::flat_hash_map, and so more of it in the processor's caches.
class NameTable {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  /// The names differ, and there are less than 2^31 bytes of them.
  explicit NameTable(std::vector<std::pair<std::string_view, size_t>> names);

  size_t size() const { return size_; }
  /// The slot, or kNone.
  size_t Find(std::string_view name, uint64_t hash) const;
  /// Begins to bring what Find() reads into the cache.
  void Prefetch(uint64_t hash) const {
    __builtin_prefetch(&entries_[hash & (entries_.size() - 1)]);
  }
  /// Calls visit(name, slot) for each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.slot != kEmpty) visit(NameOf(entry), size_t{entry.slot});
    }
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Entry {
    uint32_t hash = 0;
    uint32_t slot = kEmpty;
    uint32_t at = 0;
    uint32_t length = 0;
  };

  std::string_view NameOf(const Entry& entry) const {
    return {texts_.data() + entry.at, entry.length};
  }

  size_t size_;
  std::string texts_;
  std::vector<Entry> entries_;  // a power of two, of which a third or more is empty
};

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
