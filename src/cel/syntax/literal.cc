#include "cel/syntax/literal.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "cel/values/concat.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace {

bool IsCodePoint(uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// Reads what follows a backslash.
class Escapes {
 public:
  Escapes(std::string_view text, bool bytes) : rest_(text), bytes_(bytes) {}

  bool Run(std::string& out, std::string& why) {
    while (!rest_.empty()) {
      const char c = Take();
      if (c != '\\') {
        out.push_back(c);
      } else if (!Escape(out)) {
        why = Concat("unable to unescape ", bytes_ ? "bytes" : "string",
                     ": accepted are \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" \\` \\? \\xHH "
                     "\\ooo \\uHHHH \\UHHHHHHHH");
        return false;
      }
    }
    return true;
  }

 private:
  char Take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool Escape(std::string& out) {
    if (rest_.empty()) return false;
    static constexpr std::string_view kNames = "abfnrtv\\'\"`?";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"`?";
    const char c = Take();
    if (const size_t i = kNames.find(c); i != std::string_view::npos) {
      out.push_back(kValues[i]);
      return true;
    }
    switch (c) {
      case 'x':
      case 'X':
        return Number(2, 16, out);
      case 'u':
        return !bytes_ && Number(4, 16, out);
      case 'U':
        return !bytes_ && Number(8, 16, out);
      default:
        break;
    }
    if (c < '0' || c > '3') return false;
    rest_ = {rest_.data() - 1, rest_.size() + 1};
    return Number(3, 8, out);
  }

  bool Number(size_t digits, int base, std::string& out) {
    if (rest_.size() < digits) return false;
    uint32_t code = 0;
    const char* end = rest_.data() + digits;
    const auto read = std::from_chars(rest_.data(), end, code, base);
    if (read.ec != std::errc() || read.ptr != end) return false;
    rest_.remove_prefix(digits);
    if (bytes_) {
      out.push_back(static_cast<char>(code));
      return true;
    }
    if (!IsCodePoint(code)) return false;
    AppendCodePoint(out, code);
    return true;
  }

  std::string_view rest_;
  bool bytes_;
};

// What is within the quotes; `raw` if backslashes are characters.
std::string_view Inner(std::string_view text, bool bytes, bool& raw) {
  if (bytes) text.remove_prefix(1);
  raw = text.front() == 'r' || text.front() == 'R';
  if (raw) text.remove_prefix(1);
  const bool triple = text.size() >= 6 && text[1] == text[0] && text[2] == text[0];
  const size_t quotes = triple ? 3 : 1;
  return text.substr(quotes, text.size() - 2 * quotes);
}

template <typename T>
std::optional<T> IntegerOf(std::string_view text, bool negative) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  const std::string digits = Concat(negative ? "-" : "", text);
  T number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, hexadecimal ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> Unescape(const Token& token, std::string& why) {
  const bool bytes = token.kind == TokenKind::kBytes;
  bool raw = false;
  const std::string text =
      Replaced(Replaced(Inner(token.text, bytes, raw), "\r\n", "\n"), "\r", "\n");
  if (raw) return text;
  std::string out;
  if (!Escapes(text, bytes).Run(out, why)) return std::nullopt;
  return out;
}

std::optional<Value> NumberOf(const Token& token, bool negative) {
  if (token.kind == TokenKind::kInt) {
    const auto number = IntegerOf<int64_t>(token.text, negative);
    return number ? std::optional<Value>(Value::Int(*number)) : std::nullopt;
  }
  if (token.kind == TokenKind::kUint) {
    const auto number = IntegerOf<uint64_t>(token.text.substr(0, token.text.size() - 1), false);
    return number ? std::optional<Value>(Value::Uint(*number)) : std::nullopt;
  }
  double number = 0;
  const std::string text = Concat(negative ? "-" : "", token.text);
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  // Below the smallest double is zero, as everywhere; above the largest is no number.
  if (read.ec == std::errc::result_out_of_range) number = std::strtod(text.c_str(), nullptr);
  if (number > 1.0 && read.ec != std::errc()) return std::nullopt;
  if (number < -1.0 && read.ec != std::errc()) return std::nullopt;
  return Value::Double(number);
}

}  // namespace outrigger::cel
