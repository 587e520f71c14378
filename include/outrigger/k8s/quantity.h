#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace outrigger {

/// A Kubernetes resource quantity such as "250m", "1.5Gi" or "2e3", kept exactly.
///
/// Same grammar, rounding and texts as k8s.io/apimachinery/pkg/api/resource.Quantity v0.36:
/// suffixes n u m k M G T P E, Ki..Ei or a decimal exponent; digits finer than a billionth round
/// away from zero; amounts with a binary suffix are capped at 2^63 - 1. Also the same answers on
/// absurd values, so that Outrigger and kube-scheduler never disagree: upstream keeps most
/// quantities in a *fast* form (an int64 times a power of ten) and the others in a slow one, and
/// its answers past int64 depend on the form.
///
/// Beyond upstream, what would cost unbounded time or memory is refused: texts of more than 255
/// characters, exponents beyond ±999, and more than 38 significant digits.
///
/// A plain value: trivially copyable, no allocation, thread-compatible.
class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  /// Zero, in decimal form.
  constexpr Quantity() = default;

  /// Reads `text`. InvalidArgument names the text and what is accepted. Blanks are not accepted:
  /// upstream trims them where it reads JSON, not here.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  static Quantity FromInt(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSI);

  /// The value rounded up (away from zero for negatives) to an integer. Where int64 cannot hold it,
  /// upstream's answer: 0 or the low 64 bits, by form and suffix (0 for "10E"). The slow form
  /// rounds negative fractions up, as upstream's does: 0 for "-1.50000000000".
  int64_t Value() const { return ScaledValue(0); }

  /// The value times 1000, rounded as Value() rounds, with the same caveats: 0 for "1E".
  int64_t MilliValue() const { return ScaledValue(-3); }

  /// The value if upstream keeps it in the fast form and without decimal places, else nothing:
  /// nothing for "1.0" and for "1Pi".
  std::optional<int64_t> AsInt64() const;

  /// The nearest double (infinite beyond its range); for ratios and display, not for comparisons.
  double ToDouble() const;

  /// Upstream's String(): of a value just parsed the text itself where upstream keeps it ("1.234",
  /// "+5"), otherwise the canonical text, with the largest suffix that needs no fraction ("1536Mi"
  /// for "1.5Gi"). Upstream drops a power of ten that has no suffix: "1000E" prints as "1".
  std::string ToString() const;

  bool IsZero() const { return unscaled_ == 0; }
  Format format() const { return format_; }

  /// Exact up to 38 significant digits; finer digits round away from zero. As upstream, a sum takes
  /// the format of the first operand, or of the second where the first is zero.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  Quantity operator-() const;

  /// Compares values, exactly; the format does not count ("1024" == "1Ki").
  friend bool operator==(const Quantity& a, const Quantity& b) { return std::is_eq(a <=> b); }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.scale_ == b.scale_ ? a.unscaled_ <=> b.unscaled_ : CompareScaled(a, b);
  }

 private:
  __extension__ using Int128 = __int128;
  class Parser;
  friend class QuantityCodec;  // for storage that keeps quantities to the bit; no part of the SDK

  // How the number was written, where upstream's String() repeats the text. Digits and suffix are
  // in the value; this is the rest.
  struct Spelling {
    bool repeated = false;
    bool plus = false;
    uint8_t zeros = 0;           // leading zeros
    uint8_t point = 0;           // 0 without a point, else 1 + digits after it
    char exponent_mark = 0;      // 'e', 'E'
    char exponent_sign = 0;      // '+', '-', or none
    uint8_t exponent_zeros = 0;  // leading zeros of the exponent
  };

  int64_t ScaledValue(int scale) const;
  int64_t SlowScaledValue(int scale) const;
  std::string SpelledText() const;
  static std::strong_ordering CompareScaled(const Quantity& a, const Quantity& b);

  // The value is unscaled_ * 10^scale_, with scale_ in -9..999 after parsing. In the fast form both
  // are upstream's, and unscaled_ fits int64.
  Int128 unscaled_ = 0;
  int16_t scale_ = 0;
  bool fast_ = true;
  // The slow form: how many decimal places upstream's unscaled number has, on which its answers
  // past int64 depend.
  int16_t slow_places_ = 0;
  Format format_ = Format::kDecimalSI;
  Spelling spelling_;
};

}  // namespace outrigger
