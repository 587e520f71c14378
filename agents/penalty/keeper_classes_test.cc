// Classes that people and policies change, or that are left alone.
#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "keeper_testing.h"
#include "penalty/classes/base_value.h"

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

TEST_F(PenaltyKeeper, SeriesOfAClassGoWithIt) {
  Become("job", "Running");
  EXPECT_EQ(metrics_.gauges["outrigger_penalty_value gold"], 900);
  EXPECT_EQ(metrics_.gauges["outrigger_penalty_points gold"], 100);
  ASSERT_TRUE(cluster_.keep().Edit("gold", [](PriorityClass* gold) { gold->labels = {}; }).ok());
  Look();
  Look();
  EXPECT_FALSE(metrics_.gauges.contains("outrigger_penalty_value gold"));
  cluster_.keep().Put(ClassOf("silver", 500));
  Look();
  EXPECT_TRUE(metrics_.gauges.contains("outrigger_penalty_points silver"));
  ASSERT_TRUE(cluster_.keep().Remove("silver").ok());
  Look();
  EXPECT_FALSE(metrics_.gauges.contains("outrigger_penalty_points silver"));
}

// By the names and values of the original's cluster.
TEST_F(PenaltyKeeper, SaysOnceThatAClassHasNoRoomAndFollowsTheClassesBelow) {
  cluster_.keep().Put(ClassOf("h-priority", 1000));
  cluster_.keep().Put(ClassOf("next", 1001));
  cluster_.keep().Put(ClassOf("high-priority", 10'001));
  Look();
  Show("job", "Running", "next");
  Look();
  EXPECT_EQ(Value("next"), 1001);
  const auto no_room = [&](const std::string& name) {
    const auto reasons = EventReasons();
    return std::count(reasons.begin(), reasons.end(),
                      "PriorityClass " + name + " PenaltyHasNoRoom");
  };
  EXPECT_EQ(no_room("next"), 1);
  EXPECT_EQ(no_room("high-priority"), 0);
  EXPECT_THAT(
      log_,
      Contains(::testing::HasSubstr("class next: its value can fall from 1001 only to 1001")));
  Show("big", "Running", "high-priority");
  Look();
  EXPECT_EQ(Value("high-priority"), 9901);
  // Koordinator is installed: nothing may fall below 10000 now. Then it goes.
  cluster_.keep().Put(ClassOf("koord-prod", 9999));
  Look();
  EXPECT_EQ(Value("high-priority"), 10'000);
  EXPECT_EQ(no_room("high-priority"), 1);
  ASSERT_TRUE(cluster_.keep().Remove("koord-prod").ok());
  Pass(1);
  EXPECT_EQ(Value("high-priority"), 9901);
}

}  // namespace
}  // namespace outrigger::penalty
