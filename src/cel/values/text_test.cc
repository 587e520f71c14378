#include "cel/values/text.h"

#include <gtest/gtest.h>

#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

TEST(Text, CodePointsAreCountedAndFound) {
  EXPECT_EQ(CountCodePoints("aé\U0001F600"), 3U);
  EXPECT_EQ(OffsetOfCodePoint("aé\U0001F600", 2), 3U);
  EXPECT_EQ(OffsetOfCodePoint("aé", 9), 3U);
  EXPECT_EQ(LengthOfCodePoint("\U0001F600"), 4U);
  EXPECT_EQ(LengthOfCodePoint("\xff"), 1U);
}

TEST(Text, Utf8IsValidAsTheRfcSays) {
  EXPECT_TRUE(IsValidUtf8("aé\U0001F600"));
  for (const char* wrong :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80", "\x80"}) {
    EXPECT_FALSE(IsValidUtf8(wrong));
  }
}

TEST(Text, PartsAreJoinedAndDivided) {
  EXPECT_EQ(Concat("a", 1, std::string("b"), std::string_view("c"), -2), "a1bc-2");
  EXPECT_EQ(Split("a.b.c", '.', 2), (std::vector<std::string_view>{"a", "b.c"}));
  EXPECT_EQ(Split("", '.'), (std::vector<std::string_view>{""}));
  EXPECT_EQ(Replaced("aXbX", "X", "--"), "a--b--");
}

}  // namespace
}  // namespace outrigger::cel
