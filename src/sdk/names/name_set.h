#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace outrigger::names {

/// A list of names as a set: whether they differ, and where one stands. For lists of thousands that
/// come anew with each call: eight bytes for each name, and memory that is kept.
class NameSet {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  /// Holds `names`, of which there are less than 2^31 and which outlive its use; what it held
  /// before is forgotten. Returns where the first stands that came before, or kNone; only with
  /// kNone may Find() be called.
  size_t Assign(std::span<const std::string_view> names);

  /// Where `name` stands in the list, or kNone.
  size_t Find(std::string_view name) const;

 private:
  struct Entry {
    uint32_t hash = 0;
    uint32_t place = 0;  // in names_, counted from 1; 0: empty
  };

  /// The entry that has `name`, or the empty one where it belongs.
  size_t EntryOf(std::string_view name, uint64_t hash) const;

  std::span<const std::string_view> names_;
  std::vector<uint64_t> hashes_;
  std::vector<Entry> entries_;  // open addressing: a power of two, a third or more empty
  size_t mask_ = 0;             // into as many of them as this list needs
};

}  // namespace outrigger::names
