#include "cel/syntax/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace outrigger::cel
