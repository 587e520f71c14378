#include "cel/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cel/cel_testing.h"
#include "cel/check/environment.h"

namespace outrigger::cel {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Program, ErrorsHaveLineColumnAndACaret) {
  EXPECT_EQ(ErrorOf("true &&\n  device.drver == 'x'"),
            "ERROR: <input>:2:9: undefined field 'drver'; device has driver, attributes, capacity, "
            "allowMultipleAllocations\n |   device.drver == 'x'\n | ........^");
}

TEST(Program, ErrorsSayWhatWouldBeRight) {
  EXPECT_THAT(ErrorOf("device.driver.startWith('x')"), HasSubstr("did you mean 'startsWith'?"));
  EXPECT_THAT(ErrorOf("quantity('1') > quantity('2')"), HasSubstr("a.isGreaterThan(b)"));
  EXPECT_THAT(ErrorOf("1 == 1.0"), HasSubstr("int(...) or double(...)"));
  EXPECT_THAT(ErrorOf("device.driver = 'x'"), HasSubstr("equality is =="));
  EXPECT_THAT(ErrorOf("true and false"), HasSubstr("logical and is &&"));
  EXPECT_THAT(ErrorOf("device.a like 'x%'"), HasSubstr("texts have matches('...')"));
  EXPECT_THAT(ErrorOf("device.a > 40Gi"), HasSubstr("an amount is quantity('40Gi')"));
  EXPECT_THAT(ErrorOf("device.a > 1.5Gi"), HasSubstr("an amount is quantity('1.5Gi')"));
  EXPECT_THAT(ErrorOf("device.a > 40 Gi"), ::testing::Not(HasSubstr("quantity")));
  EXPECT_THAT(ErrorOf("device.a == \u201cx\u201d"), HasSubstr("straight quotes"));
  EXPECT_THAT(ErrorOf("gpu == 'x'"), HasSubstr("texts need quotes"));
  EXPECT_THAT(ErrorOf("size(1) == 1"), HasSubstr("accepted are size(bytes)"));
  EXPECT_THAT(ErrorOf("[1, 'a'].size() == 2"), HasSubstr("all of them must have one type"));
  EXPECT_THAT(ErrorOf("device.capacity['x'].memory == '1Gi'"), HasSubstr("quantity('...')"));
}

TEST(Program, ConstantsThatCannotBeConvertedDoNotCompile) {
  EXPECT_THAT(ErrorOf("int('x') == 1"), HasSubstr("invalid int argument"));
  EXPECT_THAT(ErrorOf("duration('1d') > duration('1h')"),
              HasSubstr("units are h, m, s, ms, us, ns"));
  EXPECT_THAT(ErrorOf("device.driver.matches('[')"),
              StartsWith("ERROR: <input>:1:23: invalid matches"));
  EXPECT_EQ(ErrorOf("int(device.driver) == 1"), "");
}

TEST(Program, AResultThatCanNeverBeBoolIsRefusedWhereResultsAreChecked) {
  const auto number = Program::Compile("1 + 1", DraEnvironment());
  EXPECT_TRUE(IsWrongResultType(number.status())) << number.status();
  EXPECT_FALSE(IsWrongResultType(Program::Compile("1 +", DraEnvironment()).status()));
  const auto attribute = Program::Compile("device.attributes['d'].x", DraEnvironment());
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(attribute->output_type(), "any");
  EXPECT_TRUE(Program::Compile("1 + 1", PrototypeEnvironment()).ok());
}

TEST(Program, LongExpressionsAreRefused) {
  const std::string longest = "'" + std::string(10232, 'x') + "'!=''";
  EXPECT_EQ(longest.size(), 10238U);
  EXPECT_EQ(ErrorOf(longest + "  "), "");
  EXPECT_THAT(ErrorOf(longest + "   "), HasSubstr("10241 characters; at most 10240 are allowed"));
}

std::string Repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Program, DeepNestingIsRefused) {
  const auto parentheses = [](size_t depth) {
    return std::string(depth, '(') + "true" + std::string(depth, ')');
  };
  EXPECT_EQ(ErrorOf(parentheses(249)), "");
  EXPECT_THAT(ErrorOf(parentheses(250)), HasSubstr("nesting too deep"));
  const auto sum = [](size_t terms) { return Repeated("1+", terms - 1) + "1>0"; };
  EXPECT_EQ(ErrorOf(sum(250)), "");
  EXPECT_THAT(ErrorOf(sum(251)), HasSubstr("nesting too deep"));
  EXPECT_EQ(ErrorOf("true" + Repeated("&&true", 1600)), "") << "chains are balanced";
  EXPECT_EQ(ErrorOf(Repeated("!", 5000) + "true"), "") << "two of them are none";
  EXPECT_THAT(ErrorOf(std::string(9000, '[')), HasSubstr("nesting too deep"));
}

TEST(Program, MacrosThatDoubleTheirOperandAreBounded) {
  EXPECT_THAT(ErrorOf("optional.of(1)" + Repeated(".optMap(x, x)", 60) + ".hasValue()"),
              HasSubstr("too large once its macros are expanded"));
}

TEST(Program, WhatIsNoUtf8IsRefused) {
  EXPECT_THAT(ErrorOf("'\xff' == ''"), HasSubstr("not valid UTF-8"));
}

}  // namespace
}  // namespace outrigger::cel
