#include "cel/values/time.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "cel/values/concat.h"
#include "fmt/format.h"

namespace outrigger::cel {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Takes `digits` digits off the front.
std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  for (size_t i = 0; i < digits; ++i) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool Take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// The unit of a part of a duration in nanoseconds, or 0.
int64_t TakeUnit(std::string_view& text) {
  struct Unit {
    std::string_view name;
    int64_t nanoseconds;
  };
  static constexpr Unit kUnits[] = {
      {"ns", 1},         {"us", 1000},   {"\u00b5s", 1000},   {"\u03bcs", 1000},
      {"ms", 1'000'000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond},
  };
  for (const Unit& unit : kUnits) {
    if (Take(text, unit.name)) return unit.nanoseconds;
  }
  return 0;
}

__extension__ using Wide = __int128;

// One part such as "1.5h" in nanoseconds, negative if it is none.
Wide TakePart(std::string_view& text) {
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  size_t digits = 0;
  for (; !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0])); ++digits) {
    whole = whole * 10 + (text[0] - '0');
    if (whole > std::numeric_limits<int64_t>::max()) return -1;
    text.remove_prefix(1);
  }
  if (Take(text, ".")) {
    for (; !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0])); ++digits) {
      if (scale < 1'000'000'000'000'000'000) {
        fraction = fraction * 10 + (text[0] - '0');
        scale *= 10;
      }
      text.remove_prefix(1);
    }
  }
  const Wide unit = digits == 0 ? 0 : TakeUnit(text);
  return unit == 0 ? -1 : whole * unit + fraction * unit / scale;
}

// "Z" or "+hh:mm" in seconds.
std::optional<int64_t> TakeOffset(std::string_view& text) {
  if (Take(text, "Z")) return 0;
  const int sign = Take(text, "+") ? 1 : Take(text, "-") ? -1 : 0;
  const auto hours = TakeNumber(text, 2);
  if (sign == 0 || !hours || !Take(text, ":")) return std::nullopt;
  const auto minutes = TakeNumber(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::optional<uint32_t> TakeFraction(std::string_view& text) {
  if (!Take(text, ".") && !Take(text, ",")) return 0;
  uint32_t value = 0;
  size_t digits = 0;
  for (; !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text[0])); ++digits) {
    if (digits < 9) value = value * 10 + static_cast<uint32_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 9; ++digits) value *= 10;
  return value;
}

// Digits after the point of a number of nanoseconds, without trailing zeros.
std::string FractionText(int64_t nanoseconds) {
  if (nanoseconds == 0) return "";
  std::string text = fmt::format(".{:09}", nanoseconds);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

// "+02:00", "-1:30", "02:00": an offset of a time zone in minutes.
std::optional<int> OffsetMinutes(std::string_view zone) {
  const int sign = Take(zone, "-") ? -1 : 1;
  if (sign == 1) Take(zone, "+");
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  int hours = 0;
  int minutes = 0;
  const auto read = [](std::string_view text, int& number) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size() &&
           number >= 0 && number < 100;
  };
  if (!read(zone.substr(0, colon), hours) || !read(zone.substr(colon + 1), minutes)) {
    return std::nullopt;
  }
  return sign * (hours * 60 + minutes);
}

std::optional<absl::TimeZone> ZoneOf(std::string_view name) {
  if (name.empty() || name == "UTC") return absl::UTCTimeZone();
  if (name.find(':') != std::string_view::npos) {
    const auto minutes = OffsetMinutes(name);
    if (!minutes) return std::nullopt;
    return absl::FixedTimeZone(*minutes * 60);
  }
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(std::string(name), &zone)) return std::nullopt;
  return zone;
}

}  // namespace

std::optional<int64_t> ParseDuration(std::string_view text) {
  const bool negative = Take(text, "-");
  if (!negative) Take(text, "+");
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  Wide sum = 0;
  while (!text.empty()) {
    const Wide part = TakePart(text);
    if (part < 0) return std::nullopt;
    sum += part;
    if (sum > std::numeric_limits<int64_t>::max()) return std::nullopt;
  }
  return static_cast<int64_t>(negative ? -sum : sum);
}

std::string FormatDuration(int64_t nanoseconds) {
  // As many digits as a double needs: upstream formats the seconds as one.
  const double seconds =
      static_cast<double>(nanoseconds / kSecond) + static_cast<double>(nanoseconds % kSecond) / 1e9;
  std::array<char, 64> text = {};
  const auto end = std::to_chars(text.begin(), text.end(), seconds, std::chars_format::fixed);
  return Concat(std::string_view(text.data(), static_cast<size_t>(end.ptr - text.data())), "s");
}

std::optional<Instant> ParseTimestamp(std::string_view text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !Take(text, "-")) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !Take(text, "-")) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day || !Take(text, "T")) return std::nullopt;
  // Go's parser, which decides what Kubernetes accepts, takes hours of one digit.
  auto hour = TakeNumber(text, 2);
  if (!hour) hour = TakeNumber(text, 1);
  if (!hour || !Take(text, ":")) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || !Take(text, ":")) return std::nullopt;
  const auto second = TakeNumber(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const auto fraction = TakeFraction(text);
  const auto offset = TakeOffset(text);
  if (!fraction || !offset || !text.empty()) return std::nullopt;
  const absl::CivilDay date(*year, *month, *day);
  if (date.month() != *month || date.day() != *day) return std::nullopt;
  const int64_t seconds =
      (date - absl::CivilDay(1970, 1, 1)) * 86400 + *hour * 3600 + *minute * 60 + *second - *offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return Instant{seconds, *fraction, static_cast<int16_t>(*offset / 60)};
}

std::string FormatTimestamp(const Instant& instant) {
  const int offset = instant.offset;
  const absl::CivilSecond civil = absl::ToCivilSecond(
      absl::FromUnixSeconds(instant.seconds + offset * 60), absl::UTCTimeZone());
  const std::string zone = offset == 0 ? "Z"
                                       : fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+',
                                                     std::abs(offset) / 60, std::abs(offset) % 60);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}", civil.year(), civil.month(),
                     civil.day(), civil.hour(), civil.minute(), civil.second(),
                     FractionText(instant.nanoseconds), zone);
}

std::optional<DateParts> DateOf(const Instant& instant, std::string_view zone) {
  const auto known = ZoneOf(zone);
  if (!known) return std::nullopt;
  const absl::CivilSecond civil =
      absl::ToCivilSecond(absl::FromUnixSeconds(instant.seconds), *known);
  const absl::CivilDay day(civil);
  const int weekday = (static_cast<int>(absl::GetWeekday(day)) + 1) % 7;  // abseil's Monday is 0
  return DateParts{civil.year(), civil.month(), civil.day(),    absl::GetYearDay(day),
                   weekday,      civil.hour(),  civil.minute(), civil.second()};
}

}  // namespace outrigger::cel
