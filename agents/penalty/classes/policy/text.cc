#include "penalty/classes/policy/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "absl/time/time.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::penalty {
namespace {

constexpr const char* kTimeForm = "%Y-%m-%dT%H:%M:%E3SZ";

template <typename Number>
std::optional<Number> Parsed(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> NumberOf(std::string_view text) {
  const std::optional<double> number = Parsed<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<int64_t> IntegerOf(std::string_view text) {
  return Parsed<int64_t>(text);
}

std::string TimeText(Millis time) {
  return absl::FormatTime(kTimeForm, absl::FromUnixMillis(time), absl::UTCTimeZone());
}

std::optional<Millis> TimeOf(std::string_view text) {
  absl::Time time;
  std::string error;
  if (text.size() != 24 || !absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &error)) {
    return std::nullopt;
  }
  const Millis millis = absl::ToUnixMillis(time);
  if (millis < 0 || millis > kEndOfTime || TimeText(millis) != text) return std::nullopt;
  return millis;
}

std::string_view TakeWord(std::string_view* text) {
  const size_t end = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

std::string Quoted(std::string_view text) {
  return fmt::format("\"{}\"", Printable(Shortened(text, 64)));
}

}  // namespace outrigger::penalty
