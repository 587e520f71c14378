#include "cel/library/format_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "cel/values/collections.h"
#include "cel/values/concat.h"
#include "cel/values/time.h"
#include "fmt/format.h"

namespace outrigger::cel {
namespace {

constexpr int kMostPrecision = 1000;
constexpr size_t kLongest = size_t{1} << 20U;

class Formatter {
 public:
  // Appends `value` as %s shows it. False if it cannot be shown.
  bool Show(const Value& value, std::string& out) {
    if (out.size() > kLongest) return false;
    switch (value.kind()) {
      case Kind::kList:
        return ShowList(value, out);
      case Kind::kMap:
        return ShowMap(value, out);
      case Kind::kNull:
        out += "null";
        return true;
      case Kind::kBool:
        out += value.boolean() ? "true" : "false";
        return true;
      case Kind::kInt:
        Append(out, value.integer());
        return true;
      case Kind::kUint:
        Append(out, value.unsigned_integer());
        return true;
      case Kind::kDouble:
        out += FormatDouble(value.number());
        return true;
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kType:
        out += value.text();
        return true;
      case Kind::kDuration:
        out += FormatDuration(value.nanoseconds());
        return true;
      case Kind::kTimestamp:
        out += FormatTimestamp({value.seconds(), value.subsecond(), value.offset()});
        return true;
      default:
        return false;
    }
  }

 private:
  // Within a list or map: as a literal.
  bool ShowPart(const Value& value, std::string& out) {
    switch (value.kind()) {
      case Kind::kString:
        out += QuotedText(value.text());
        return true;
      case Kind::kBytes:
        Append(out, "b", QuotedText(value.text()));
        return true;
      case Kind::kDouble:
        out += fmt::format("{:.6f}", value.number());
        return true;
      case Kind::kDuration:
        Append(out, "duration(\"", FormatDuration(value.nanoseconds()), "\")");
        return true;
      case Kind::kTimestamp:
        Append(out, "timestamp(\"",
               FormatTimestamp({value.seconds(), value.subsecond(), value.offset()}), "\")");
        return true;
      default:
        return Show(value, out);
    }
  }

  bool ShowList(const Value& list, std::string& out) {
    out += '[';
    std::string_view separator;
    for (const Value& item : ItemsOf(list)) {
      out += separator;
      if (!ShowPart(item, out)) return false;
      separator = ", ";
    }
    out += ']';
    return true;
  }

  bool ShowMap(const Value& map, std::string& out) {
    std::vector<std::string> entries;
    for (const MapEntry& entry : EntriesOf(map)) {
      std::string text;
      if (!ShowPart(entry.key, text)) return false;
      text += ':';
      if (!ShowPart(entry.value, text)) return false;
      entries.push_back(std::move(text));
    }
    std::sort(entries.begin(), entries.end());
    out += '{';
    for (const std::string& entry : entries) {
      Append(out, &entry == entries.data() ? "" : ", ", entry);
    }
    out += '}';
    return out.size() <= kLongest;
  }
};

std::string Hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return text;
}

void ShowHexadecimal(const Value& value, bool upper, std::string& out) {
  std::string text;
  if (value.Is(Kind::kInt)) {
    const bool negative = value.integer() < 0;
    const uint64_t size = negative ? 0 - value.unsigned_integer() : value.unsigned_integer();
    text = fmt::format("{}{:x}", negative ? "-" : "", size);
  } else if (value.Is(Kind::kUint)) {
    text = fmt::format("{:x}", value.unsigned_integer());
  } else {
    text = Hexadecimal(value.text());
  }
  if (upper) absl::AsciiStrToUpper(&text);
  out += text;
}

void ShowInBase(const Value& value, unsigned shift, std::string& out) {
  const bool negative = value.Is(Kind::kInt) && value.integer() < 0;
  uint64_t rest = negative ? 0 - value.unsigned_integer() : value.unsigned_integer();
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + (rest & ((1U << shift) - 1))));
    rest >>= shift;
  } while (rest != 0);
  Append(out, negative ? "-" : "", digits);
}

