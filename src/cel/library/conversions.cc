#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "cel/library/format_text.h"
#include "cel/library/function.h"
#include "cel/values/concat.h"
#include "cel/values/network.h"
#include "cel/values/text.h"
#include "cel/values/time.h"

namespace outrigger::cel {
namespace conversions {
namespace {

using Args = std::span<const Value>;

Value NotConvertible(std::string_view to) {
  return Value::Error(ErrorCode::kConversion, to);
}
Value Overflow() {
  return Value::Error(ErrorCode::kOverflow);
}

// All of `text` as a decimal number; a sign only where the type has one.
template <typename T>
std::optional<T> ReadInteger(std::string_view text) {
  if (std::is_signed_v<T> && text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  T number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsWord(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return absl::ascii_tolower(static_cast<unsigned char>(a)) == b;
  });
}

std::optional<double> ReadDouble(std::string_view text) {
  const bool signed_text = text.starts_with('+') || text.starts_with('-');
  const bool negative = text.starts_with('-');
  if (signed_text) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+') || text.starts_with('-')) return std::nullopt;
  const double sign = negative ? -1.0 : 1.0;
  if (IsWord(text, "inf") || IsWord(text, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (IsWord(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (!absl::ascii_isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.') {
    return std::nullopt;
  }
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ptr != text.data() + text.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    number = std::strtod(std::string(text).c_str(), nullptr);
    if (number > 1) return std::nullopt;  // too small is zero, too large is no number
  } else if (read.ec != std::errc()) {
    return std::nullopt;
  }
  return sign * number;
}

Value ToInt(Evaluation&, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case Kind::kInt:
      return value;
    case Kind::kUint:
      if (value.unsigned_integer() > std::numeric_limits<int64_t>::max()) return Overflow();
      return Value::Int(value.integer());
    case Kind::kDouble:
      // Also NaN; the limits themselves are refused as upstream does.
      if (!(value.number() > -0x1p63 && value.number() < 0x1p63)) return Overflow();
      return Value::Int(static_cast<int64_t>(value.number()));
    case Kind::kDuration:
      return Value::Int(value.nanoseconds());
    case Kind::kTimestamp:
      return Value::Int(value.seconds());
    case Kind::kString: {
      const auto number = ReadInteger<int64_t>(value.text());
      return number ? Value::Int(*number) : NotConvertible("int");
    }
    default:
      return NoSuchOverload("int");
  }
}

Value ToUint(Evaluation&, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case Kind::kUint:
      return value;
    case Kind::kInt:
      return value.integer() < 0 ? Overflow() : Value::Uint(value.unsigned_integer());
    case Kind::kDouble:
      if (!(value.number() >= 0 && value.number() < 0x1p64)) return Overflow();
      return Value::Uint(static_cast<uint64_t>(value.number()));
    case Kind::kString: {
      const auto number = ReadInteger<uint64_t>(value.text());
      return number ? Value::Uint(*number) : NotConvertible("uint");
    }
    default:
      return NoSuchOverload("uint");
  }
}

Value ToDouble(Evaluation&, Args args) {
  if (args[0].IsNumber()) return Value::Double(AsDouble(args[0]));
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("double");
  const auto number = ReadDouble(args[0].text());
  return number ? Value::Double(*number) : NotConvertible("double");
}

Value ToBool(Evaluation&, Args args) {
  if (args[0].Is(Kind::kBool)) return args[0];
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("bool");
  static constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  static constexpr std::array<std::string_view, 6> kFalse = {"0",     "f",     "F",
                                                             "false", "FALSE", "False"};
  const auto is = [&](const auto& words) {
    return std::find(words.begin(), words.end(), args[0].text()) != words.end();
  };
  if (is(kTrue)) return Value::Bool(true);
  return is(kFalse) ? Value::Bool(false) : NotConvertible("bool");
}

Value ToString(Evaluation& evaluation, Args args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case Kind::kString:
      return value;
    case Kind::kBool:
      return Value::String(value.boolean() ? "true" : "false");
    case Kind::kInt:
      return NewText(evaluation, Concat(value.integer()));
    case Kind::kUint:
      return NewText(evaluation, Concat(value.unsigned_integer()));
    case Kind::kDouble:
      return NewText(evaluation, FormatDouble(value.number()));
    case Kind::kBytes:
      return IsValidUtf8(value.text())
                 ? Value::String(value.text())
                 : Value::Error(ErrorCode::kConversion, "string: the bytes are not valid UTF-8");
    case Kind::kDuration:
      return NewText(evaluation, FormatDuration(value.nanoseconds()));
    case Kind::kTimestamp:
      return NewText(evaluation,
                     FormatTimestamp({value.seconds(), value.subsecond(), value.offset()}));
    case Kind::kIp:
      return NewText(evaluation, value.ip().ToString());
    case Kind::kCidr:
      return NewText(evaluation, value.cidr().ToString());
    default:
      return NoSuchOverload("string");
  }
}

Value ToBytes(Evaluation&, Args args) {
  if (args[0].Is(Kind::kBytes)) return args[0];
  return args[0].Is(Kind::kString) ? Value::Bytes(args[0].text()) : NoSuchOverload("bytes");
}

Value ToDuration(Evaluation&, Args args) {
  if (args[0].Is(Kind::kDuration)) return args[0];
  if (args[0].Is(Kind::kInt)) return NotConvertible("duration");
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("duration");
  const auto nanoseconds = ParseDuration(args[0].text());
  return nanoseconds ? Value::Duration(*nanoseconds) : NotConvertible("duration");
}

Value ToTimestamp(Evaluation&, Args args) {
  if (args[0].Is(Kind::kTimestamp)) return args[0];
  if (args[0].Is(Kind::kInt)) {
    const int64_t seconds = args[0].integer();
    if (seconds < kFirstSecond || seconds > kLastSecond) return Overflow();
    return Value::Timestamp(seconds, 0);
  }
  if (!args[0].Is(Kind::kString)) return NoSuchOverload("timestamp");
  const auto instant = ParseTimestamp(args[0].text());
  return instant ? Value::Timestamp(instant->seconds, instant->nanoseconds, instant->offset)
                 : NotConvertible("timestamp");
}

Value ToType(Evaluation&, Args args) {
  return Value::Type(TypeNameOf(args[0]));
}
Value ToDyn(Evaluation&, Args args) {
  return args[0];
}

constexpr std::array kRows = {
    FunctionRow{"type", "A>type(A)", ToType},
    FunctionRow{"dyn", "A>dyn", ToDyn},
    FunctionRow{"bool", "bool>bool | string>bool", ToBool},
    FunctionRow{"bytes", "bytes>bytes | string>bytes $tenth", ToBytes},
    FunctionRow{"double", "double>double | int>double | string>double | uint>double", ToDouble},
    FunctionRow{"duration", "duration>duration | int>duration | string>duration", ToDuration},
    FunctionRow{"int",
                "int>int | double>int | duration>int | string>int | timestamp>int | uint>int",
                ToInt},
    FunctionRow{"string",
                "string>string | bool>string | bytes>string $tenth | double>string | "
                "duration>string | int>string | timestamp>string | uint>string | ip>string | "
                "cidr>string",
                ToString},
    FunctionRow{"timestamp", "timestamp>timestamp | int>timestamp | string>timestamp", ToTimestamp},
    FunctionRow{"uint", "uint>uint | double>uint | int>uint | string>uint", ToUint},
};

}  // namespace
}  // namespace conversions

std::span<const FunctionRow> ConversionFunctions() {
  return conversions::kRows;
}

}  // namespace outrigger::cel
