#include "outrigger/k8s/quantity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"

namespace outrigger::decimal {
namespace {

// Arithmetic on 128-bit integers and powers of ten, shared by the parts of Quantity.

__extension__ using Int128 = __int128;

constexpr int kMaxDigits = 38;  // 10^38 is the largest power of ten that Int128 holds

constexpr std::array<Int128, kMaxDigits + 1> kPowers = [] {
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
bool Multiply(Int128 value, int exponent, Int128* product) {
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
Int128 DivideAwayFromZero(Int128 value, int exponent) {
  const Int128 away = value > 0 ? 1 : -1;
  if (exponent > kMaxDigits) return value == 0 ? 0 : away;
  const Int128 quotient = value / Power(exponent);
  return value % Power(exponent) == 0 ? quotient : quotient + away;
}

bool FitsInt64(Int128 value) {
  return value >= INT64_MIN && value <= INT64_MAX;
}

// The low 64 bits, as Go's big.Int.Int64() cuts a number that does not fit.
int64_t LowBits(Int128 value) {
  return static_cast<int64_t>(static_cast<uint64_t>(value));
}

// The low 64 bits of value * 10^exponent for exponent >= 0.
int64_t LowBitsOfProduct(Int128 value, int exponent) {
  if (exponent >= 64) return 0;  // 2^64 divides 10^64
  auto bits = static_cast<uint64_t>(value);
  for (int i = 0; i < exponent; ++i) bits *= 10;
  return static_cast<int64_t>(bits);
}

// Takes factors of ten out of `value`; returns how many.
int StripZeros(Int128* value) {
  int stripped = 0;
  while (*value != 0 && *value % 10 == 0) {
    *value /= 10;
    ++stripped;
  }
  return stripped;
}

}  // namespace

}  // namespace outrigger::decimal

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

constexpr size_t kMaxText = 255;
constexpr size_t kShown = 40;  // of a refused text
constexpr size_t kMaxExponentDigits = 3;
constexpr int kNano = -9;
constexpr size_t kFastDigits = 18;  // as many as always fit int64

constexpr const char* kGrammar =
    "want digits with an optional sign, point, and suffix (n u m k M G T P E Ki Mi Gi Ti Pi Ei, or "
    "an exponent such as e3)";
constexpr const char* kTooLong = "longer than 255 characters";
constexpr const char* kTooLargeExponent = "exponent beyond 999";
constexpr const char* kTooManyDigits = "more than 38 significant digits";

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

size_t CountDigits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

uint64_t ReadDigits(std::string_view digits, uint64_t before = 0) {
  for (const char c : digits) before = before * 10 + static_cast<uint64_t>(c - '0');
  return before;
}

std::string_view TakeDigits(std::string_view* text) {
  const std::string_view digits = text->substr(0, CountDigits(*text));
  text->remove_prefix(digits.size());
  return digits;
}

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

// Mirrors upstream's ParseQuantity step by step, since callers see which of its two paths was
// taken. Each step returns nullptr or what is wrong with the text.
class Quantity::Parser {
 public:
  const char* Run(std::string_view text, Quantity* out);

 private:
  void SplitNumber(std::string_view* text);
  const char* ReadSuffix(std::string_view suffix);
  const char* ReadExponent(std::string_view text);
  bool ReadFast(Quantity* out);
  const char* ReadSlow(Quantity* out) const;
  const char* ReadSlowDecimal(Quantity* out) const;
  void ReadSlowBinary(Quantity* out) const;
  bool Append(char digit, decimal::Int128* value, int* pending_zeros) const;

