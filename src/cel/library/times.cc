#include <array>
#include <optional>

#include "cel/library/function.h"
#include "cel/values/time.h"

namespace outrigger::cel {
namespace times {
namespace {

using Args = std::span<const Value>;

// A part of a date; kNoSuchOverload if the arguments are no timestamp with or without a zone.
template <typename Part>
Value DatePart(Args args, std::string_view name, Part part) {
  if (!args[0].Is(Kind::kTimestamp) || (args.size() == 2 && !args[1].Is(Kind::kString))) {
    return NoSuchOverload(name);
  }
  const std::string_view zone = args.size() == 2 ? args[1].text() : std::string_view("UTC");
  const auto date = DateOf({args[0].seconds(), args[0].subsecond()}, zone);
  if (!date) return Value::Error(ErrorCode::kInvalidArgument, "unknown time zone");
  return Value::Int(part(*date));
}

// A part of a date, or the whole of a duration in units of `nanoseconds`.
template <typename Part>
Value DateOrDuration(Args args, std::string_view name, int64_t nanoseconds, Part part) {
  if (args.size() == 1 && args[0].Is(Kind::kDuration)) {
    return Value::Int(args[0].nanoseconds() / nanoseconds);
  }
  return DatePart(args, name, part);
}

Value FullYear(Evaluation&, Args args) {
  return DatePart(args, "getFullYear", [](const DateParts& date) { return date.year; });
}
Value Month(Evaluation&, Args args) {
  return DatePart(args, "getMonth", [](const DateParts& date) { return date.month - 1; });
}
Value DayOfYear(Evaluation&, Args args) {
  return DatePart(args, "getDayOfYear", [](const DateParts& date) { return date.day_of_year - 1; });
}
Value DayOfMonth(Evaluation&, Args args) {
  return DatePart(args, "getDayOfMonth", [](const DateParts& date) { return date.day - 1; });
}
Value Date(Evaluation&, Args args) {
  return DatePart(args, "getDate", [](const DateParts& date) { return date.day; });
}
Value DayOfWeek(Evaluation&, Args args) {
  return DatePart(args, "getDayOfWeek", [](const DateParts& date) { return date.weekday; });
}
Value Hours(Evaluation&, Args args) {
  return DateOrDuration(args, "getHours", 3'600'000'000'000,
                        [](const DateParts& date) { return date.hour; });
}
Value Minutes(Evaluation&, Args args) {
  return DateOrDuration(args, "getMinutes", 60'000'000'000,
                        [](const DateParts& date) { return date.minute; });
}
Value Seconds(Evaluation&, Args args) {
  return DateOrDuration(args, "getSeconds", 1'000'000'000,
                        [](const DateParts& date) { return date.second; });
}
Value Milliseconds(Evaluation&, Args args) {
  const int64_t subsecond = args[0].Is(Kind::kTimestamp) ? args[0].subsecond() : 0;
  return DateOrDuration(args, "getMilliseconds", 1'000'000,
                        [&](const DateParts&) { return subsecond / 1'000'000; });
}

constexpr std::string_view kOfDate = ".timestamp>int | .timestamp,string>int";
constexpr std::string_view kOfBoth = ".timestamp>int | .timestamp,string>int | .duration>int";

constexpr std::array kRows = {
    FunctionRow{"getFullYear", kOfDate, FullYear},
    FunctionRow{"getMonth", kOfDate, Month},
    FunctionRow{"getDayOfYear", kOfDate, DayOfYear},
    FunctionRow{"getDayOfMonth", kOfDate, DayOfMonth},
    FunctionRow{"getDate", kOfDate, Date},
    FunctionRow{"getDayOfWeek", kOfDate, DayOfWeek},
    FunctionRow{"getHours", kOfBoth, Hours},
    FunctionRow{"getMinutes", kOfBoth, Minutes},
    FunctionRow{"getSeconds", kOfBoth, Seconds},
    FunctionRow{"getMilliseconds", kOfBoth, Milliseconds},
};

}  // namespace
}  // namespace times

std::span<const FunctionRow> TimeFunctions() {
  return times::kRows;
}

}  // namespace outrigger::cel
