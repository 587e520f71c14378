#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "cel/values/value.h"

namespace outrigger::cel {

/// Work that a comparison of nested values may still do; below 0 it gave up.
struct WorkBudget {
  int64_t left = 20'000'000;
  bool Spend(int64_t amount) { return (left -= amount) >= 0; }
};

/// == of the language: values of different kinds are unequal, but numbers are compared by value and
/// NaN equals nothing. False where `budget` ends; the caller asks it.
bool Equal(const Value& a, const Value& b, WorkBudget& budget);

/// Equal() of two keys of a map (bool, number, text).
bool KeysEqual(const Value& a, const Value& b);

/// < of the language: numbers by value, texts and bytes bytewise, bools, times. Nothing if the
/// kinds cannot be compared; unordered with NaN.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b);

/// Compares numbers exactly, also where a double cannot hold the integer.
std::partial_ordering CompareNumbers(const Value& a, const Value& b);

/// The double that is nearest to a number.
double AsDouble(const Value& number);

}  // namespace outrigger::cel
