#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// Arithmetic on 128-bit integers and powers of ten, shared by the parts of Quantity.
namespace outrigger::decimal {

__extension__ using Int128 = __int128;

inline constexpr int kMaxDigits = 38;  // 10^38 is the largest power of ten that Int128 holds

inline constexpr std::array<Int128, kMaxDigits + 1> kPowers = [] {
  std::array<Int128, kMaxDigits + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// 10^exponent for exponent in 0..38.
constexpr Int128 Power(int exponent) {
  return kPowers[static_cast<size_t>(exponent)];
}

// value * 10^exponent for exponent >= 0; false, with `product` untouched, where Int128 is too
// small.
inline bool Multiply(Int128 value, int exponent, Int128* product) {
  if (value == 0) {
    *product = 0;
    return true;
  }
  Int128 result = 0;
  if (exponent > kMaxDigits || __builtin_mul_overflow(value, Power(exponent), &result))
    return false;
  *product = result;
  return true;
}

// value / 10^exponent for exponent >= 0, rounded away from zero.
inline Int128 DivideAwayFromZero(Int128 value, int exponent) {
  const Int128 away = value > 0 ? 1 : -1;
  if (exponent > kMaxDigits) return value == 0 ? 0 : away;
  const Int128 quotient = value / Power(exponent);
  return value % Power(exponent) == 0 ? quotient : quotient + away;
}

inline bool FitsInt64(Int128 value) {
  return value >= INT64_MIN && value <= INT64_MAX;
}

// The low 64 bits, as Go's big.Int.Int64() cuts a number that does not fit.
inline int64_t LowBits(Int128 value) {
  return static_cast<int64_t>(static_cast<uint64_t>(value));
}

// The low 64 bits of value * 10^exponent for exponent >= 0.
inline int64_t LowBitsOfProduct(Int128 value, int exponent) {
  if (exponent >= 64) return 0;  // 2^64 divides 10^64
  auto bits = static_cast<uint64_t>(value);
  for (int i = 0; i < exponent; ++i) bits *= 10;
  return static_cast<int64_t>(bits);
}

// Takes factors of ten out of `value`; returns how many.
inline int StripZeros(Int128* value) {
  int stripped = 0;
  while (*value != 0 && *value % 10 == 0) {
    *value /= 10;
    ++stripped;
  }
  return stripped;
}

}  // namespace outrigger::decimal
