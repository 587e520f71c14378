#include <chrono>
#include <limits>
#include <optional>

#include "gang/plan/part_times.h"
#include "groups_testing.h"
#include "sdk/base/dialects.h"

// Which gangs that are bound in part come before others, before which, and for how long.

namespace outrigger::plan {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;

PodOf Worker(std::string_view name, std::string_view minimum) {
  return PodOf(name).Train(minimum).Created(9);
}
PodOf Started(std::string_view name, std::string_view minimum, std::string_view with) {
  return Worker(name, minimum).On("n").Annotation(kStartedWith, with);
}

TEST(InPart, AMemberThatIsBoundByHandPutsItsGangBeforeNoOther) {
  const Built built = Build({Worker("a", "3").On("n"), Worker("b", "3"), Worker("c", "3"),
                             PodOf("older").Created(1), PodOf("high").Priority(1).Created(99)});
  EXPECT_THAT(Brief(built.units), ElementsAre("high(high)", "older(older)", "train(b c)"));
}

TEST(InPart, AMinimumThatIsRaisedPutsARunningGangBeforeNoOther) {
  for (const bool started : {false, true}) {
    const auto running = [started](std::string_view name) {
      return started ? Started(name, "4", "2") : Worker(name, "4").On("n");
    };
    const Built built = Build({running("a"), running("b"), Worker("c", "4"), Worker("d", "4"),
                               PodOf("older").Created(1)});
    EXPECT_THAT(Brief(built.units), ElementsAre("older(older)", "train(c d)")) << started;
  }
}

// Users may write it, too: what is not bound says nothing.
TEST(InPart, WhatAPendingMemberSaysPutsItsGangBeforeNoOther) {
  const Built built =
      Build({Worker("a", "3").On("n"), Worker("b", "3").Annotation(kStartedWith, "3"),
             Worker("c", "3"), PodOf("older").Created(1)});
  EXPECT_THAT(Brief(built.units), ElementsAre("older(older)", "train(b c)"));
  EXPECT_EQ(built.groups[0].started_with, 0);
}

TEST(InPart, AGangThatLostAMemberComesFirstWithinItsPriorityAlone) {
  const Built built = Build({Started("a", "3", "3"), Started("b", "3", "3"), Worker("c", "3"),
                             PodOf("older").Created(1), PodOf("high").Priority(1),
                             PodOf("group").Label("groupPriority", "1")});
  EXPECT_THAT(Brief(built.units),
              ElementsAre("group(group)", "high(high)", "train(c)", "older(older)"));
}

TEST(InPart, OfALostGangThatIgnoresItNothingIsPreferred) {
  const auto ignores = [](PodOf pod) { return pod.Annotation(kOnMemberLoss, "ignore"); };
  const Built built = Build({ignores(Started("a", "3", "3")), ignores(Worker("b", "3")),
                             ignores(Worker("c", "3")), PodOf("older").Created(1)});
  EXPECT_THAT(Brief(built.units), ElementsAre("older(older)", "train(b c)"));
  EXPECT_TRUE(built.groups[0].in_part);
  EXPECT_FALSE(built.groups[0].preferred);
}

class InPartByRole : public ::testing::Test {
 protected:
  InPartByRole() { object_.min_task_member = {{"ps", 1}, {"worker", 2}}; }
  static PodOf Member(std::string_view name, std::string_view role) {
    return PodOf(name)
        .Member(Dialect::kVolcano, "train")
        .Annotation(RowOf(Dialect::kVolcano).role_key, role);
  }
  static PodOf Bound(std::string_view name, std::string_view role) {
    return Member(name, role).On("n").Annotation(kStartedWith, "3");
  }
  PodGroupObject object_ = ObjectOf(Dialect::kVolcano, "train", 1);
};

TEST_F(InPartByRole, StartsWithWhatAllRolesWant) {
  const Built built =
      Build({Member("ps", "ps"), Member("w0", "worker"), Member("w1", "worker")}, {object_});
  EXPECT_EQ(built.groups[0].starts_with, 3);
}

TEST_F(InPartByRole, ALossIsSeenThoughEnoughAreBound) {
  const Built built = Build(
      {Bound("w0", "worker"), Bound("w1", "worker"), Bound("w2", "worker"), Member("ps", "ps")},
      {object_});
  EXPECT_TRUE(built.groups[0].preferred);
}

TEST_F(InPartByRole, AMinimumOfARoleThatIsRaisedIsNoLoss) {
  object_.min_task_member = {{"ps", 1}, {"worker", 3}};
  const Built built = Build(
      {Bound("ps", "ps"), Bound("w0", "worker"), Bound("w1", "worker"), Member("w2", "worker")},
      {object_});
  EXPECT_TRUE(built.groups[0].broken);
  EXPECT_FALSE(built.groups[0].preferred);
}

TEST_F(InPartByRole, MinimumsOfAnySizeAreAddedUp) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  object_.min_task_member = {{"ps", kMost}, {"worker", kMost}};
  EXPECT_EQ(Build({Member("ps", "ps")}, {object_}).groups[0].starts_with, kMaxMembers);
}

