#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::annotate {

/// A decimal number as Python's decimal module keeps and prints it: 1.5Gi is 1610612736.0, and a
/// sum has as many places as the longest of its parts. Of what is beyond 2^127 the largest amount
/// is kept, in place of Python's. A plain value.
class OriginalDecimal {
 public:
  OriginalDecimal() = default;  // 0
  explicit OriginalDecimal(int64_t value) : unscaled_(value) {}

  /// A Kubernetes quantity as parse_quantity() of the Python client reads it. Nothing: that raises.
  static std::optional<OriginalDecimal> Parse(std::string_view quantity);

  OriginalDecimal operator+(const OriginalDecimal& other) const;
  OriginalDecimal operator-(const OriginalDecimal& other) const;
  OriginalDecimal operator*(const OriginalDecimal& other) const;

  bool IsNegative() const { return unscaled_ < 0; }
  /// int(): the fraction is cut off.
  int64_t Truncated() const;
  /// str().
  std::string ToString() const;

 private:
  __extension__ using Int128 = __int128;
  OriginalDecimal(Int128 unscaled, int exponent) : unscaled_(unscaled), exponent_(exponent) {}

  Int128 unscaled_ = 0;
  int exponent_ = 0;
};

}  // namespace outrigger::annotate
