#include "cel/run/cost.h"

#include <gtest/gtest.h>

#include <array>

#include "cel/cel_testing.h"

namespace outrigger::cel {
namespace {

using testing::OutcomeOf;

uint64_t Cost(std::string_view text) {
  return OutcomeOf(text).cost;
}

TEST(Cost, TextsCountByTheTenth) {
  const std::array<Value, 2> args = {Value::String("aaaaaaaaaaa"), Value::String("b")};
  EXPECT_EQ(CostOf(CostRule::kTenthOfFirst, args, Value::Null()), 2U);
  EXPECT_EQ(CostOf(CostRule::kTenthOfSum, args, Value::Null()), 2U);
  EXPECT_EQ(CostOf(CostRule::kTenthOfLesser, args, Value::Null()), 1U);
  EXPECT_EQ(CostOfEqual(args[0], args[0]), 2U);
}

TEST(Cost, ConstantsAreFree) {
  EXPECT_EQ(Cost("true"), 0U);
  EXPECT_EQ(Cost("1 in [1, 2]"), 0U);
  EXPECT_EQ(Cost("bool('true')"), 0U);
}

TEST(Cost, SelectionsCountAndHasDoesNot) {
  EXPECT_EQ(Cost("device.driver == 'gpu.example.com'"), 4U);
  EXPECT_EQ(Cost("has(device.attributes['gpu.example.com'].absent)"), 3U);
  EXPECT_EQ(Cost("true ? device.driver == '' : false"), 2U);
}

TEST(Cost, LoopsCountEachStep) {
  EXPECT_EQ(Cost("[1, 2, 3].all(x, x > 0)"), 16U);
  EXPECT_EQ(Cost("[1, 2, 3].map(x, x * 2) == [2, 4, 6]"), 44U);
  EXPECT_EQ(Cost("lists.range(100).all(x, lists.range(100).all(y, x + y >= 0))"), 81612U);
}

TEST(Cost, WhatFailsCountsToo) {
  EXPECT_EQ(Cost("(1 / 0 == 0) || true"), 2U);
}

}  // namespace
}  // namespace outrigger::cel