class PartTimesTest : public ::testing::Test {
 protected:
  // The units in their order at that time.
  std::vector<std::string> At(std::chrono::seconds time) {
    table_.Update(pods_, {}, AllServed(), nullptr);
    times_.Limit(PartTimes::Time() + time, &table_.made());
    return Brief(table_.made().units);
  }
  void Lose() { pods_ = {Started("a", "2", "2"), Worker("b", "2"), older_}; }
  void Repair() { pods_ = {Started("a", "2", "2"), Started("b", "2", "2"), older_}; }
  std::optional<std::chrono::seconds> NextLook() const {
    if (!times_.next_look()) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(*times_.next_look() -
                                                            PartTimes::Time());
  }

  const PodPtr older_ = PodOf("older").Created(1);
  const std::vector<std::string> preferred_ = {"train(b)", "older(older)"};
  const std::vector<std::string> in_turn_ = {"older(older)", "train(b)"};
  Pods pods_;
  UnitTable table_;
  PartTimes times_;
};

TEST_F(PartTimesTest, AGangInPartIsPreferredForTenMinutes) {
  Lose();
  EXPECT_EQ(At(minutes(0)), preferred_);
  EXPECT_EQ(NextLook(), minutes(10));
  EXPECT_TRUE(table_.made().groups[0].preferred);
  EXPECT_EQ(At(minutes(10) - std::chrono::seconds(1)), preferred_);
  for (int round = 0; round < 2; ++round) {  // nothing has changed in the second one
    EXPECT_EQ(At(minutes(10 + round)), in_turn_);
    EXPECT_FALSE(table_.made().groups[0].preferred);
    EXPECT_TRUE(table_.made().groups[0].in_part);
    EXPECT_EQ(NextLook(), std::nullopt);
  }
}

TEST_F(PartTimesTest, ManyLossesOneAfterTheOtherHaveOneTime) {
  const auto seconds = [](int64_t count) { return std::chrono::seconds(count); };
  Lose();
  At(seconds(0));
  At(seconds(540));
  Repair();
  At(seconds(570));
  Lose();
  EXPECT_EQ(At(seconds(599)), preferred_);
  EXPECT_EQ(At(seconds(600)), in_turn_);
}

// As that of a gang whose members are bound one after another, and that is made again later.
TEST_F(PartTimesTest, AfterAMinuteInWhichItWasWholeAGangHasAllOfItsTimeAgain) {
  Lose();
  At(minutes(0));
  Repair();
  At(minutes(2));
  Lose();
  At(minutes(9));
  EXPECT_EQ(NextLook(), minutes(19));
  EXPECT_EQ(At(minutes(11)), preferred_);
}

TEST_F(PartTimesTest, AfterAQuietTimeAGangIsPreferredAgain) {
  Lose();
  At(minutes(0));
  EXPECT_EQ(At(minutes(30)), in_turn_) << "it was in part when it was last looked at";
  Repair();
  At(minutes(31));
  At(minutes(40));
  Lose();
  EXPECT_EQ(At(minutes(41)), preferred_);
}

}  // namespace
}  // namespace outrigger::plan
