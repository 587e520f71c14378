#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace outrigger::cel