// "1234567.5" as English writes it: "1,234,567.5".
std::string Grouped(std::string text) {
  const size_t first = text.starts_with('-') ? 1 : 0;
  for (size_t i = std::min(text.find('.'), text.size()); i > first + 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

// "1.5e+03" as it is printed: "1.5 × 10⁰³".
std::string Superscript(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                               "⁵", "⁶", "⁷", "⁸", "⁹"};
  const size_t e = text.find('e');
  std::string shown = Concat(text.substr(0, e), "\u202f×\u202f10", text[e + 1] == '-' ? "⁻" : "");
  for (const char digit : text.substr(e + 2)) shown += kDigits[static_cast<size_t>(digit - '0')];
  return shown;
}

bool ShowFloat(const Value& value, const FormatClause& clause, std::string& out) {
  if (!value.Is(Kind::kDouble)) {  // a text that names no number
    if (value.text() != "NaN" && value.text() != "Infinity" && value.text() != "-Infinity") {
      return false;
    }
    out += value.text();
    return true;
  }
  const double number = value.number();
  if (std::isnan(number)) {
    out += "NaN";
  } else if (std::isinf(number)) {
    out += number > 0 ? "∞" : "-∞";
  } else if (clause.verb == 'f') {
    out += Grouped(fmt::format("{:.{}f}", number, clause.precision));
  } else {
    out += Superscript(fmt::format("{:.{}e}", number, clause.precision));
  }
  return true;
}

bool ShowClause(const Value& value, const FormatClause& clause, std::string& out) {
  if (!ClauseTakes(clause.verb, value.kind())) return false;
  switch (clause.verb) {
    case 's':
    case 'd':
      return Formatter().Show(value, out);
    case 'f':
    case 'e':
      return ShowFloat(value, clause, out);
    case 'b':
      if (value.Is(Kind::kBool)) {
        out += value.boolean() ? '1' : '0';
      } else {
        ShowInBase(value, 1, out);
      }
      return true;
    case 'o':
      ShowInBase(value, 3, out);
      return true;
    default:
      ShowHexadecimal(value, clause.verb == 'X', out);
      return true;
  }
}

constexpr int kFirstScientific = 6;  // the least exponent that is written

}  // namespace

bool ClauseTakes(char verb, Kind kind) {
  switch (verb) {
    case 'd':
    case 'o':
      return kind == Kind::kInt || kind == Kind::kUint;
    case 'f':
    case 'e':
      return kind == Kind::kDouble || kind == Kind::kString;
    case 'b':
      return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kBool;
    case 'x':
    case 'X':
      return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kString ||
             kind == Kind::kBytes;
    default:
      return kind != Kind::kOptional && kind < Kind::kQuantity;
  }
}

bool FormatReader::ReadClause(FormatClause& clause) {
  clause = FormatClause();
  if (!rest_.empty() && rest_[0] == '.') {
    rest_.remove_prefix(1);
    clause.precision = 0;
    size_t digits = 0;
    for (; !rest_.empty() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[0])); ++digits) {
      clause.precision = std::min(clause.precision * 10 + (rest_[0] - '0'), kMostPrecision + 1);
      rest_.remove_prefix(1);
    }
    if (digits == 0 || clause.precision > kMostPrecision) {
      error_ = "the precision of a formatting clause must be 0 to 1000";
      return false;
    }
  }
  if (rest_.empty()) {
    error_ = "unexpected end of string";
    return false;
  }
  clause.verb = rest_[0];
  rest_.remove_prefix(1);
  if (std::string_view("sdfebxXo").find(clause.verb) != std::string_view::npos) return true;
  error_ = "unrecognized formatting clause: known are %s %d %f %e %b %x %X %o %%";
  return false;
}

bool FormatReader::Next(std::string& text, FormatClause& clause) {
  while (!rest_.empty()) {
    const size_t percent = std::min(rest_.find('%'), rest_.size());
    text += rest_.substr(0, percent);
    rest_.remove_prefix(percent);
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    if (!rest_.starts_with('%')) return ReadClause(clause);
    text += '%';
    rest_.remove_prefix(1);
  }
  return false;
}

Value FormatText(Evaluation& evaluation, std::string_view format, std::span<const Value> args) {
  FormatReader reader(format);
  FormatClause clause;
  std::string out;
  size_t used = 0;
  while (reader.Next(out, clause)) {
    if (used == args.size()) return Value::Error(ErrorCode::kIndexOutOfRange);
    if (!ShowClause(args[used++], clause, out)) {
      return Value::Error(ErrorCode::kInvalidArgument, "a value that its clause cannot show");
    }
    if (out.size() > kLongest) return OutOfMemory();
  }
  if (!reader.error().empty()) return Value::Error(ErrorCode::kInvalidArgument, reader.error());
  return NewText(evaluation, out);
}

std::string QuotedText(std::string_view text) {
  static constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string quoted = "\"";
  for (const char c : text) {
    const size_t special = kSpecial.find(c);
    if (special == std::string_view::npos) {
      quoted += c;
    } else {
      quoted += '\\';
      quoted += kNames[special];
    }
  }
  return quoted + "\"";
}

std::string FormatDouble(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer = {};
  const auto scientific =
      std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(scientific.ptr - buffer.data()));
  const int exponent = std::atoi(buffer.data() + text.find('e') + 1);
  if (exponent < -4 || exponent >= kFirstScientific) return std::string(text);
  std::array<char, 64> fixed_buffer = {};
  const auto fixed =
      std::to_chars(fixed_buffer.begin(), fixed_buffer.end(), number, std::chars_format::fixed);
  return {fixed_buffer.data(), static_cast<size_t>(fixed.ptr - fixed_buffer.data())};
}

}  // namespace outrigger::cel
