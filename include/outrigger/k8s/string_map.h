#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrigger {

/// Labels or annotations: string to string, kept as a flat sequence.
///
/// Looking up is linear, which beats trees and hashes at the sizes that objects have (a dozen
/// keys). Setting a key again replaces its value. Views that Find() returns live as long as the
/// map is not changed.
class StringMap {
 public:
  using Entry = std::pair<std::string, std::string>;

  StringMap() = default;
  StringMap(std::initializer_list<Entry> entries);

  /// Sets `key` to `value`; the last setting wins.
  void Set(std::string_view key, std::string_view value);
  /// The value of `key`, or nullptr.
  const std::string* Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key) != nullptr; }
  /// The value of `key`, or an empty text.
  std::string_view Get(std::string_view key) const;

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// Forgets the entries and keeps the memory.
  void clear() { entries_.clear(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const StringMap& a, const StringMap& b);

 private:
  std::vector<Entry> entries_;
};

}  // namespace outrigger
