#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "decimal.h"
#include "fmt/format.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger {
namespace {

constexpr std::array<std::string_view, 10> kDecimalSuffixes = {"n", "u", "m", "",  "k",
                                                               "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"",   "Ki", "Mi", "Gi",
                                                             "Ti", "Pi", "Ei"};

// The suffix of 10^exponent, an odd power of a thousand; empty beyond E, as upstream.
std::string_view DecimalSuffix(int exponent) {
  const auto at = static_cast<size_t>((exponent + 9) / 3);
  return at < kDecimalSuffixes.size() ? kDecimalSuffixes[at] : "";
}

std::string DecimalText(decimal::Int128 value, int exponent, bool with_exponent) {
  exponent += decimal::StripZeros(&value);
  std::string text = fmt::format("{}", value);
  for (; exponent % 3 != 0; --exponent) text += '0';
  if (!with_exponent) return text.append(DecimalSuffix(exponent));
  return exponent == 0 ? text : text + fmt::format("e{}", exponent);
}

// The text of an integer in powers of 1024.
std::string BinaryText(decimal::Int128 value) {
  size_t power = 0;
  for (; value % 1024 == 0; value /= 1024) ++power;
  return fmt::format("{}{}", value, power < kBinarySuffixes.size() ? kBinarySuffixes[power] : "");
}

// Whether value * 10^scale is an integer that Int128 holds; then `integer` is that.
bool IsInteger(decimal::Int128 value, int scale, decimal::Int128* integer) {
  if (scale >= 0) return decimal::Multiply(value, scale, integer);
  *integer = value / decimal::Power(-scale);
  return value % decimal::Power(-scale) == 0;
}

}  // namespace

std::string Quantity::ToString() const {
  if (IsZero()) return "0";
  if (spelling_.repeated) return SpelledText();
  // Small amounts and fractions would lose digits in powers of 1024.
  Int128 integer = 0;
  if (format_ == Format::kBinarySI && IsInteger(unscaled_, scale_, &integer) &&
      (integer <= -1024 || integer >= 1024)) {
    return BinaryText(integer);
  }
  return DecimalText(unscaled_, scale_, format_ == Format::kDecimalExponent);
}

std::string Quantity::SpelledText() const {
  auto magnitude = static_cast<uint64_t>(unscaled_ < 0 ? -unscaled_ : unscaled_);
  const int places = spelling_.point == 0 ? 0 : spelling_.point - 1;
  const int exponent = scale_ + places;
  std::string suffix;
  if (format_ == Format::kBinarySI) {
    // Fewer than three of the factors of two are the digits' own.
    const int power = std::countr_zero(magnitude) / 10;
    magnitude >>= 10 * power;
    suffix = kBinarySuffixes[static_cast<size_t>(power)];
  } else if (format_ == Format::kDecimalSI) {
    suffix = DecimalSuffix(exponent);
  } else {
    suffix += spelling_.exponent_mark;
    if (spelling_.exponent_sign != 0) suffix += spelling_.exponent_sign;
    suffix.append(spelling_.exponent_zeros, '0');
    suffix += fmt::format("{}", exponent < 0 ? -exponent : exponent);
  }
  std::string digits = fmt::format("{}", magnitude);
  if (spelling_.point != 0) digits.insert(digits.size() - static_cast<size_t>(places), 1, '.');
  const std::string_view sign = unscaled_ < 0 ? "-" : spelling_.plus ? "+" : "";
  return fmt::format("{}{}{}{}", sign, std::string(spelling_.zeros, '0'), digits, suffix);
}

double Quantity::ToDouble() const {
  // One rounding only: both factors are exact in this range.
  constexpr Int128 kExact = Int128{1} << std::numeric_limits<double>::digits;
  if (unscaled_ >= -kExact && unscaled_ <= kExact && scale_ >= -22 && scale_ <= 22) {
    const auto value = static_cast<double>(unscaled_);
    return scale_ >= 0 ? value * static_cast<double>(decimal::Power(scale_))
                       : value / static_cast<double>(decimal::Power(-scale_));
  }
  const std::string text = fmt::format("{}e{}", unscaled_, scale_);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
    return value;
  return unscaled_ < 0 ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
}

}  // namespace outrigger
