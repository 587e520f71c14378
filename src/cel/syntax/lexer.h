#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/error.h"
#include "cel/values/value.h"

namespace outrigger::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParenthesis,
  kRightParenthesis,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  std::string_view text = {};  // as it is written
};

/// The tokens of `text`, the last one kEnd; blanks and comments (//) are left out. What is no token
/// is added to `errors`. The tokens refer to `text`.
std::vector<Token> Tokenize(std::string_view text, ErrorList& errors);

/// The characters that a token of kind kString or kBytes stands for. Nothing, and `why`, where an
/// escape is none: \x41 and \101 are code points in texts but bytes in bytes, \u and \U are for
/// texts only.
std::optional<std::string> Unescape(const Token& token, std::string& why);

/// The number of a token of kind kInt, kUint or kDouble, negative if `negative`. Nothing where it
/// does not fit.
std::optional<Value> NumberOf(const Token& token, bool negative);

}  // namespace outrigger::cel
