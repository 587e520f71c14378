#include "outrigger/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrigger {
namespace {

using ::testing::ElementsAre;

TEST(Trimmed, CutsWhiteSpaceAtBothEndsAlone) {
  EXPECT_EQ(Trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(Trimmed(""), "");
}

TEST(SplitList, SplitsAtCommasAndKeepsEmptyParts) {
  EXPECT_THAT(SplitList("safe, congestion"), ElementsAre("safe", "congestion"));
  EXPECT_THAT(SplitList("safe,,x"), ElementsAre("safe", "", "x"));
  EXPECT_THAT(SplitList("a,"), ElementsAre("a", ""));
  EXPECT_THAT(SplitList(""), ElementsAre(""));
}

TEST(Printable, WritesControlCharactersAsHex) {
  EXPECT_EQ(Printable("a\n\x1b[2Jb\x7f"), "a\\x0a\\x1b[2Jb\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\x9b") << "U+009B begins control sequences as well";
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

TEST(Shortened, LeavesWhatFits) {
  EXPECT_EQ(Shortened("1234", 4), "1234");
  EXPECT_EQ(Shortened("", 4), "");
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("123456", 5), "12...");
  EXPECT_EQ(Shortened("1\xC3\xBC\xC3\xBC\xC3\xBC", 5), "1...");
  EXPECT_EQ(Shortened("1\xC3\xBC\xC3\xBC\xC3\xBC", 6), "1\xC3\xBC...");
}

TEST(Shortened, CountsWhatReplacesBrokenBytes) {
  EXPECT_EQ(Shortened("\xFF\xFF\xFF", 6), "\xEF\xBF\xBD...");
}

}  // namespace
}  // namespace outrigger
