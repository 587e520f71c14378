#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrigger {

/// Labels or annotations: string to string, a flat sequence in the order of the keys (bytewise).
///
/// Looking up scans a small map and halves a large one. Setting a key again replaces its value.
/// Pointers and views that Find() and Get() return live as long as the map is not changed.
/// Thread-compatible: any number of readers, or one writer.
///
/// Code that reads input of unknown size uses Append() for each entry and then Normalize() once: n
/// log n at worst, linear where the keys come in order (as Go writes them), while n calls of Set()
/// may move n * n entries. Between the two, only Append(), Normalize(), clear() and assignment are
/// allowed.
class StringMap {
 public:
  using Entry = std::pair<std::string, std::string>;
  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  StringMap() = default;
  StringMap(std::initializer_list<Entry> entries);

  /// Sets `key` to `value`; the last setting wins.
  void Set(std::string_view key, std::string_view value);

  /// Adds an entry without looking for its key; Normalize() must follow before the map is read.
  void Append(std::string_view key, std::string_view value);
  /// Ends a series of Append(): orders the entries; of several with one key the last one stays.
  void Normalize();

  /// The value of `key`, or nullptr.
  const std::string* Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key) != nullptr; }
  /// The value of `key`, or an empty text.
  std::string_view Get(std::string_view key) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// Removes the entries and keeps the allocated memory.
  void clear() {
    entries_.clear();
    in_order_ = true;
  }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  friend bool operator==(const StringMap& a, const StringMap& b) = default;

 private:
  std::vector<Entry> entries_;
  bool in_order_ = true;  // keys strictly increase; false only between Append() and Normalize()
};

}  // namespace outrigger
