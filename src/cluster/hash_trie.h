#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/shared.h"

namespace outrigger::cluster {

/// A persistent hash table: a hash-array-mapped trie of which copies share what is equal. A change
/// copies a path of at most 14 small blocks, and mostly of three or four. Copies may be read while
/// the writer goes on with its own (see shared.h).
///
/// Traits says what an entry is filed under:
///     using Key = ...;                       // equality comparable, cheap to copy
///     static Key KeyOf(const Entry& entry);
///     static uint64_t Hash(const Key& key);
/// Keys whose hashes are equal in all bits share a block that is scanned.
template <typename Entry, typename Traits>
class HashTrie {
 public:
  using Key = typename Traits::Key;

  size_t size() const { return size_; }

  /// The entry of `key`, or nullptr. Lives until this trie is changed.
  const Entry* Find(const Key& key) const { return FindHashed(key, Traits::Hash(key)); }
  /// The same where the hash is known already.
  const Entry* FindHashed(const Key& key, uint64_t hash) const {
    const Node* node = root_.get();
    for (unsigned depth = 0; node != nullptr; ++depth, hash >>= kBits) {
      if (depth == kMaxDepth) return FindIn(*node, key);
      const uint32_t bit = BitOf(hash);
      if ((node->entry_bits & bit) != 0) {
        const Entry& entry = node->entries[Rank(node->entry_bits, bit)];
        return Traits::KeyOf(entry) == key ? &entry : nullptr;
      }
      node = (node->child_bits & bit) == 0 ? nullptr
                                           : node->children[Rank(node->child_bits, bit)].get();
    }
    return nullptr;
  }

  /// The entry of `key`, to be changed before the epoch goes up, but for its key; or nullptr.
  Entry* Mutable(const Key& key, uint64_t epoch) {
    if (Find(key) == nullptr) return nullptr;  // so that a miss copies nothing
    uint64_t hash = Traits::Hash(key);
    Ref<Node>* at = &root_;
    for (unsigned depth = 0;; ++depth, hash >>= kBits) {
      Node& node = Own(*at, epoch);
      if (depth == kMaxDepth) return const_cast<Entry*>(FindIn(node, key));
      const uint32_t bit = BitOf(hash);
      if ((node.entry_bits & bit) != 0) return &node.entries[Rank(node.entry_bits, bit)];
      at = &node.children[Rank(node.child_bits, bit)];
    }
  }

  /// Adds `entry`, or replaces the one of its key.
  void Set(Entry entry, uint64_t epoch) {
    if (!root_) root_ = Ref<Node>(new Node(epoch));
    const uint64_t hash = Traits::Hash(Traits::KeyOf(entry));
    if (Set(root_, 0, hash, std::move(entry), epoch)) ++size_;
  }

  /// Takes out the entry of `key`; false if there is none.
  bool Erase(const Key& key, uint64_t epoch) {
    if (Find(key) == nullptr) return false;
    Erase(root_, 0, Traits::Hash(key), key, epoch);
    if (--size_ == 0) root_ = Ref<Node>();
    return true;
  }

  /// Calls visit(entry) for each, in no order that means anything.
  template <typename Visit>
  void ForEach(Visit visit) const {
    if (root_) ForEachBelow(*root_, visit);
  }

 private:
  static constexpr unsigned kBits = 5;
  static constexpr unsigned kMaxDepth = 13;  // 13 * 5 >= 64: no bits of the hash are left

  // Bits say which of the 32 places have an entry of their own and which a node below. At
  // kMaxDepth there are no bits and the entries are in no order.
  struct Node : Shared {
    using Shared::Shared;
    Node(const Node& other, uint64_t epoch)
        : Shared(epoch),
          entry_bits(other.entry_bits),
          child_bits(other.child_bits),
          entries(other.entries),
          children(other.children) {}
    uint32_t entry_bits = 0;
    uint32_t child_bits = 0;
    std::vector<Entry> entries;
    std::vector<Ref<Node>> children;
  };

  static uint32_t BitOf(uint64_t hash) { return uint32_t{1} << (hash % 32); }
  static size_t Rank(uint32_t bits, uint32_t bit) {
    return static_cast<size_t>(std::popcount(bits & (bit - 1)));
  }

