#include "cel/library/format_text.h"

#include <gtest/gtest.h>

#include "cel/cel_testing.h"

namespace outrigger::cel {
namespace {

using testing::IsTrue;

TEST(FormatText, ShowsEachKind) {
  EXPECT_TRUE(IsTrue("'%s|%s|%s'.format([true, null, b'x']) == 'true|null|x'"));
  EXPECT_TRUE(IsTrue(R"('%s'.format([[1, 'a', 2.5]]) == '[1, "a", 2.500000]')"));
  EXPECT_TRUE(IsTrue(R"('%s'.format([{'b': 1, 'a': 2}]) == '{"a":2, "b":1}')"));
  EXPECT_TRUE(IsTrue("'%d%%'.format([7]) == '7%'"));
  EXPECT_TRUE(IsTrue("'%x %X %o %b'.format([255, 255, 8, 5]) == 'ff FF 10 101'"));
  EXPECT_TRUE(IsTrue("'%.2f'.format([1234567.891]) == '1,234,567.89'"));
  EXPECT_TRUE(IsTrue("'%s'.format([duration('90s')]) == '90s'"));
}

TEST(FormatText, ArgumentsThatDoNotSuitTheFormatDoNotCompile) {
  EXPECT_NE(testing::ErrorOf("'%d'.format(['a']) == ''"), "");
  EXPECT_NE(testing::ErrorOf("'%s'.format([]) == ''"), "");
  EXPECT_NE(testing::ErrorOf("'%s'.format([1, 2]) == ''"), "");
  EXPECT_NE(testing::ErrorOf("'%q'.format([1]) == ''"), "");
}

TEST(FormatText, TextsAreQuotedAsLiterals) {
  EXPECT_EQ(QuotedText("a\"b\\\n"), "\"a\\\"b\\\\\\n\"");
}

TEST(FormatDouble, IsTheShortestText) {
  EXPECT_EQ(FormatDouble(1.0), "1");
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(100000.0), "100000");
  EXPECT_EQ(FormatDouble(1e6), "1e+06");
  EXPECT_EQ(FormatDouble(0.00001), "1e-05");
  EXPECT_EQ(FormatDouble(-1.0 / 0.0), "-Inf");
}

}  // namespace
}  // namespace outrigger::cel
