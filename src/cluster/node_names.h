#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "cluster/hash_trie.h"

namespace outrigger::cluster {

/// absl::Hash of a text.
inline uint64_t HashOf(std::string_view text) {
  return absl::Hash<absl::string_view>()(absl::string_view(text.data(), text.size()));
}

/// From names of nodes to their slots. A flat hash table that versions share for as long as few
/// nodes come and go, and a small persistent table of those that did since. Changes of nodes that
/// stay do not touch it. A persistent structure (see shared.h).
class NodeNames {
 public:
  /// The slot of the node, or nothing.
  std::optional<size_t> Find(std::string_view name) const {
    if (changed_.size() != 0) {
      if (const Change* change = changed_.Find(name)) {
        return change->slot == kGone ? std::nullopt : std::optional<size_t>(change->slot);
      }
    }
    if (table_ == nullptr) return std::nullopt;
    const auto found = table_->slots.find(absl::string_view(name.data(), name.size()));
    if (found == table_->slots.end()) return std::nullopt;
    return found->second;
  }

  void Set(std::string_view name, size_t slot, uint64_t epoch) { Note(name, slot, epoch); }
  void Erase(std::string_view name, uint64_t epoch) { Note(name, kGone, epoch); }

 private:
  static constexpr size_t kGone = SIZE_MAX;
  struct Change {
    std::string name;
    size_t slot;
  };
  struct ByName {
    using Key = std::string_view;
    static Key KeyOf(const Change& change) { return change.name; }
    static uint64_t Hash(Key key) { return HashOf(key); }
  };
  struct Table {
    std::string names;  // what the keys are views of
    absl::flat_hash_map<absl::string_view, uint32_t> slots;
  };

  void Note(std::string_view name, size_t slot, uint64_t epoch);
  std::shared_ptr<const Table> Rebuilt() const;

  std::shared_ptr<const Table> table_;
  HashTrie<Change, ByName> changed_;
};

}  // namespace outrigger::cluster