  static const Entry* FindIn(const Node& node, const Key& key) {
    for (const Entry& entry : node.entries) {
      if (Traits::KeyOf(entry) == key) return &entry;
    }
    return nullptr;
  }

  // Without spare room: there are tens of thousands of these.
  template <typename T>
  static void InsertAt(std::vector<T>& items, size_t at, T item) {
    if (items.size() == items.capacity()) items.reserve(items.size() + 1);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), std::move(item));
  }
  template <typename T>
  static T TakeAt(std::vector<T>& items, size_t at) {
    T item = std::move(items[at]);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    return item;
  }

  static bool Set(Ref<Node>& at, unsigned depth, uint64_t hash, Entry entry, uint64_t epoch) {
    Node& node = Own(at, epoch);
    if (depth == kMaxDepth) return SetIn(node, std::move(entry));
    const uint32_t bit = BitOf(hash);
    if ((node.child_bits & bit) != 0) {
      Ref<Node>& child = node.children[Rank(node.child_bits, bit)];
      return Set(child, depth + 1, hash >> kBits, std::move(entry), epoch);
    }
    if ((node.entry_bits & bit) == 0) {
      InsertAt(node.entries, Rank(node.entry_bits, bit), std::move(entry));
      node.entry_bits |= bit;
      return true;
    }
    Entry& there = node.entries[Rank(node.entry_bits, bit)];
    if (Traits::KeyOf(there) == Traits::KeyOf(entry)) {
      there = std::move(entry);
      return false;
    }
    PushDown(node, bit, depth, epoch);
    Set(node.children[Rank(node.child_bits, bit)], depth + 1, hash >> kBits, std::move(entry),
        epoch);
    return true;
  }

  static bool SetIn(Node& node, Entry entry) {
    for (Entry& there : node.entries) {
      if (Traits::KeyOf(there) == Traits::KeyOf(entry)) {
        there = std::move(entry);
        return false;
      }
    }
    InsertAt(node.entries, node.entries.size(), std::move(entry));
    return true;
  }

  // Moves the entry at `bit` into a node of its own below.
  static void PushDown(Node& node, uint32_t bit, unsigned depth, uint64_t epoch) {
    Entry entry = TakeAt(node.entries, Rank(node.entry_bits, bit));
    node.entry_bits &= ~bit;
    Ref<Node> child(new Node(epoch));
    const uint64_t hash = Traits::Hash(Traits::KeyOf(entry));
    Set(child, depth + 1, hash >> (kBits * depth) >> kBits, std::move(entry), epoch);
    InsertAt(node.children, Rank(node.child_bits, bit), std::move(child));
    node.child_bits |= bit;
  }

  // The key is there.
  static void Erase(Ref<Node>& at, unsigned depth, uint64_t hash, const Key& key, uint64_t epoch) {
    Node& node = Own(at, epoch);
    if (depth == kMaxDepth) {
      TakeAt(node.entries, static_cast<size_t>(FindIn(node, key) - node.entries.data()));
      return;
    }
    const uint32_t bit = BitOf(hash);
    if ((node.entry_bits & bit) != 0) {
      TakeAt(node.entries, Rank(node.entry_bits, bit));
      node.entry_bits &= ~bit;
      return;
    }
    Ref<Node>& child = node.children[Rank(node.child_bits, bit)];
    Erase(child, depth + 1, hash >> kBits, key, epoch);
    if (child->entries.size() == 1 && child->children.empty()) PullUp(node, bit);
  }

  // Takes the one entry of the node below `bit` in its place.
  static void PullUp(Node& node, uint32_t bit) {
    Ref<Node> child = TakeAt(node.children, Rank(node.child_bits, bit));
    node.child_bits &= ~bit;
    InsertAt(node.entries, Rank(node.entry_bits, bit), std::move(child->entries[0]));
    node.entry_bits |= bit;
  }

  template <typename Visit>
  static void ForEachBelow(const Node& node, Visit& visit) {
    for (const Entry& entry : node.entries) visit(entry);
    for (const Ref<Node>& child : node.children) ForEachBelow(*child, visit);
  }

  Ref<Node> root_;
  size_t size_ = 0;
};

}  // namespace outrigger::cluster
