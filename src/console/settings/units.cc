#include "console/settings/units.h"

#include "absl/time/time.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cli {
namespace {

absl::Status NotAUnit(std::string_view accepted) {
  return absl::InvalidArgumentError(absl::string_view(accepted.data(), accepted.size()));
}

}  // namespace

absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  absl::Duration duration;
  const bool parsed = absl::ParseDuration(absl::string_view(text.data(), text.size()), &duration);
  if (!parsed || duration < absl::ZeroDuration() || duration > absl::Hours(1)) {
    return NotAUnit(kAcceptedDuration);
  }
  return absl::ToChronoMilliseconds(duration);
}

std::string PrintDuration(std::chrono::milliseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

absl::StatusOr<size_t> ParseSize(std::string_view text) {
  constexpr double kSmallest = 1 << 10;
  constexpr double kLargest = 2.0 * (1 << 30);
  const absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) return NotAUnit(kAcceptedSize);
  const double bytes = quantity->ToDouble();
  if (!(bytes >= kSmallest && bytes <= kLargest)) return NotAUnit(kAcceptedSize);
  return static_cast<size_t>(quantity->Value());
}

}  // namespace outrigger::cli
