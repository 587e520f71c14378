#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace outrigger {

/// A Kubernetes resource quantity such as "250m", "1.5Gi" or "2e3", kept exactly.
///
/// Same grammar, same rounding and same canonical text as
/// k8s.io/apimachinery/pkg/api/resource.Quantity: at most nine decimal places (finer digits round
/// away from zero), magnitudes in the unit of the text, suffixes n u m k M G T P E, Ki..Ei, or a
/// decimal exponent. A plain value: copyable, comparable, thread-compatible, no allocation.
class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  /// Zero, in decimal form.
  constexpr Quantity() = default;

  /// Reads `text`. InvalidArgument names the text and what is accepted.
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  static Quantity FromInt(int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(int64_t milli, Format format = Format::kDecimalSI);

  /// The value rounded up (away from zero for negatives) to an integer; 0 where int64 cannot hold
  /// it, as upstream answers, so that Outrigger and kube-scheduler agree on absurd values.
  int64_t Value() const;

  /// The value times 1000, rounded as Value() rounds; 0 where int64 cannot hold it.
  int64_t MilliValue() const;

  /// The value if it is an integer that upstream keeps in its fast form, else nothing.
  std::optional<int64_t> AsInt64() const;

  /// The nearest double; for ratios and display, not for comparisons.
  double ToDouble() const;

  /// The canonical text, equal to upstream's String() for every value that Parse accepts.
  std::string ToString() const;

  bool IsZero() const { return nano_ == 0; }
  Format format() const { return format_; }

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  /// Compares values; the format does not count ("1024" == "1Ki").
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nano_ <=> b.nano_;
  }

 private:
  __extension__ using Int128 = __int128;

  Int128 nano_ = 0;  // value times 10^9
  Format format_ = Format::kDecimalSI;
};

}  // namespace outrigger
