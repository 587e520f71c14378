// Whose nomination it is that a pod has: after a restart, and where kube-scheduler evicts for pods.
#include "gang/desk/nominations/memory_ahead_testing.h"
#include "gang/plan/call_resources.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(MemoryAheadTest, AfterARestartThePlanPrefersWhatMembersAreNominatedFor) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  Show(&board, "train", 0, "n2");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].ahead, "n2");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[1].ahead, "");
}

TEST_F(MemoryAheadTest, AfterARestartWhatHasNoPlaceIsTakenBack) {
  MakeBoard board;
  AddGang(&board, "asks", 1);
  AddGang(&board, "gated", 1);
  board.AddGang("single", 1, 1, "1");  // does not ask: the scheduler may have evicted others for it
  Gate(&board, "gated", 0, true);
  for (const char* gang : {"asks", "gated", "single"}) {
    Show(&board, gang, 0, "n1");
    board.Refuse(gang, "cpu");
  }
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin)), ElementsAre("asks-0:", "gated-0:"));
}

// Where all pods are asked about the preempt call gives members none.
class MemoryAskedTest : public MemoryAheadTest {
 protected:
  MemoryAskedTest() : MemoryAheadTest({}, /*asks_about_all=*/true) {}
};

TEST_F(MemoryAskedTest, EachNominationOfAMemberIsOurs) {
  MakeBoard board;
  for (const char* gang : {"lost", "moved"}) {
    board.AddGang(gang, 1, 1, "1");
    Show(&board, gang, 0, "n2");
  }
  board.Refuse("lost", "cpu");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin)), ElementsAre("lost-0:", "moved-0:n1"));
}

TEST_F(MemoryAheadTest, ANominationOfASinglePodThatAsksIsTheSchedulers) {
  MakeBoard board;
  Pod single = testing::MakePod("single");
  single.uid = "uid-single";
  single.containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
  single.nominated_node_name = "n1";
  board.AddSingle(single);
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << "its victims are leaving";
}

TEST_F(MemoryAheadTest, ANominationOfTheSchedulersIsNotOverwritten) {
  MakeBoard board;
  board.AddGang("single", 1, 1, "1");
  board.AddSingle(testing::MakePod("beside"));
  Show(&board, "single", 0, "n2");
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  Show(&board, "single", 0, "");
  const auto due = Learn(*board.Make(), kBegin + seconds(1));
  EXPECT_THAT(Texts(due), ElementsAre("single-0:n1"));
  Write(due, kBegin + seconds(1));
  Show(&board, "single", 0, "n1");
  Learn(*board.Make(), kBegin + seconds(1));
  board.Refuse("single", "cpu");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(2))), ElementsAre("single-0:"))
      << "it is our own";
}

TEST_F(MemoryAheadTest, TakesBackBeforeItWrites) {
  MakeBoard board;
  AddGang(&board, "first", 1);
  AddGang(&board, "last", 1);
  Show(&board, "last", 0, "n1");
  board.Refuse("last", "cpu");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin)), ElementsAre("last-0:", "first-0:n1"));
}

// From 1.35 on kube-scheduler nominates what waits for its binding.
TEST_F(MemoryAskedTest, APodIsWhereTheSchedulerSaysThatItGoes) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  board.AddSingle(testing::MakePod("beside"));
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin);
  Show(&board, "train", 0, "n2");
  EXPECT_EQ(Prepare(board, kBegin + seconds(1))[0].members[0].reserved, "n2");
  board.Refuse("train", "cpu");
  EXPECT_THAT(memory_.Learn(*board.Make(), *snapshot_, kBegin + seconds(1)), IsEmpty())
      << "it is being bound there";
  EXPECT_EQ(Prepare(board, kBegin + seconds(2))[0].members[0].reserved, "n2");
  EXPECT_THAT(Prepare(board, kBegin + seconds(2))[0].members[0].refused, IsEmpty());
  Show(&board, "train", 0, "");
  EXPECT_EQ(Prepare(board, kBegin + seconds(3))[0].members[0].reserved, "") << "it was rejected";
}

