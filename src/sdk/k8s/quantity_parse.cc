#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "decimal.h"
#include "fmt/format.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger {
namespace {

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

}  // namespace

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

}  // namespace outrigger
