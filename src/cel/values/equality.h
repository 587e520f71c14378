#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "cel/values/value.h"

namespace outrigger::cel {

/// Work that comparisons of nested values and long texts may still do; below 0 they gave up.
struct WorkBudget {
  int64_t left = 20'000'000;
  bool Spend(int64_t amount) { return (left -= amount) >= 0; }
  /// For a text that is read once.
  bool SpendText(uint32_t bytes) { return Spend(bytes / 64); }
};

/// What == of the language finds. Kubernetes' own values (quantities, versions, addresses, ...) on
/// the left cannot be compared with values of other kinds, nor a quantity with what add() or sub()
/// made.
enum class Equality : uint8_t { kUnequal, kEqual, kIncomparable };

/// == of the language: values of different kinds are unequal, but numbers are compared by value and
/// NaN equals nothing. As upstream, items of lists and values of maps that cannot be compared count
/// as equal. kUnequal where `budget` ends; the caller asks it.
Equality CompareEquality(const Value& a, const Value& b, WorkBudget& budget);

/// Whether CompareEquality() is kEqual.
inline bool Equal(const Value& a, const Value& b, WorkBudget& budget) {
  return CompareEquality(a, b, budget) == Equality::kEqual;
}

/// Equal() of two keys of a map (bool, number, text).
bool KeysEqual(const Value& a, const Value& b);

/// < of the language: numbers by value, texts and bytes bytewise, bools, times. Nothing if the
/// kinds cannot be compared; unordered with NaN.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b);

/// Integers exactly, an integer and a double by the nearest double of the integer.
std::partial_ordering CompareNumbers(const Value& a, const Value& b);

/// The double that is nearest to a number.
double AsDouble(const Value& number);

}  // namespace outrigger::cel
