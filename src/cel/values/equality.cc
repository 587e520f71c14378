#include "cel/values/equality.h"

#include <algorithm>
#include <cmath>

#include "cel/values/collections.h"
#include "cel/values/network.h"
#include "cel/values/semver.h"
#include "cel/values/url.h"

namespace outrigger::cel {
namespace {

Equality From(bool equal) {
  return equal ? Equality::kEqual : Equality::kUnequal;
}

bool EqualLists(const Value& a, const Value& b, WorkBudget& budget) {
  if (a.size() != b.size()) return false;
  const auto left = ItemsOf(a);
  const auto right = ItemsOf(b);
  for (size_t i = 0; i < left.size(); ++i) {
    const auto fits = [&](const Value& item) {
      return CompareEquality(left[i], item, budget) != Equality::kUnequal;
    };
    if (fits(right[i])) continue;
    if (!a.list()->in_any_order || !budget.Spend(b.size())) return false;
    if (std::none_of(right.begin(), right.end(), fits)) return false;
  }
  return true;
}

bool EqualMaps(const Value& a, const Value& b, WorkBudget& budget) {
  if (a.size() != b.size()) return false;
  for (const MapEntry& entry : EntriesOf(a)) {
    const Value* other = FindKey(b, entry.key);
    if (other == nullptr) return false;
    if (CompareEquality(entry.value, *other, budget) == Equality::kUnequal) return false;
  }
  return true;
}

Equality EqualOptionals(const Value& a, const Value& b, WorkBudget& budget) {
  if (a.held() == nullptr || b.held() == nullptr) return From(a.held() == b.held());
  return CompareEquality(*a.held(), *b.held(), budget);
}

// Within the range of the integer its nearest double decides, as upstream: 2^63 - 1 equals 2^63.
std::partial_ordering CompareIntDouble(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b < -0x1p63) return std::partial_ordering::greater;
  if (b > 0x1p63) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareUintDouble(uint64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b < 0) return std::partial_ordering::greater;
  if (b > 0x1p64) return std::partial_ordering::less;
  return static_cast<double>(a) <=> b;
}

std::partial_ordering CompareIntUint(int64_t a, uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<uint64_t>(a) <=> b;
}

std::partial_ordering Reversed(std::partial_ordering order) {
  if (std::is_lt(order)) return std::partial_ordering::greater;
  return std::is_gt(order) ? std::partial_ordering::less : order;
}

std::strong_ordering CompareTimestamps(const Value& a, const Value& b) {
  const auto seconds = a.seconds() <=> b.seconds();
  return std::is_eq(seconds) ? a.subsecond() <=> b.subsecond() : seconds;
}

// Two values of one kind that neither hold others nor are numbers.
bool EqualPlain(const Value& a, const Value& b) {
  switch (a.kind()) {
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return a.text() == b.text();
    case Kind::kDuration:
      return a.nanoseconds() == b.nanoseconds();
    case Kind::kTimestamp:
      return std::is_eq(CompareTimestamps(a, b));
    case Kind::kQuantity:
      return a.quantity() == b.quantity();
    case Kind::kSemver:
      return std::is_eq(CompareSemver(a.semver(), b.semver()));
    case Kind::kIp:
      return a.ip() == b.ip();
    case Kind::kCidr:
      return a.cidr() == b.cidr();
    case Kind::kUrl:
      return a.url().text == b.url().text;
    case Kind::kFormat:
      return &a.format() == &b.format();
    default:
      return a.Is(Kind::kNull);
  }
}

}  // namespace

double AsDouble(const Value& number) {
  if (number.Is(Kind::kDouble)) return number.number();
  if (number.Is(Kind::kUint)) return static_cast<double>(number.unsigned_integer());
  return static_cast<double>(number.integer());
}

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  if (a.kind() > b.kind()) return Reversed(CompareNumbers(b, a));
  if (a.Is(Kind::kInt)) {
    if (b.Is(Kind::kInt)) return a.integer() <=> b.integer();
    if (b.Is(Kind::kUint)) return CompareIntUint(a.integer(), b.unsigned_integer());
    return CompareIntDouble(a.integer(), b.number());
  }
  if (a.Is(Kind::kUint)) {
    if (b.Is(Kind::kUint)) return a.unsigned_integer() <=> b.unsigned_integer();
    return CompareUintDouble(a.unsigned_integer(), b.number());
  }
  return a.number() <=> b.number();
}

bool KeysEqual(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) return std::is_eq(CompareNumbers(a, b));
  if (a.kind() != b.kind()) return false;
  return a.Is(Kind::kBool) ? a.boolean() == b.boolean() : a.text() == b.text();
}

Equality CompareEquality(const Value& a, const Value& b, WorkBudget& budget) {
  if (a.IsNumber() && b.IsNumber()) return From(std::is_eq(CompareNumbers(a, b)));
  if (a.kind() != b.kind()) {
    const bool comparable = a.kind() < Kind::kQuantity || b.Is(Kind::kNull);
    return comparable ? Equality::kUnequal : Equality::kIncomparable;
  }
  if (a.Is(Kind::kQuantity) && b.computed()) return Equality::kIncomparable;
  if (!budget.Spend(1)) return Equality::kUnequal;
  switch (a.kind()) {
    case Kind::kList:
      return From(EqualLists(a, b, budget));
    case Kind::kMap:
      return From(EqualMaps(a, b, budget));
    case Kind::kOptional:
      return EqualOptionals(a, b, budget);
    case Kind::kString:
    case Kind::kBytes:
      return From(a.size() == b.size() && budget.SpendText(a.size()) && EqualPlain(a, b));
    default:
      return From(EqualPlain(a, b));
  }
}

std::optional<std::partial_ordering> Compare(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case Kind::kBool:
      return a.boolean() <=> b.boolean();
    case Kind::kString:
    case Kind::kBytes:
      return a.text() <=> b.text();
    case Kind::kDuration:
      return a.nanoseconds() <=> b.nanoseconds();
    case Kind::kTimestamp:
      return CompareTimestamps(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace outrigger::cel
