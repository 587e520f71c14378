#include "cel/check/unifier.h"

#include <gtest/gtest.h>

#include <array>

#include "cel/check/type.h"

namespace outrigger::cel {
namespace {

class UnifierTest : public ::testing::Test {
 protected:
  TypePool pool_;
  Unifier unifier_{pool_};
};

TEST_F(UnifierTest, AVariableStandsForWhatItMeets) {
  const Type* variable = unifier_.NewVariable();
  EXPECT_TRUE(unifier_.Assignable(pool_.List(variable), pool_.List(&types::kInt)));
  EXPECT_EQ(FormatType(*unifier_.Substitute(pool_.List(variable), false)), "list(int)");
  EXPECT_FALSE(unifier_.Assignable(&types::kString, variable));
}

TEST_F(UnifierTest, AnAttemptThatFailsIsForgotten) {
  const Type* variable = unifier_.NewVariable();
  const std::array<const Type*, 2> given = {&types::kInt, &types::kString};
  const std::array<const Type*, 2> wanted = {variable, &types::kBool};
  EXPECT_FALSE(unifier_.AssignableAll(given, wanted));
  EXPECT_EQ(unifier_.Substitute(variable, false), variable);
  EXPECT_EQ(unifier_.Substitute(variable, true), &types::kDyn);
}

TEST_F(UnifierTest, NoVariableStandsForATypeOfItself) {
  const Type* variable = unifier_.NewVariable();
  EXPECT_FALSE(unifier_.Assignable(variable, pool_.List(variable)));
}

TEST_F(UnifierTest, DynFitsEverythingAndNullWhatMayBeNull) {
  EXPECT_TRUE(unifier_.Assignable(&types::kAny, &types::kInt));
  EXPECT_TRUE(unifier_.Assignable(&types::kInt, &types::kDyn));
  EXPECT_TRUE(unifier_.Assignable(&types::kQuantity, &types::kNull));
  EXPECT_FALSE(unifier_.Assignable(&types::kInt, &types::kNull));
}

TEST_F(UnifierTest, TheLessSpecificTypeIsTheGeneralOne) {
  EXPECT_EQ(Unifier::MostGeneral(&types::kInt, &types::kDyn), &types::kDyn);
  EXPECT_EQ(Unifier::MostGeneral(&types::kDyn, &types::kInt), &types::kDyn);
}

}  // namespace
}  // namespace outrigger::cel
