#include "load/annotate/original_decimal.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace outrigger::annotate {
namespace {

__extension__ using Int128 = __int128;

constexpr std::string_view kLarge = "kMGTPE";
constexpr std::string_view kSmall = "mun";
// Python's context keeps 28 digits; more than that is not needed of amounts of a cluster.
constexpr size_t kMostDigits = 28;
constexpr int kMostExponent = 24;
constexpr int kMostWritten = 1000;  // of an exponent; digits after a point take from it

constexpr Int128 kLargest = ((Int128{1} << 126) - 1) * 2 + 1;

// Absurd amounts are the largest there is, which has a negative, too.
Int128 Product(Int128 a, Int128 b) {
  Int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kLargest : -kLargest;
  return std::max(product, -kLargest);
}

Int128 Sum(Int128 a, Int128 b) {
  Int128 sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a < 0 ? -kLargest : kLargest;
  return std::max(sum, -kLargest);
}

// The value of amounts that a cluster has fits; absurd ones are cut.
Int128 Scaled(Int128 value, int exponent) {
  for (; exponent > 0; --exponent) {
    Int128 scaled = 0;
    if (__builtin_mul_overflow(value, Int128{10}, &scaled)) return value;
    value = scaled;
  }
  return value;
}

// The exponent of 1000 or 1024 that a letter stands for; nothing: it is none.
std::optional<int> PowerOf(char letter) {
  if (letter == 'K') return 1;
  if (const size_t at = kLarge.find(letter); at != std::string_view::npos) {
    return static_cast<int>(at) + 1;
  }
  if (const size_t at = kSmall.find(letter); at != std::string_view::npos) {
    return -1 - static_cast<int>(at);
  }
  return std::nullopt;
}

struct Suffixed {
  std::string_view number;
  int power = 0;
  bool is_binary = false;
};

std::optional<Suffixed> Split(std::string_view text) {
  Suffixed split{text};
  if (text.size() >= 2 && text.ends_with('i') && PowerOf(text[text.size() - 2])) {
    const char letter = text[text.size() - 2];
    if (letter == 'k' || *PowerOf(letter) < 0) return std::nullopt;
    return Suffixed{text.substr(0, text.size() - 2), *PowerOf(letter), true};
  }
  if (!text.empty() && PowerOf(text.back())) {
    split = {text.substr(0, text.size() - 1), *PowerOf(text.back()), false};
  }
  return split;
}

std::string DigitsOf(Int128 value) {
  std::string digits;
  for (Int128 rest = value < 0 ? -value : value; rest > 0; rest /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (digits.empty()) digits = "0";
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::optional<OriginalDecimal> OriginalDecimal::Parse(std::string_view quantity) {
  const auto split = Split(quantity);
  if (!split) return std::nullopt;
  std::string_view number = split->number;
  int exponent = 0;
  if (const size_t mark = number.find_first_of("eE"); mark != std::string_view::npos) {
    const std::string_view text = number.substr(mark + 1);
    if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &exponent)) {
      return std::nullopt;
    }
    if (exponent < -kMostWritten || exponent > kMostWritten) return std::nullopt;
    number = number.substr(0, mark);
  }
  const bool is_negative = number.starts_with('-');
  if (is_negative || number.starts_with('+')) number.remove_prefix(1);
  Int128 value = 0;
  bool after_point = false;
  size_t digits = 0;
  for (const char c : number) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > kMostDigits) return std::nullopt;
    value = value * 10 + (c - '0');
    if (after_point) --exponent;
  }
  if (digits == 0 || std::abs(exponent) > kMostExponent) return std::nullopt;
  OriginalDecimal decimal(is_negative ? -value : value, exponent);
  if (!split->is_binary) {
    // 1000 ** 2 is 1000000, with the exponent 0; 1000 ** -1 is 0.001.
    const int places = split->power * 3;
    return decimal *
           (places < 0 ? OriginalDecimal(1, places) : OriginalDecimal(Scaled(1, places), 0));
  }
  return decimal * OriginalDecimal(Int128{1} << (10 * split->power), 0);
}

OriginalDecimal OriginalDecimal::operator+(const OriginalDecimal& other) const {
  const int exponent = std::min(exponent_, other.exponent_);
  return {Sum(Scaled(unscaled_, exponent_ - exponent),
              Scaled(other.unscaled_, other.exponent_ - exponent)),
          exponent};
}

OriginalDecimal OriginalDecimal::operator-(const OriginalDecimal& other) const {
  return *this + OriginalDecimal(-other.unscaled_, other.exponent_);
}

OriginalDecimal OriginalDecimal::operator*(const OriginalDecimal& other) const {
  return {Product(unscaled_, other.unscaled_), exponent_ + other.exponent_};
}

int64_t OriginalDecimal::Truncated() const {
  Int128 value = Scaled(unscaled_, exponent_);
  for (int exponent = exponent_; exponent < 0; ++exponent) value /= 10;
  return static_cast<int64_t>(std::clamp<Int128>(value, INT64_MIN, INT64_MAX));
}

std::string OriginalDecimal::ToString() const {
  std::string digits = DigitsOf(unscaled_);
  const std::string sign = unscaled_ < 0 ? "-" : "";
  const int adjusted = exponent_ + static_cast<int>(digits.size()) - 1;
  if (exponent_ <= 0 && adjusted >= -6) {
    const auto places = static_cast<size_t>(-exponent_);
    if (places == 0) return sign + digits;
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    return sign + digits.insert(digits.size() - places, ".");
  }
  if (digits.size() > 1) digits.insert(1, ".");
  return sign + digits + (adjusted < 0 ? "E" : "E+") + std::to_string(adjusted);
}

}  // namespace outrigger::annotate
