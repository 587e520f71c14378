#include "cel/library/text_search.h"

#include <gtest/gtest.h>

#include "cel/cel_testing.h"
#include "cel/library/regex_cache.h"

namespace outrigger::cel {
namespace {

using testing::IsTrue;

TEST(TextSearch, IndexesCountCodePoints) {
  EXPECT_EQ(IndexOfText("aéb", "b", 0).integer(), 2);
  EXPECT_EQ(IndexOfText("abcb", "b", 2).integer(), 3);
  EXPECT_EQ(IndexOfText("abc", "x", 0).integer(), -1);
  EXPECT_EQ(IndexOfText("abc", "", 7).integer(), 7);
  EXPECT_TRUE(IndexOfText("abc", "a", -1).IsError());
  EXPECT_EQ(LastIndexOfText("ébéb", "b", nullptr).integer(), 3);
}

TEST(TextSearch, ReplacesAndSplits) {
  EXPECT_TRUE(IsTrue("'abc'.replace('', '-') == '-a-b-c-'"));
  EXPECT_TRUE(IsTrue("'aaa'.replace('a', 'b', 2) == 'bba'"));
  EXPECT_TRUE(IsTrue("'a,b,c'.split(',', 2) == ['a', 'b,c']"));
  EXPECT_TRUE(IsTrue("'éa'.split('') == ['é', 'a']"));
  EXPECT_TRUE(IsTrue("'a'.split(',', 0) == []"));
}

TEST(TextSearch, WhiteSpaceIsUnicodes) {
  EXPECT_EQ(TrimSpace("\t\u00a0 a b\u2003\n"), "a b");
  EXPECT_EQ(TrimSpace(" \n"), "");
}

TEST(TextSearch, MatchesDoNotOverlap) {
  EXPECT_TRUE(IsTrue("'abc'.findAll('b*') == ['', 'b', '']"));
  EXPECT_TRUE(IsTrue("'aXbX'.findAll('X', 1) == ['X']"));
  EXPECT_TRUE(IsTrue("'abc'.find('[x]') == ''"));
}

TEST(Regex, HasTheSyntaxOfGo) {
  EXPECT_NE(CompileRegex("(?<name>x)"), nullptr);
  EXPECT_EQ(CompileRegex("\\C"), nullptr);
  EXPECT_NE(CompileRegex("\\\\C"), nullptr);
  EXPECT_EQ(CompileRegex("x{1001}"), nullptr);
  EXPECT_EQ(CompileRegex("("), nullptr);
  EXPECT_NE(CompileRegex("[(?<]"), nullptr);
}

TEST(Regex, OneThatNeedsTooMuchMemoryIsNone) {
  EXPECT_EQ(CompileRegex("((((x{10}){10}){10}){10}){10}"), nullptr);
}

}  // namespace
}  // namespace outrigger::cel
