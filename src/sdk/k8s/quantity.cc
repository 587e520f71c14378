#include "outrigger/k8s/quantity.h"

#include <algorithm>

#include "decimal.h"

namespace outrigger {
namespace {

// Brings two numbers to one scale, in place, and returns it: the smaller scale if the digits fit,
// else the smallest at which they do.
int Align(decimal::Int128* a, int a_scale, decimal::Int128* b, int b_scale) {
  if (a_scale < b_scale) return Align(b, b_scale, a, a_scale);
  int widen = a_scale - b_scale;
  while (!decimal::Multiply(*a, widen, a)) --widen;
  const int scale = a_scale - widen;
  *b = decimal::DivideAwayFromZero(*b, scale - b_scale);
  return scale;
}

// Upstream's positiveScaleInt64(): value * 10^exponent for exponent > 0. Where int64 cannot hold
// it, the exponents that it treats specially leave the low 64 bits, all others 0.
int64_t UpstreamProduct(int64_t value, int exponent) {
  constexpr int kMaxInt64Digits = 18;
  int64_t product = 0;
  if (value == 0) return 0;
  if (exponent <= kMaxInt64Digits &&
      !__builtin_mul_overflow(value, decimal::LowBits(decimal::Power(exponent)), &product)) {
    return product;
  }
  const bool special =
      exponent == 1 || exponent == 2 || exponent == 3 || exponent == 6 || exponent == 9;
  return special && value != INT64_MIN ? decimal::LowBitsOfProduct(value, exponent) : 0;
}

}  // namespace

Quantity Quantity::FromInt(int64_t value, Format format) {
  Quantity quantity;
  quantity.unscaled_ = value;
  quantity.format_ = format;
  return quantity;
}

Quantity Quantity::FromMilli(int64_t milli, Format format) {
  Quantity quantity = FromInt(milli, format);
  quantity.scale_ = -3;
  return quantity;
}

int64_t Quantity::ScaledValue(int scale) const {
  if (!fast_) return SlowScaledValue(scale);
  if (scale_ == scale) return decimal::LowBits(unscaled_);
  if (scale_ < scale) {
    return decimal::LowBits(decimal::DivideAwayFromZero(unscaled_, scale - scale_));
  }
  return UpstreamProduct(decimal::LowBits(unscaled_), scale_ - scale);
}

// Upstream's scaledValue() on a big number with slow_places_ decimal places, to the bit: negative
// numbers that need rounding go towards zero and then up, and what does not fit is cut.
int64_t Quantity::SlowScaledValue(int scale) const {
  const int widen = scale_ + slow_places_;  // never negative: the places cover every digit
  const int drop = slow_places_ + scale;
  if (drop <= 0) return decimal::LowBitsOfProduct(unscaled_, widen - drop);

  Int128 number = 0;
  const bool small =
      unscaled_ < 0 || (decimal::Multiply(unscaled_, widen, &number) && number < INT64_MAX);
  if (small) {
    const int64_t bits = decimal::LowBitsOfProduct(unscaled_, widen);
    const int64_t divisor = decimal::LowBits(decimal::Power(drop));
    return bits / divisor + (bits % divisor != 0 ? 1 : 0);
  }
  if (scale_ >= scale) return decimal::LowBitsOfProduct(unscaled_, scale_ - scale);
  return decimal::LowBits(decimal::DivideAwayFromZero(unscaled_, scale - scale_));
}

std::optional<int64_t> Quantity::AsInt64() const {
  Int128 value = 0;
  if (!fast_ || scale_ < 0 || !decimal::Multiply(unscaled_, scale_, &value)) return std::nullopt;
  if (!decimal::FitsInt64(value)) return std::nullopt;
  return decimal::LowBits(value);
}

Quantity& Quantity::operator+=(const Quantity& other) {
  spelling_ = {};
  if (IsZero()) format_ = other.format_;
  const bool both_fast = fast_ && other.fast_;
  if (both_fast && other.IsZero()) return *this;
  if (both_fast && IsZero()) {
    unscaled_ = other.unscaled_;
    scale_ = other.scale_;
    return *this;
  }
  const auto places = [](const Quantity& q) { return q.fast_ ? -q.scale_ : q.slow_places_; };
  const int most_places = std::max<int>(places(*this), places(other));
  Int128 theirs = other.unscaled_;
  int scale = Align(&unscaled_, scale_, &theirs, other.scale_);
  // In the fast form each summand must fit as well, not only the sum.
  const bool fit = decimal::FitsInt64(unscaled_) && decimal::FitsInt64(theirs);
  Int128 sum = 0;
  // The least Int128 counts as an overflow as well: it could not be negated.
  constexpr Int128 kLeast = Int128{1} << 127;
  if (__builtin_add_overflow(unscaled_, theirs, &sum) || sum == kLeast) {
    sum = decimal::DivideAwayFromZero(unscaled_, 1) + decimal::DivideAwayFromZero(theirs, 1);
    ++scale;
  }
  unscaled_ = sum;
  scale_ = static_cast<int16_t>(scale);
  fast_ = both_fast && fit && decimal::FitsInt64(sum);
  slow_places_ = static_cast<int16_t>(fast_ ? 0 : most_places);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  return *this += -other;
}

Quantity Quantity::operator-() const {
  Quantity negated = *this;
  negated.unscaled_ = -unscaled_;
  negated.spelling_ = {};
  if (fast_ && !decimal::FitsInt64(negated.unscaled_)) {
    negated.fast_ = false;
    negated.slow_places_ = static_cast<int16_t>(-scale_);
  }
  return negated;
}

std::strong_ordering Quantity::CompareScaled(const Quantity& a, const Quantity& b) {
  const int a_sign = (a.unscaled_ > 0) - (a.unscaled_ < 0);
  const int b_sign = (b.unscaled_ > 0) - (b.unscaled_ < 0);
  if (a_sign != b_sign || a_sign == 0) return a_sign <=> b_sign;
  // Of two numbers with the same sign, the one that Int128 cannot hold at the other's scale is
  // larger.
  Int128 widened = 0;
  if (a.scale_ > b.scale_) {
    const bool fits = decimal::Multiply(a.unscaled_, a.scale_ - b.scale_, &widened);
    return fits ? widened <=> b.unscaled_ : a_sign <=> 0;
  }
  const bool fits = decimal::Multiply(b.unscaled_, b.scale_ - a.scale_, &widened);
  return fits ? a.unscaled_ <=> widened : 0 <=> b_sign;
}

}  // namespace outrigger
