
#include <gtest/gtest.h>

#include "cel/check/functions.h"
#include "cel/check/type.h"

namespace outrigger::cel {
namespace {

TEST(Signature, ReadsArgumentsResultAndCost) {
  TypePool pool;
  const auto overloads =
      ReadOverloads(".list(A),A>int | string,string>bool $lesser | >optional(A)", pool);
  ASSERT_EQ(overloads.size(), 3U);
  EXPECT_TRUE(overloads[0].member);
  EXPECT_EQ(overloads[0].variables, 1);
  EXPECT_EQ(FormatOverload("f", overloads[0]), "list(dyn).f(dyn)");
  EXPECT_FALSE(overloads[1].member);
  EXPECT_EQ(overloads[1].rule, CostRule::kTenthOfLesser);
  EXPECT_TRUE(overloads[2].arguments.empty());
  EXPECT_TRUE(IsOptional(*overloads[2].result));
}

TEST(Signature, StandsForEachTypeThatCanBeSorted) {
  TypePool pool;
  const auto overloads = ReadOverloads(".list({cmp})>{cmp}", pool);
  ASSERT_EQ(overloads.size(), 8U);
  EXPECT_EQ(FormatType(*overloads[6].result), "string");
}

TEST(Functions, AreFoundByName) {
  ASSERT_NE(FindFunction("sets.contains"), nullptr);
  EXPECT_EQ(FindFunction("contains")->overloads.size(), 1U);
  EXPECT_EQ(FindFunction("nothing"), nullptr);
}

TEST(Functions, SimilarNamesAreFound) {
  EXPECT_EQ(SimilarFunction("startWith"), "startsWith");
  EXPECT_EQ(SimilarFunction("is_greater_than"), "isGreaterThan");
  EXPECT_EQ(SimilarFunction("completelyDifferent"), "");
}

}  // namespace
}  // namespace outrigger::cel
