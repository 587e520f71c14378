#include "cel/syntax/literal.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace outrigger::cel {
namespace {

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