// The watch shows both in one, or the result of our write is not here yet, or not known.
class SaidAfterUs : public MemoryAskedTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SaidAfterUs, IsTheWordOfAnother) {
  const std::string ours = GetParam();
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  board.AddSingle(testing::MakePod("beside"));
  const auto due = Learn(*board.Make(), kBegin);
  ASSERT_THAT(Texts(due), ElementsAre("train-0:n1"));
  if (ours == "UnderWay") {
    memory_.SetUnderWay({"uid-train-0"});
  } else {
    memory_.Nominated(due[0], /*written=*/ours == "Written", kBegin);
  }
  Show(&board, "train", 0, "n2");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].reserved, "n2");
  memory_.SetUnderWay({});
  EXPECT_THAT(memory_.Learn(*board.Make(), *snapshot_, kBegin + seconds(1)), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Of, SaidAfterUs, ::testing::Values("Written", "UnderWay", "Failed"),
                         [](const auto& row) { return std::string(row.param); });

TEST_F(MemoryAskedTest, APodThatWeNominatedForNoNodeIsWhereOthersSay) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << "its places are its own";
  Show(&board, "train", 0, "n9");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].reserved, "n9") << "a node that comes";
  for (const int second : {0, 100, 1000}) {
    EXPECT_THAT(memory_.Learn(*board.Make(), *snapshot_, kBegin + seconds(second)), IsEmpty());
  }
  EXPECT_THAT(Prepare(board, kBegin + seconds(1000))[0].members[0].refused, IsEmpty());
}

TEST_F(MemoryAskedTest, APodThatGoesToItsPlaceKeepsItAndOneThatGoesElsewhereDoesNot) {
  for (const std::string node : {"n1", "n2"}) {
    MakeBoard board;
    board.AddGang(node, 1, 1, "1");
    board.AddSingle(testing::MakePod("beside"));
    Learn(*board.Make(), kBegin);
    Show(&board, node, 0, node);
    Prepare(board, kBegin);
    memory_.Learn(*board.Make(), *snapshot_, kBegin);
    EXPECT_EQ(memory_.nominated().AreOwn(LabelsGang(node)), node == "n1");
  }
}

TEST_F(MemoryAskedTest, APodOfAGroupThatIsNotPlannedGoesWhereTheSchedulerSays) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  Learn(*board.Make(), kBegin);
  Show(&board, "train", 0, "n2");
  Prepare(board, kBegin);
  board.Change("train",
               [](plan::GroupState* group) { group->cause = plan::GroupCause::kTooFewMembers; });
  EXPECT_THAT(memory_.Learn(*board.Make(), *snapshot_, kBegin), IsEmpty());
}

TEST_F(MemoryAskedTest, AGatedPodIsWhereNobodySays) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  Gate(&board, "train", 0, true);
  Learn(*board.Make(), kBegin);
  Show(&board, "train", 0, "n2");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].reserved, "n1") << "no scheduler tries it";
}

TEST_F(MemoryAskedTest, APodThatIsRefusedWhereOthersSayThatItGoesIsThereNoMore) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  Learn(*board.Make(), kBegin);
  Show(&board, "train", 0, "n2");
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].reserved, "n2");
  Refused("uid-train-0", "n2", kBegin);
  for (const int second : {0, 1}) {
    const auto units = Prepare(board, kBegin + seconds(second));
    EXPECT_NE(units[0].members[0].reserved, "n2");
    EXPECT_THAT(units[0].members[0].refused, ElementsAre("n2"));
  }
}

TEST_F(MemoryAskedTest, WhatCameWhileAnotherAgentWasInChargeIsOurs) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  Learn(*board.Make(), kBegin);
  memory_.Pause(kBegin);
  Take({}, kBegin + seconds(1));
  Show(&board, "train", 0, "n2");
  Prepare(board, kBegin + seconds(1));
  board.Refuse("train", "cpu");
  EXPECT_THAT(Texts(memory_.Learn(*board.Make(), *snapshot_, kBegin + seconds(1))),
              ElementsAre("train-0:"));
}

TEST_F(MemoryAskedTest, WhatTheWatchIsLateWithIsNoneOfOthers) {
  MakeBoard board;
  board.AddGang("train", 1, 1, "1");
  board.AddSingle(testing::MakePod("beside"));
  const auto due = Learn(*board.Make(), kBegin);
  memory_.SetUnderWay({"uid-train-0"});
  Show(&board, "train", 0, "n1");
  Prepare(board, kBegin);
  Write(due, kBegin);
  memory_.SetUnderWay({});
  Learn(*board.Make(), kBegin);
  Prepare(board, kBegin);
  board.Refuse("train", "cpu");
  EXPECT_THAT(Texts(memory_.Learn(*board.Make(), *snapshot_, kBegin)), ElementsAre("train-0:"));
}

}  // namespace
}  // namespace outrigger::desk
