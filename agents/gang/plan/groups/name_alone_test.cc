#include "groups_testing.h"

// Pods that name their group (podGroup) and not its minimum.

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PodOf Worker(std::string_view name) {
  return PodOf(name).Label(kPodGroupLabel, "train");
}
GroupState StateOf(const Built& built) {
  EXPECT_EQ(built.groups.size(), 1U);
  return built.groups.empty() ? GroupState() : built.groups[0];
}

TEST(NameAlone, IsAMemberWhereAnotherPodNamesTheMinimum) {
  const Built built = Build({Worker("worker").Created(1), PodOf("leader").Train("2").Created(2)});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(worker leader)"));
  EXPECT_EQ(built.units[0].minimum, 2);
  EXPECT_THAT(built.notes, IsEmpty());
}

TEST(NameAlone, IsNotEnoughForAMinimumOfMore) {
  const Built built = Build({Worker("worker"), PodOf("leader").Train("3")});
  EXPECT_THAT(built.units, IsEmpty());
  EXPECT_EQ(StateOf(built).text, "2 of 3 members exist");
}

TEST(NameAlone, ComesByItselfWhereNoPodNamesAMinimum) {
  const Pods groups[] = {{Worker("a"), Worker("b")},
                         {Worker("a"), PodOf("b").Train("two")},
                         {Worker("a"), Worker("b"), PodOf("l").Train("9").Phase("Failed")},
                         {Worker("a"), Worker("b"), PodOf("l").Train("9").In("other").On("n")}};
  for (const Pods& pods : groups) {
    const Built built = Build(pods);
    EXPECT_THAT(Brief(built.units), ElementsAre("a(a)", "b(b)"));
    EXPECT_TRUE(built.groups[0].independent);
    EXPECT_EQ(built.groups[0].cause, GroupCause::kNone);
    EXPECT_LE(built.notes.size(), 1U) << "one line for each group";
  }
  EXPECT_THAT(Build(groups[0]).notes,
              ElementsAre(IsNote(NoteKind::kUnreadMarker, "default/train",
                                 "no pod of the group names its minimum (label minAvailable)")));
}

TEST(NameAlone, ThatStartedByItselfIsABoundMember) {
  const Built built = Build({Worker("worker").On("node"), PodOf("leader").Train("2")});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(leader)"));
  EXPECT_EQ(built.units[0].bound, 1);
  EXPECT_FALSE(StateOf(built).in_part) << "it has lost nothing";
}

TEST(NameAlone, HasTheMinimumOfTheOldestThatNamesOneAndAnotherOneIsNoted) {
  const Built built = Build(
      {Worker("w").Created(1), PodOf("b").Train("3").Created(3), PodOf("a").Train("2").Created(2)});
  EXPECT_EQ(built.units[0].minimum, 2);
  EXPECT_THAT(built.notes,
              ElementsAre(IsNote(NoteKind::kMinimumsDiffer, "default/train",
                                 "values of label minAvailable; 2 counts, from the oldest, a")));
}

// The minimum is known from what runs when the leader, which named it, is lost.
TEST(NameAlone, IsPlannedByTheStartOfItsGangWhileTheLeaderIsAway) {
  const auto running = [](std::string_view name) {
    return Worker(name).On("node").Annotation(kStartedWith, "3");
  };
  const Built built = Build({running("a"), running("b"), Worker("c").Created(9)});
  EXPECT_THAT(Brief(built.units), ElementsAre("train(c)"));
  EXPECT_TRUE(StateOf(built).in_part);
  EXPECT_EQ(StateOf(built).minimum, 3);
  EXPECT_THAT(built.notes, IsEmpty());
}

TEST(NameAlone, IsLookedAtAgainWhenTheLeaderComes) {
  const PodPtr worker = Worker("worker");
  UnitTable table;
  table.Update(Pods{worker}, {}, AllServed(), nullptr);
  EXPECT_THAT(Brief(table.made().units), ElementsAre("worker(worker)"));
  const PodPtr leader = PodOf("leader").Train("2");
  table.Update(Pods{worker, leader}, {}, AllServed(), nullptr);
  EXPECT_THAT(Brief(table.made().units), ElementsAre("train(leader worker)"));
  table.Update(Pods{worker}, {}, AllServed(), nullptr);
  EXPECT_THAT(Brief(table.made().units), ElementsAre("worker(worker)"));
}

}  // namespace
}  // namespace outrigger::plan