  bool negative_ = false;
  size_t zeros_ = 0;  // leading ones
  bool has_point_ = false;
  std::string_view whole_;  // without leading zeros
  std::string_view fraction_;
  Format format_ = Format::kDecimalSI;
  int exponent_ = 0;  // of 2 for a binary suffix, else of 10
  Spelling spelling_;
};

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  Quantity quantity;
  if (const char* fault = Parser().Run(text, &quantity); fault != nullptr) {
    const std::string shown =
        absl::Utf8SafeCHexEscape({text.data(), std::min(text.size(), kShown)});
    return absl::InvalidArgumentError(
        fmt::format("quantity \"{}{}\": {}", shown, text.size() > kShown ? "..." : "", fault));
  }
  return quantity;
}

const char* Quantity::Parser::Run(std::string_view text, Quantity* out) {
  if (text.empty()) return kGrammar;
  if (text.size() > kMaxText) return kTooLong;
  SplitNumber(&text);
  if (const char* fault = ReadSuffix(text); fault != nullptr) return fault;
  out->format_ = format_;
  return ReadFast(out) ? nullptr : ReadSlow(out);
}

void Quantity::Parser::SplitNumber(std::string_view* text) {
  if (text->front() == '-' || text->front() == '+') {
    negative_ = text->front() == '-';
    spelling_.plus = !negative_;
    text->remove_prefix(1);
  }
  zeros_ = std::min(text->find_first_not_of('0'), text->size());
  text->remove_prefix(zeros_);
  whole_ = TakeDigits(text);
  if (!text->empty() && text->front() == '.') {
    has_point_ = true;
    text->remove_prefix(1);
    fraction_ = TakeDigits(text);
  }
}

const char* Quantity::Parser::ReadSuffix(std::string_view suffix) {
  constexpr std::string_view kDecimal = "num kMGTPE";
  constexpr std::string_view kBinary = "KMGTPE";
  if (suffix.empty()) return nullptr;
  if (suffix.size() == 1) {
    const size_t at = kDecimal.find(suffix[0]);
    if (at == std::string_view::npos || suffix[0] == ' ') return kGrammar;
    exponent_ = 3 * static_cast<int>(at) + kNano;
    return nullptr;
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const size_t at = kBinary.find(suffix[0]);
    if (at == std::string_view::npos) return kGrammar;
    format_ = Format::kBinarySI;
    exponent_ = 10 * (static_cast<int>(at) + 1);
    return nullptr;
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return kGrammar;
  format_ = Format::kDecimalExponent;
  spelling_.exponent_mark = suffix[0];
  return ReadExponent(suffix.substr(1));
}

const char* Quantity::Parser::ReadExponent(std::string_view text) {
  if (text[0] == '+' || text[0] == '-') {
    spelling_.exponent_sign = text[0];
    text.remove_prefix(1);
  }
  if (text.empty() || CountDigits(text) != text.size()) return kGrammar;
  // The last digit stays even where all are zeros.
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
  spelling_.exponent_zeros = static_cast<uint8_t>(zeros);
  text.remove_prefix(zeros);
  if (text.size() > kMaxExponentDigits) return kTooLargeExponent;
  exponent_ = static_cast<int>(ReadDigits(text));
  if (spelling_.exponent_sign == '-') exponent_ = -exponent_;
  return nullptr;
}

bool Quantity::Parser::ReadFast(Quantity* out) {
  const size_t digits = std::max<size_t>(whole_.size(), 1) + fraction_.size();
  int scale = 0;
  if (format_ == Format::kBinarySI) {
    // Upstream's estimate: 15 digits in all, of which the suffix takes 3 per 2^10, and one spare.
    if (!fraction_.empty() || digits + static_cast<size_t>(exponent_) * 3 / 10 > 14) return false;
  } else {
    scale = exponent_ - static_cast<int>(fraction_.size());
    if (digits > kFastDigits || scale < kNano) return false;
  }
  const uint64_t value = ReadDigits(fraction_, ReadDigits(whole_));
  const bool binary = format_ == Format::kBinarySI;
  const auto amount = static_cast<int64_t>(binary ? value << exponent_ : value);
  out->unscaled_ = negative_ ? -amount : amount;
  out->scale_ = static_cast<int16_t>(scale);
  // What upstream takes for canonical, and therefore prints as it came.
  spelling_.repeated =
      binary ? (value & 7) != 0 : scale % 3 == 0 && !whole_.empty() && value % 1000 != 0;
  spelling_.zeros = static_cast<uint8_t>(zeros_);
  spelling_.point = static_cast<uint8_t>(has_point_ ? 1 + fraction_.size() : 0);
  if (spelling_.repeated) out->spelling_ = spelling_;
  return true;
}

const char* Quantity::Parser::ReadSlow(Quantity* out) const {
  if (whole_.empty() && zeros_ == 0 && fraction_.empty()) return kGrammar;
  out->fast_ = false;
  out->slow_places_ = -kNano;
  if (format_ == Format::kBinarySI) {
    ReadSlowBinary(out);
  } else if (const char* fault = ReadSlowDecimal(out); fault != nullptr) {
    return fault;
  }
  if (negative_) out->unscaled_ = -out->unscaled_;
  return nullptr;
}

// Appends a digit; zeros are held back until a digit follows them, so that they need no room.
bool Quantity::Parser::Append(char digit, decimal::Int128* value, int* pending_zeros) const {
  if (digit == '0') {
    *pending_zeros += *value != 0 ? 1 : 0;
    return true;
  }
  if (!decimal::Multiply(*value, *pending_zeros + 1, value)) return false;
  *pending_zeros = 0;
  return !__builtin_add_overflow(*value, digit - '0', value) &&
         *value < decimal::Power(decimal::kMaxDigits);
}

const char* Quantity::Parser::ReadSlowDecimal(Quantity* out) const {
  const size_t digits = whole_.size() + fraction_.size();
  int scale = exponent_ - static_cast<int>(fraction_.size());
  const auto too_fine = static_cast<size_t>(std::max(0, kNano - scale));
  const size_t kept = digits > too_fine ? digits - too_fine : 0;
  scale += static_cast<int>(too_fine);

  decimal::Int128 value = 0;
  int pending_zeros = 0;
  bool round_up = false;
  for (size_t i = 0; i < digits; ++i) {
    const char digit = i < whole_.size() ? whole_[i] : fraction_[i - whole_.size()];
    if (i >= kept) {
      round_up = round_up || digit != '0';
    } else if (!Append(digit, &value, &pending_zeros)) {
      return kTooManyDigits;
    }
  }
  if (round_up) {
    if (!decimal::Multiply(value, pending_zeros, &value)) return kTooManyDigits;
    if (++value > decimal::Power(decimal::kMaxDigits)) return kTooManyDigits;
    pending_zeros = 0;
  }
  out->unscaled_ = value;
  out->scale_ = static_cast<int16_t>(value == 0 ? 0 : scale + pending_zeros);
  return nullptr;
}

void Quantity::Parser::ReadSlowBinary(Quantity* out) const {
  constexpr decimal::Int128 kOne = 1'000'000'000;  // in billionths
  constexpr decimal::Int128 kCap = kOne * INT64_MAX;
  const uint64_t whole = whole_.size() <= kFastDigits ? ReadDigits(whole_) : INT64_MAX;
  const decimal::Int128 unit = kOne << exponent_;
  decimal::Int128 nano = kCap + 1;
  if (whole <= static_cast<uint64_t>(INT64_MAX) >> exponent_) {
    // Horner's rule from the last digit; floors nest, so only whether anything was cut matters.
    decimal::Int128 part = 0;
    bool cut = false;
    for (auto digit = fraction_.rbegin(); digit != fraction_.rend(); ++digit) {
      part += unit * (*digit - '0');
      cut = cut || part % 10 != 0;
      part /= 10;
    }
    nano = unit * whole + part + (cut ? 1 : 0);
  }
  if (nano > kCap) {
    out->unscaled_ = INT64_MAX;
    out->slow_places_ = 0;
    return;
  }
  if (nano > 0 && nano < kOne) out->format_ = Format::kDecimalSI;
  const bool integral = nano % kOne == 0;
  out->unscaled_ = integral ? nano / kOne : nano;
  out->scale_ = static_cast<int16_t>(integral ? 0 : kNano);
}

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
