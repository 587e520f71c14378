#include "cel/syntax/error.h"

#include <gtest/gtest.h>

#include <string>

namespace outrigger::cel {
namespace {

TEST(SyntaxError, PlacesCountLinesAndCodePoints) {
  EXPECT_EQ(PlaceOf("a\nbc", 3).line, 2U);
  EXPECT_EQ(PlaceOf("a\nbc", 3).column, 2U);
  EXPECT_EQ(PlaceOf("éa", 2).column, 2U);
}

TEST(SyntaxError, TheCaretStandsBelowThePlace) {
  EXPECT_EQ(Describe("é == b\tc", {6, "wrong"}),
            "ERROR: <input>:1:6: wrong\n | é == b c\n | .....^");
}

TEST(SyntaxError, NoControlCharacterComesThrough) {
  EXPECT_EQ(Describe("a\x1b", {0, "found 'a\x1b'"}), "ERROR: <input>:1:1: found 'a '\n | a \n | ^");
}

TEST(SyntaxError, LongLinesAreShortened) {
  const std::string text = std::string(5000, 'x') + "!" + std::string(5000, 'y');
  const std::string shown = Describe(text, {5000, "wrong"});
  EXPECT_LT(shown.size(), 300U);
  EXPECT_NE(shown.find("1:5001"), std::string::npos);
  EXPECT_NE(shown.find('!'), std::string::npos);
}

TEST(SyntaxError, AtMostTenAreKept) {
  ErrorList errors;
  for (uint32_t i = 0; i < 100; ++i) errors.Add(i, "wrong");
  EXPECT_EQ(errors.errors().size(), ErrorList::kMost);
}

}  // namespace
}  // namespace outrigger::cel
