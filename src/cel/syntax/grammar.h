#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "cel/syntax/token.h"

namespace outrigger::cel {

/// Names that no variable may have, though fields may.
inline constexpr std::array<std::string_view, 21> kReserved = {
    "as",        "break", "const",  "continue", "else", "false", "for",
    "function",  "if",    "import", "in",       "let",  "loop",  "package",
    "namespace", "null",  "return", "true",     "var",  "void",  "while"};

inline bool IsReserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

/// An operator between two operands, and the function that it calls.
struct Operator {
  TokenKind token;
  std::string_view function;
};
inline constexpr std::array<Operator, 7> kRelations = {{{TokenKind::kLess, "_<_"},
                                                        {TokenKind::kLessEqual, "_<=_"},
                                                        {TokenKind::kGreaterEqual, "_>=_"},
                                                        {TokenKind::kGreater, "_>_"},
                                                        {TokenKind::kEqual, "_==_"},
                                                        {TokenKind::kNotEqual, "_!=_"},
                                                        {TokenKind::kIn, "@in"}}};
inline constexpr std::array<Operator, 2> kSums = {
    {{TokenKind::kPlus, "_+_"}, {TokenKind::kMinus, "_-_"}}};
inline constexpr std::array<Operator, 3> kProducts = {
    {{TokenKind::kStar, "_*_"}, {TokenKind::kSlash, "_/_"}, {TokenKind::kPercent, "_%_"}}};

}  // namespace outrigger::cel
