#include "apiserver/types/scalars.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kQuantityProblem =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

// From 0000-01-01 to the end of 9999. Go's zero time is 0001-01-01.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;
constexpr int64_t kZeroTime = -62'135'596'800;

bool IsTimeDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view TrimmedQuantity(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t from = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(from);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Reads a time as Go's time.Parse does, which names the first part that does not fit.
class TimeParser {
 public:
  TimeParser(std::string_view text, bool micro) : text_(text), rest_(text), micro_(micro) {}

  std::optional<std::string> Parse(int64_t* seconds, int64_t* nanoseconds) {
    std::array<int, 6> numbers = {};  // year, month, day, hour, minute, second
    auto number = numbers.begin();
    for (const std::string_view part :
         {"2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"}) {
      const bool is_number = IsTimeDigit(part[0]);
      const std::string_view digits = rest_.substr(0, part.size());
      const bool fits = is_number ? digits.size() == part.size() &&
                                        std::all_of(digits.begin(), digits.end(), IsTimeDigit)
                                  : digits == part;
      if (!fits) return Mismatch(part);
      if (is_number) std::from_chars(digits.data(), digits.data() + digits.size(), *number++);
      rest_.remove_prefix(part.size());
    }
    if (!ReadFraction(nanoseconds)) return Mismatch(".000000");
    int zone = 0;  // seconds east
    if (!ReadZone(&zone)) return Mismatch("Z07:00");
    if (!rest_.empty()) return Problem(fmt::format("extra text: \"{}\"", rest_));
    return SecondsOf(numbers, zone, seconds);
  }

 private:
  std::optional<std::string> SecondsOf(const std::array<int, 6>& numbers, int zone,
                                       int64_t* seconds) const {
    const std::chrono::year_month_day day{std::chrono::year{numbers[0]},
                                          std::chrono::month{static_cast<unsigned>(numbers[1])},
                                          std::chrono::day{static_cast<unsigned>(numbers[2])}};
    if (!day.month().ok()) return Problem("month out of range");
    if (!day.ok()) return Problem("day out of range");
    if (numbers[3] > 23) return Problem("hour out of range");
    if (numbers[4] > 59) return Problem("minute out of range");
    if (numbers[5] > 59) return Problem("second out of range");
    *seconds = int64_t{std::chrono::sys_days(day).time_since_epoch().count()} * 86'400 +
               int64_t{numbers[3]} * 3600 + int64_t{numbers[4]} * 60 + numbers[5] - zone;
    return std::nullopt;
  }

  bool ReadFraction(int64_t* nanoseconds) {
    size_t digits = 0;
    if (rest_.starts_with('.')) {
      digits = std::min(rest_.find_first_not_of("0123456789", 1), rest_.size()) - 1;
    }
    if (micro_ && digits < 6) return false;
    if (micro_) digits = 6;
    *nanoseconds = 0;
    for (size_t i = 1; i <= 9; ++i) {
      *nanoseconds = *nanoseconds * 10 + (i <= digits ? rest_[i] - '0' : 0);
    }
    rest_.remove_prefix(digits == 0 ? 0 : digits + 1);
    return true;
  }

  bool ReadZone(int* zone) {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    const std::string_view text = rest_.substr(0, 6);
    const bool fits = text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
                      IsTimeDigit(text[1]) && IsTimeDigit(text[2]) && IsTimeDigit(text[4]) &&
                      IsTimeDigit(text[5]);
    if (!fits) return false;
    const auto two = [text](size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
    *zone = (text[0] == '-' ? -60 : 60) * (two(1) * 60 + two(4));
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string Mismatch(std::string_view layout) const {
    return fmt::format(
        "parsing time \"{}\" as \"2006-01-02T15:04:05{}Z07:00\": cannot parse \"{}\" as \"{}\"",
        text_, micro_ ? ".000000" : "", rest_, layout);
  }

  std::string Problem(std::string_view why) const {
    return fmt::format("parsing time \"{}\": {}", text_, why);
  }

  std::string_view text_;
  std::string_view rest_;
  bool micro_;
};

bool IsBase64Digit(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/';
}

// Where Go finds base64 to be wrong.
std::optional<size_t> WrongBase64(std::string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), IsBase64Digit);
  const auto at = static_cast<size_t>(first - text.begin());
  const std::string_view padding = text.substr(at);
  if (padding.find_first_not_of('=') != std::string_view::npos) return at;
  if (text.size() % 4 != 0 || padding.size() > 2) return text.size() / 4 * 4;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ConformQuantity(std::string* text) {
  const auto quantity = Quantity::Parse(TrimmedQuantity(*text));
  if (!quantity.ok()) return kQuantityProblem;
  *text = quantity->ToString();
  return std::nullopt;
}

std::optional<std::string> ConformTime(bool micro, std::string* text) {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  if (auto problem = TimeParser(*text, micro).Parse(&seconds, &nanoseconds)) return problem;
  auto canonical = TimeText(seconds, nanoseconds, micro);
  if (!canonical) return fmt::format("parsing time \"{}\": year outside of range [0,9999]", *text);
  *text = *std::move(canonical);
  return std::nullopt;
}

std::optional<std::string> ConformBase64(std::string* text) {
  std::string whole = *text;
  std::erase_if(whole, [](char c) { return c == '\n' || c == '\r'; });
  const auto wrong = WrongBase64(whole);
  std::string bytes;
  if (wrong || !absl::Base64Unescape(whole, &bytes)) {
    return fmt::format("illegal base64 data at input byte {}", wrong.value_or(0));
  }
  absl::Base64Escape(bytes, text);
  return std::nullopt;
}

std::optional<std::string> TimeText(int64_t seconds, int64_t nanoseconds, bool micro) {
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  if (seconds == kZeroTime && nanoseconds == 0) return "";
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day day(midnight);
  const std::chrono::hh_mm_ss clock(time - midnight);
  const std::string fraction = micro ? fmt::format(".{:06}", nanoseconds / 1000) : "";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     fraction);
}

}  // namespace outrigger::apiserver
