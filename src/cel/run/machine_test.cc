#include "cel/run/machine.h"

#include <gtest/gtest.h>

#include "cel/cel_testing.h"

namespace outrigger::cel {
namespace {

using testing::IsTrue;
using testing::OutcomeOf;

TEST(Machine, WhatIsBoundIsComputedAtItsFirstUseAndOnce) {
  EXPECT_TRUE(IsTrue("cel.bind(x, 1 / 0, true)")) << "never used";
  EXPECT_EQ(OutcomeOf("cel.bind(x, 1 / 0, x == 1)").verdict, Verdict::kFailed);
  EXPECT_LT(OutcomeOf("cel.bind(x, lists.range(50).size(), x + x + x > 0)").cost, 2 * 62U);
}

// The initial value has loops of its own, which run while another loop is under way.
TEST(Machine, ABoundValueLeavesTheVariablesOfLoopsAlone) {
  EXPECT_TRUE(IsTrue("cel.bind(x, [7, 8].map(y, y + 1), [1, 2].map(z, x[0] + z) == [9, 10])"));
  EXPECT_TRUE(
      IsTrue("[1, 2].map(i, cel.bind(x, [i].map(j, j * 2), [3].map(k, x[0] + k)[0])) == [5, 7]"));
}

TEST(Machine, LoopsOverMapsHaveKeysAndValues) {
  EXPECT_TRUE(IsTrue("{'a': 1, 'b': 2}.all(k, k in ['a', 'b'])"));
  EXPECT_TRUE(IsTrue("{'a': 1}.exists(k, v, k == 'a' && v == 1)"));
  EXPECT_TRUE(IsTrue("[5].transformList(i, v, i + v) == [5]"));
  EXPECT_TRUE(IsTrue("{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}"));
}

TEST(Machine, AnAbsentPartOfAnOptionalIsNone) {
  EXPECT_TRUE(IsTrue("device.attributes['gpu.example.com'].?absent.orValue(5) == 5"));
  EXPECT_TRUE(IsTrue("[1][?3].hasValue() == false"));
  EXPECT_TRUE(IsTrue("optional.of({'a': {'b': 1}}).a.b.value() == 1"));
  EXPECT_TRUE(IsTrue("{'a': 1, ?'b': optional.none()} == {'a': 1}"));
  EXPECT_EQ(OutcomeOf("optional.none().value() == 1").verdict, Verdict::kFailed);
}

TEST(Machine, ListsThatGrowShareTheirItems) {
  EXPECT_TRUE(
      IsTrue("cel.bind(a, [1, 2].map(x, x), cel.bind(b, a + [3], cel.bind(c, a + [4], "
             "a == [1, 2] && b == [1, 2, 3] && c == [1, 2, 4])))"));
}

TEST(Machine, SomeErrorsAreAbsorbedByNothing) {
  EXPECT_EQ(OutcomeOf("dyn(b'x') in {'a': 1} || true").verdict, Verdict::kFailed);
  EXPECT_EQ(OutcomeOf("[1].slice(2, 1).sort() == [] || true").verdict, Verdict::kFailed);
}

}  // namespace
}  // namespace outrigger::cel
