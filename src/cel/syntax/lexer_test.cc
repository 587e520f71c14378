#include "cel/syntax/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace outrigger::cel {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Texts(std::string_view text) {
  ErrorList errors;
  std::vector<std::string> texts;
  for (const Token& token : Tokenize(text, errors)) texts.emplace_back(token.text);
  texts.pop_back();  // the end
  for (const SyntaxError& error : errors.errors())
    texts.push_back("! " + error.message.substr(0, 12));
  return texts;
}

TEST(Lexer, DividesNamesNumbersAndSymbols) {
  EXPECT_THAT(Texts("a.b<=1.5e3u"), ElementsAre("a", ".", "b", "<=", "1.5e3", "u"));
  EXPECT_THAT(Texts("1.size() .5 1. 0x1Fu"),
              ElementsAre("1", ".", "size", "(", ")", ".5", "1", ".", "0x1Fu"));
  EXPECT_THAT(Texts("in true innn"), ElementsAre("in", "true", "innn"));
}

TEST(Lexer, TextsEndAtTheirQuotes) {
  EXPECT_THAT(Texts(R"('a\'b' "c" r'\' b"x" Rb'y')"),
              ElementsAre(R"('a\'b')", R"("c")", R"(r'\')", R"(b"x")", "Rb", "'y'"));
  EXPECT_THAT(Texts("'''a'b\nc'''"), ElementsAre("'''a'b\nc'''"));
  EXPECT_THAT(Texts("'a\nb"), ElementsAre("b", "! Syntax error"));
}

TEST(Lexer, CommentsReachToTheEndOfTheLine) {
  EXPECT_THAT(Texts("1 // 2 + 3\n+ 4"), ElementsAre("1", "+", "4"));
}

TEST(Lexer, OtherCharactersAreErrors) {
  EXPECT_THAT(Texts("$ é"), ElementsAre("! Syntax error", "! Syntax error"));
}

std::optional<std::string> TextOf(std::string_view written) {
  std::string why;
  return Unescape({TokenKind::kString, 0, written}, why);
}
std::optional<std::string> BytesOf(std::string_view written) {
  std::string why;
  return Unescape({TokenKind::kBytes, 0, written}, why);
}

TEST(Literal, EscapesOfTexts) {
  EXPECT_EQ(TextOf(R"('\a\b\f\n\r\t\v\\\'\"\`\?')"), "\a\b\f\n\r\t\v\\'\"`?");
  EXPECT_EQ(TextOf(R"('\x41\101\u00e9\U0001F600')"), "AA\u00e9\U0001F600");
  EXPECT_EQ(TextOf(R"(r'\d')"), "\\d");
  EXPECT_EQ(TextOf("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(TextOf(R"('\q')"), std::nullopt);
  EXPECT_EQ(TextOf(R"('\ud800')"), std::nullopt);
  EXPECT_EQ(TextOf(R"('\400')"), std::nullopt);
}

TEST(Literal, EscapesOfBytes) {
  EXPECT_EQ(BytesOf(R"(b'\xff\377')"), "\xff\xff");
  EXPECT_EQ(BytesOf(R"(b'\u0041')"), std::nullopt);
}

TEST(Literal, NumbersFit64Bits) {
  const Token least = {TokenKind::kInt, 0, "9223372036854775808"};
  EXPECT_EQ(NumberOf(least, true)->integer(), INT64_MIN);
  EXPECT_FALSE(NumberOf(least, false));
  EXPECT_EQ(NumberOf({TokenKind::kUint, 0, "0xffffffffffffffffu"}, false)->unsigned_integer(),
            UINT64_MAX);
  EXPECT_FALSE(NumberOf({TokenKind::kDouble, 0, "1e400"}, false));
  EXPECT_EQ(NumberOf({TokenKind::kDouble, 0, "1e-400"}, false)->number(), 0.0);
}

}  // namespace

}  // namespace outrigger::cel
