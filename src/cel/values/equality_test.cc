#include "cel/values/equality.h"

#include <gtest/gtest.h>

#include <limits>

#include "cel/values/collections.h"
#include "cel/values/semver.h"

namespace outrigger::cel {
namespace {

bool Same(const Value& a, const Value& b) {
  WorkBudget work;
  return Equal(a, b, work);
}

TEST(Equality, NumbersAreComparedByValue) {
  EXPECT_TRUE(Same(Value::Int(1), Value::Double(1.0)));
  EXPECT_TRUE(Same(Value::Uint(1), Value::Int(1)));
  EXPECT_FALSE(Same(Value::Int(-1), Value::Uint(UINT64_MAX)));
  EXPECT_FALSE(Same(Value::Double(std::numeric_limits<double>::quiet_NaN()),
                    Value::Double(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::is_lt(CompareNumbers(Value::Int(INT64_MAX), Value::Double(1e300))));
  EXPECT_TRUE(std::is_gt(CompareNumbers(Value::Uint(0), Value::Double(-0.5))));
  EXPECT_TRUE(std::is_eq(CompareNumbers(Value::Int(INT64_MAX), Value::Double(0x1p63))));
}

TEST(Equality, OtherKindsAreUnequal) {
  EXPECT_FALSE(Same(Value::String("1"), Value::Int(1)));
  EXPECT_FALSE(Same(Value::Bytes("a"), Value::String("a")));
  EXPECT_FALSE(Same(Value::Null(), Value::Bool(false)));
}

TEST(Equality, AVersionCannotBeComparedWithATextOnItsRight) {
  const Semver version = {1, 2, 3, {}, {}};
  WorkBudget work;
  EXPECT_EQ(CompareEquality(Value::Of(&version), Value::String("1.2.3"), work),
            Equality::kIncomparable);
  EXPECT_EQ(CompareEquality(Value::String("1.2.3"), Value::Of(&version), work), Equality::kUnequal);
  EXPECT_EQ(CompareEquality(Value::Of(&version), Value::Null(), work), Equality::kUnequal);
}

TEST(Equality, ListsAreEqualItemByItem) {
  Arena arena;
  const Value items[] = {Value::Int(1), Value::Int(2)};
  const Value doubles[] = {Value::Double(1), Value::Double(2)};
  EXPECT_TRUE(Same(MakeList(arena, items), MakeList(arena, doubles)));
  EXPECT_FALSE(Same(MakeList(arena, items), MakeList(arena, {items, 1})));
}

TEST(Equality, WorkIsBounded) {
  Arena arena;
  Value list = Value::List(nullptr, 0);
  for (int i = 0; i < 60; ++i) {
    const Value both[] = {list, list};
    list = MakeList(arena, both);
  }
  WorkBudget work{1000};
  Equal(list, list, work);
  EXPECT_LT(work.left, 0);
  EXPECT_GT(work.left, -1000);
}

TEST(Compare, OnlyKindsThatHaveAnOrder) {
  EXPECT_TRUE(std::is_lt(*Compare(Value::String("B"), Value::String("a"))));
  EXPECT_TRUE(std::is_lt(*Compare(Value::Bool(false), Value::Bool(true))));
  EXPECT_FALSE(Compare(Value::String("1"), Value::Int(1)));
  EXPECT_FALSE(Compare(Value::Null(), Value::Null()));
}

}  // namespace
}  // namespace outrigger::cel
