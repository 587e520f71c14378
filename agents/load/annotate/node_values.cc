#include "load/annotate/node_values.h"

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "fmt/format.h"

namespace outrigger::annotate {

std::string PrintMeasurement(const Measurement& measurement) {
  return fmt::format("{}/{}s",
                     absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(measurement.end),
                                      absl::UTCTimeZone()),
                     measurement.window);
}

std::optional<Measurement> ParseMeasurement(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || !text.ends_with('s')) return std::nullopt;
  const std::string end(text.substr(0, slash));
  const std::string window(text.substr(slash + 1, text.size() - slash - 2));
  Measurement measurement;
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, end, &time, &error)) return std::nullopt;
  if (!absl::SimpleAtoi(window, &measurement.window) || measurement.window <= 0) {
    return std::nullopt;
  }
  measurement.end = absl::ToUnixSeconds(time);
  return measurement;
}

}  // namespace outrigger::annotate
