// Classes that people and policies change, or that are left alone.
#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"
#include "outrigger/penalty/base_value.h"

namespace outrigger::penalty {
namespace {

using ::testing::Contains;

TEST_F(PenaltyKeeper, TouchesNoClassThatIsNotSelected) {
  cluster_.keep().Put([] {
    PriorityClass plain = ClassOf("plain", 500);
    plain.labels = {};
    return plain;
  }());
  Show("job", "Running", "plain");
  Look();
  EXPECT_EQ(Value("plain"), 500);
  EXPECT_EQ(Mark("job"), "");
}

TEST_F(PenaltyKeeper, AdoptsAClassThatAPersonMadeAgain) {
  Become("job", "Running");
  EXPECT_EQ(Value(), 900);
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  cluster_.keep().Put(ClassOf("gold", 2000));
  Look();
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyAdopted"));
  EXPECT_EQ(Value(), 1900) << "the penalty stays, the base is the new one";
}

TEST_F(PenaltyKeeper, ForgetsAClassThatAPersonDeleted) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep().Remove("gold").ok());
  Look();
  Pass(60'000);
  EXPECT_EQ(Value(), -1);
}

TEST_F(PenaltyKeeper, GivesAClassItsBaseBackThatIsNotSelectedAnyMore) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  EXPECT_EQ(Value(), 1000);
}

TEST_F(PenaltyKeeper, LeavesAClassWithAFinalizerAloneAndSaysSoOnce) {
  ASSERT_TRUE(
      cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->finalizers = {"a.b/c"}; }).ok());
  Become("job", "Running");
  Look();
  EXPECT_EQ(Value(), 1000);
  const auto reasons = EventReasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "PriorityClass gold PenaltyRefused"), 1);
}

TEST_F(PenaltyKeeper, LeavesAClassAloneWhoseAnnotationIsMalformed) {
  cluster_.keep().Put(ClassOf("silver", 500));
  ASSERT_TRUE(cluster_.keep()
                  .Edit("gold",
                        [](PriorityClass* gold) {
                          gold->annotations.Set("outrigger.dev/penalty-half-life", "soon");
                        })
                  .ok());
  Look();
  Show("a", "Running");
  Show("b", "Running", "silver");
  Look();
  EXPECT_EQ(Value(), 1000);
  EXPECT_EQ(Value("silver"), 400);
}

TEST_F(PenaltyKeeper, SaysThatTheGlobalDefaultIsLeftAlone) {
  PriorityClass normal = ClassOf("normal", 10);
  normal.global_default = true;
  cluster_.keep().Put(normal);
  Look();
  EXPECT_THAT(EventReasons(), Contains("PriorityClass normal PenaltyRefused"));
}

TEST_F(PenaltyKeeper, KeepsTheAccountOfAClassThatCannotBeGivenBack) {
  Become("job", "Running");
  ASSERT_TRUE(cluster_.keep()
                  .Edit("gold",
                        [](PriorityClass* gold) {
                          gold->labels = {};
                          gold->finalizers = {"a.b/c"};
                        })
                  .ok());
  Look();
  EXPECT_EQ(Value(), 900);
  ASSERT_TRUE(
      cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->finalizers = {}; }).ok());
  for (int i = 0; i < 5; ++i) Pass(60'000);
  EXPECT_EQ(Value(), 1000);
}

TEST_F(PenaltyKeeper, KeepsTheBaseOfAClassWhoseAnnotationAdmissionTakesAway) {
  cluster_.keep().StripAnnotation(std::string(kBaseValueAnnotation));
  Become("job", "Running");
  Become("other", "Running");
  for (int i = 0; i < 10; ++i) Pass(60'000);
  EXPECT_EQ(Value(), 1000);
  EXPECT_THAT(EventReasons(), Contains("PriorityClass gold PenaltyRefused"));
}

// A view that has heard of the delete, and of the create not yet.
TEST_F(PenaltyKeeper, KeepsTheFloorThatAClassSetsWhichIsAwayForAMoment) {
  Ledger ledger;
  ClassAccount silver;
  silver.name = "silver";
  silver.base = 600;
  ASSERT_TRUE(ledger.Add(silver).ok());
  const std::vector<PriorityClass> classes = {ClassOf("gold", 1000)};
  const ClassTable table = MakeClassTable(classes, ledger, *OptionsFrom(Fair()));
  EXPECT_EQ(table.at("gold").bounds.floor, 601);
}

}  // namespace
}  // namespace outrigger::penalty
