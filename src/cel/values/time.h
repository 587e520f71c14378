#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::cel {

/// A point in time: seconds since 1970 (UTC), nanoseconds after them.
struct Instant {
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;
  int16_t offset = 0;  // of the zone in which it is written, in minutes
};

/// Years 1 to 9999, the limits of a timestamp.
inline constexpr int64_t kFirstSecond = -62135596800;
inline constexpr int64_t kLastSecond = 253402300799;

/// Nanoseconds of a text such as "1h30m", "-1.5s", "100us" (units h, m, s, ms, us or µs, ns), "0".
/// Nothing where it is malformed or beyond 292 years.
std::optional<int64_t> ParseDuration(std::string_view text);

/// Seconds with as many decimal places as needed: "5400s", "1.5s".
std::string FormatDuration(int64_t nanoseconds);

/// RFC 3339, such as "2024-04-30T12:00:00.5+02:00", within years 1 to 9999.
std::optional<Instant> ParseTimestamp(std::string_view text);

/// RFC 3339 in the zone of the instant.
std::string FormatTimestamp(const Instant& instant);

/// The parts of a date in a time zone.
struct DateParts {
  int64_t year = 0;
  int month = 1;        // 1 to 12
  int day = 1;          // 1 to 31
  int day_of_year = 1;  // 1 to 366
  int weekday = 0;      // 0 is Sunday
  int hour = 0;
  int minute = 0;
  int second = 0;
};

/// `zone`: "UTC", a name of the time zone database ("Europe/Paris"), or an offset ("+02:00",
/// "-1:30"). Nothing if there is none such.
std::optional<DateParts> DateOf(const Instant& instant, std::string_view zone);

}  // namespace outrigger::cel
