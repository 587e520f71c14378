#include "cel/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "cel/values/concat.h"
#include "cel/values/text.h"

namespace outrigger::cel {
namespace {

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}
bool IsHex(char c) {
  return absl::ascii_isxdigit(static_cast<unsigned char>(c));
}
bool StartsName(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool ContinuesName(char c) {
  return StartsName(c) || IsDigit(c);
}

constexpr std::array<std::pair<std::string_view, TokenKind>, 24> kSymbols = {{
    // The longer ones first.
    {"==", TokenKind::kEqual},
    {"!=", TokenKind::kNotEqual},
    {"<=", TokenKind::kLessEqual},
    {">=", TokenKind::kGreaterEqual},
    {"&&", TokenKind::kAnd},
    {"||", TokenKind::kOr},
    {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},
    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},
    {"{", TokenKind::kLeftBrace},
    {"}", TokenKind::kRightBrace},
    {"(", TokenKind::kLeftParenthesis},
    {")", TokenKind::kRightParenthesis},
    {".", TokenKind::kDot},
    {",", TokenKind::kComma},
    {"-", TokenKind::kMinus},
    {"!", TokenKind::kNot},
    {"?", TokenKind::kQuestion},
    {":", TokenKind::kColon},
    {"+", TokenKind::kPlus},
    {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},
}};

class Lexer {
 public:
  Lexer(std::string_view text, ErrorList& errors) : text_(text), errors_(errors) {}

  std::vector<Token> Run() {
    while (SkipBlanks()) Next();
    Add(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  std::string_view Rest() const { return text_.substr(at_); }

  void Add(TokenKind kind, size_t length) {
    tokens_.push_back({kind, static_cast<uint32_t>(at_), text_.substr(at_, length)});
    at_ += length;
  }

  void Fail(size_t length, std::string message) {
    errors_.Add(static_cast<uint32_t>(at_), std::move(message));
    at_ += length;
  }

  // Whether there is more.
  bool SkipBlanks() {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (Rest().starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return true;
      }
    }
    return false;
  }

  void Next() {
    const char c = text_[at_];
    if (IsDigit(c) || (c == '.' && IsDigit(At(at_ + 1)))) return Number();
    const size_t prefix = PrefixOfText();
    if (const char quote = At(at_ + prefix); quote == '"' || quote == '\'') return Text(prefix);
    if (StartsName(c)) return Name();
    for (const auto& [symbol, kind] : kSymbols) {
      if (Rest().starts_with(symbol)) return Add(kind, symbol.size());
    }
    Unknown();
  }

  void Unknown() {
    const size_t length = LengthOfCodePoint(Rest());
    const std::string_view shown = Rest().substr(0, length);
    std::string message = "Syntax error: token recognition error at '";
    Append(message, static_cast<uint8_t>(shown[0]) < 0x20 ? " " : shown, "'");
    if (shown == "=") message += "; equality is ==";
    if (shown == "&") message += "; logical and is &&";
    if (shown == "|") message += "; logical or is ||";
    if (shown == "\u2018" || shown == "\u2019" || shown == "\u201c" || shown == "\u201d") {
      message += "; texts are in straight quotes, ' or \"";
    }
    if (shown == "`") message += "; a name with other characters is written ['name']";
    Fail(length, std::move(message));
  }

  // How many letters r, b stand where a text may begin.
  size_t PrefixOfText() const {
    size_t length = 0;
    if (At(at_) == 'b' || At(at_) == 'B') ++length;
    if (At(at_ + length) == 'r' || At(at_ + length) == 'R') ++length;
    return length;
  }

  void Number() {
    if (At(at_) == '0' && At(at_ + 1) == 'x' && IsHex(At(at_ + 2))) {
      return Integer(at_ + 2, IsHex);
    }
    size_t end = Digits(at_);
    bool whole = true;
    if (At(end) == '.' && IsDigit(At(end + 1))) {
      end = Digits(end + 1);
      whole = false;
    }
    if (At(end) == 'e' || At(end) == 'E') {
      const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
      if (IsDigit(At(end + 1 + sign))) {
        end = Digits(end + 1 + sign);
        whole = false;
      }
    }
    if (whole) return Integer(at_, IsDigit);
    Add(TokenKind::kDouble, end - at_);
  }

  size_t Digits(size_t i) const {
    while (IsDigit(At(i))) ++i;
    return i;
  }

  void Integer(size_t begin, bool (*is_digit)(char)) {
    size_t end = begin;
    while (is_digit(At(end))) ++end;
    const bool is_unsigned = At(end) == 'u' || At(end) == 'U';
    Add(is_unsigned ? TokenKind::kUint : TokenKind::kInt, end - at_ + (is_unsigned ? 1 : 0));
  }

  void Text(size_t prefix) {
    const char first = At(at_);
    const bool bytes = prefix > 0 && (first == 'b' || first == 'B');
    const bool raw = prefix == 2 || (prefix == 1 && !bytes);
    const size_t open = at_ + prefix;
    const char quote = At(open);
    const bool triple = At(open + 1) == quote && At(open + 2) == quote;
    const size_t end = EndOfText(open + (triple ? 3 : 1), quote, triple, raw);
    if (end == std::string_view::npos) {
      const size_t line = std::min(text_.find('\n', at_), text_.size());
      return Fail(line - at_, Concat("Syntax error: the text that begins here has no closing ",
                                     std::string(triple ? 3 : 1, quote)));
    }
    Add(bytes ? TokenKind::kBytes : TokenKind::kString, end - at_);
  }

  // One past the closing quotes, or npos.
  size_t EndOfText(size_t i, char quote, bool triple, bool raw) const {
    const std::string closing(triple ? 3 : 1, quote);
    while (i < text_.size()) {
      if (text_.substr(i).starts_with(closing)) return i + closing.size();
      if (!triple && (text_[i] == '\n' || text_[i] == '\r')) return std::string_view::npos;
      i += !raw && text_[i] == '\\' ? 2 : 1;
    }
    return std::string_view::npos;
  }

  void Name() {
    size_t end = at_;
    while (ContinuesName(At(end))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const TokenKind kind = name == "true"    ? TokenKind::kTrue
                           : name == "false" ? TokenKind::kFalse
                           : name == "null"  ? TokenKind::kNull
                           : name == "in"    ? TokenKind::kIn
                                             : TokenKind::kIdentifier;
    Add(kind, name.size());
  }

  std::string_view text_;
  ErrorList& errors_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

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

std::vector<Token> Tokenize(std::string_view text, ErrorList& errors) {
  return Lexer(text, errors).Run();
}

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
