#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "outrigger/agent/verdict.h"

namespace outrigger::safe {

/// The rejections that were written out, by their text: a risk is shown with two decimals, so
/// thousands of nodes share a hundred texts, and one of those is found by a number. Not
/// thread-safe.
class Rejections {
 public:
  /// The number of `verdict`, which is a rejection; nothing where there is no more room.
  std::optional<size_t> NumberOf(const Verdict& verdict);
  /// The rejection of a number that NumberOf() has returned since the last Clear().
  const Verdict& At(size_t number) const { return verdicts_[number]; }
  /// No more numbers are given out until Clear().
  bool full() const { return verdicts_.size() >= kMost; }
  /// No number is good any more.
  void Clear();

  static constexpr size_t kMost = 4096;

 private:
  std::deque<Verdict> verdicts_;                          // none moves: their texts are the keys
  std::unordered_map<std::string_view, size_t> numbers_;  // by text, which tells the class
};

}  // namespace outrigger::safe
