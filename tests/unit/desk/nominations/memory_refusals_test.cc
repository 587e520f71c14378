// What the scheduler is taken to refuse, and until when.
#include "unit/desk/nominations/memory_refusals_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(RefusalTest, TakesSilenceBehindANominationForARefusal) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Learn(*board.Make(), kBegin + seconds(5));
  EXPECT_THAT(Prepare(board, kBegin + seconds(5))[0].members[0].refused, IsEmpty());
  Learn(*board.Make(), kBegin + seconds(6));
  EXPECT_THAT(Prepare(board, kBegin + seconds(6))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(RefusalTest, ASchedulerThatIsAtWorkOnOtherPodsHasMoreTimeToAnswerANomination) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const auto refused_at = [&](int second, int last_call) {
    Inbox::Content content;
    content.last_call = kBegin + seconds(last_call);
    Take(content, kBegin + seconds(second));
    Learn(*board.Make(), kBegin + seconds(second));
    return !Prepare(board, kBegin + seconds(second))[0].members[0].refused.empty();
  };
  EXPECT_FALSE(refused_at(20, 19));
  EXPECT_FALSE(refused_at(40, 39));
  EXPECT_FALSE(refused_at(43, 39));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(44));
  EXPECT_TRUE(refused_at(44, 39)) << "it has nothing to do, and does not ask";
}

TEST_F(RefusalTest, ASchedulerThatIsAlwaysAtWorkHasToAnswerANominationInTheEnd) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Inbox::Content content;
  content.last_call = kBegin + seconds(61);
  Take(content, kBegin + seconds(61));
  Learn(*board.Make(), kBegin + seconds(61));
  EXPECT_THAT(Prepare(board, kBegin + seconds(61))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(RefusalTest, ForgetsARefusalWhenTheNodeHasChanged) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, ElementsAre("n1"));
  cluster_.Put(testing::MakeNode("n1").Label("changed", "yes"));
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, IsEmpty());
}

TEST_F(RefusalTest, AGangThatIsRefusedAgainAndAgainRestsForLongerAndLonger) {
  for (const char* node : {"n2", "n3", "n4", "n5"}) cluster_.Put(testing::MakeNode(node));
  snapshot_ = cluster_.Take()->snapshot;
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  Refused("uid-train-0", "n2", kBegin);
  Refused("uid-train-0", "n2", kBegin);  // told twice
  EXPECT_THAT(Prepare(board, kBegin), SizeIs(1));
  Refused("uid-train-0", "n3", kBegin);
  EXPECT_THAT(Prepare(board, kBegin), IsEmpty());
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "kube-scheduler refuses default/uid-train-0 on n3: taints");
  EXPECT_THAT(Prepare(board, kBegin + seconds(1)), SizeIs(1)) << "a second";
  Refused("uid-train-0", "n4", kBegin + seconds(1));
  EXPECT_THAT(Prepare(board, kBegin + seconds(2)), IsEmpty());
  EXPECT_THAT(Prepare(board, kBegin + seconds(3)), SizeIs(1)) << "two";
}

TEST_F(RefusalTest, MembersThatAreRefusedOnceEachAreNoReasonToRest) {
  MakeBoard board;
  board.AddGang("train", 4, 4);
  Learn(*board.Make(), kBegin);
  for (const char* uid : {"uid-train-0", "uid-train-1", "uid-train-2"}) Refused(uid, "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin), SizeIs(1));
}

TEST_F(RefusalTest, WhatWasRefusedBesideWaitersIsForgottenOnceNobodyWaits) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  board.ChangeMember("train", 0,
                     [](Pod* pod) { pod->topology_spread.emplace_back().topology_key = "zone"; });
  Learn(*board.Make(), kBegin);
  const auto prepare = [&](bool waits) {
    std::vector<plan::Unit> units = board.Units();
    std::map<plan::UnitKey, std::vector<Waiting>> waiters;
    if (waits) waiters[LabelsGang("train")].push_back({"uid-train-1", "n1"});
    resting_.clear();
    memory_.Prepare(waiters, *snapshot_, kBegin, &units, &resting_);
    return units;
  };
  const auto refuse_beside_a_waiter = [&] {
    prepare(/*waits=*/true);
    Refused("uid-train-0", "n1", kBegin);
    return prepare(/*waits=*/true);
  };
  EXPECT_THAT(refuse_beside_a_waiter()[0].members[0].refused, ElementsAre("n1"));
  EXPECT_THAT(prepare(/*waits=*/false)[0].members[0].refused, IsEmpty());
  // Not for ever: after the third time it rests.
  refuse_beside_a_waiter();
  EXPECT_THAT(prepare(/*waits=*/false), SizeIs(1));
  refuse_beside_a_waiter();
  EXPECT_THAT(prepare(/*waits=*/false), IsEmpty());
}

TEST_F(RefusalTest, AConditionThatChangesBehindANominationAgainIsOne) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "") << "the cycle may have begun before it: told once more";
  EXPECT_EQ(Told(&board, 2, late), "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "n1", "0/2 nodes: 1 had a taint");
  EXPECT_TRUE(IsRefused(&board, 2));
}

// What the agent answered meanwhile was an error, which is what the condition says.
TEST_F(RefusalTest, WhatIsLeftOfATimeWithoutPlansIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "");
  EXPECT_EQ(Told(&board, 2, late), "n1");
  memory_.Pause(kBegin + seconds(3));
  Take({}, kBegin + seconds(4));
  Shows(&board, "", "extender gang: the cluster cannot be seen");
  EXPECT_FALSE(IsRefused(&board, 4));
}

// Nobody writes what the condition says already.
TEST_F(RefusalTest, TheSameRefusalAgainIsSeenByTheSilenceBehindIt) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string words = "0/2 nodes: 1 had a taint";
  Shows(&board, "n1", words);
  EXPECT_EQ(Told(&board, 2, words), "");
  EXPECT_EQ(Told(&board, 2, words), "n1");
  Inbox::Content content;
  content.last_call = kBegin + seconds(6);
  Take(content, kBegin + seconds(6));
  EXPECT_FALSE(IsRefused(&board, 6));
  EXPECT_TRUE(IsRefused(&board, 7)) << "whatever else the scheduler is at";
}

TEST_F(RefusalTest, ANominationThatOnlySeemedToBeClearedIsFollowed) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "", "0/2 nodes are available: 2 Insufficient cpu.");  // before it was written
  Learn(*board.Make(), kBegin + seconds(2));
  Shows(&board, "n1", "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_FALSE(IsRefused(&board, 3));
  EXPECT_TRUE(IsRefused(&board, 8));
}

// The watch is late with what the desk itself took back.
TEST_F(RefusalTest, ANominationThatWasTakenBackIsNotTakenForWrittenByALateWatch) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const std::string late = "0/2 nodes are available: 2 Insufficient cpu.";
  Shows(&board, "n1", late);
  EXPECT_EQ(Told(&board, 2, late), "");
  Shows(&board, "n1", late);  // still
  EXPECT_FALSE(IsRefused(&board, 2));
  EXPECT_FALSE(IsRefused(&board, 3));
  Shows(&board, "", late);
  EXPECT_EQ(Told(&board, 4, late), "n1") << "it is written a last time, not refused";
  EXPECT_FALSE(IsRefused(&board, 4));
}

// The watch is earlier than the result of that write.
TEST_F(RefusalTest, WhatTheDeskTookBackItselfIsNoSignOfTheScheduler) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  const auto due = Learn(*board.Make(), kBegin + seconds(3));
  ASSERT_THAT(due, SizeIs(1));
  ASSERT_TRUE(due[0].again);
  memory_.SetUnderWay({"uid-train-0"});
  Shows(&board, "");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(3)), IsEmpty());
  memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(3));
  memory_.SetUnderWay({});
  EXPECT_EQ(Told(&board, 3), "n1");
  Shows(&board, "n1", "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(Told(&board, 4), "") << "the first doubt, so it is no refusal yet";
  EXPECT_FALSE(IsRefused(&board, 4));
}

TEST_F(RefusalTest, ALastChanceIsNotRepeated) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_EQ(Told(&board, 3), "n1");
  EXPECT_EQ(Told(&board, 6), "-");
  EXPECT_TRUE(IsRefused(&board, 8));
}

TEST_F(RefusalTest, ANominationAfterARefusalIsRepeatedAsTheFirstWas) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_EQ(Told(&board, 3), "");
  EXPECT_EQ(Told(&board, 3), "n1");
  ASSERT_TRUE(IsRefused(&board, 8));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 38));
  EXPECT_EQ(Told(&board, 38), "n1");
  EXPECT_EQ(Told(&board, 40), "") << "to be repeated";
}

TEST_F(RefusalTest, AConditionWithAReasonOfOursIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) {
    pod->unscheduled_message =
        "0/2 nodes are available: 1 gang default/train waits: cpu (see outrigger explain gang).";
  });
  EXPECT_FALSE(IsRefused(&board, 2));
}

TEST_F(RefusalTest, ANominationThatIsClearedAgainIsOne) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_EQ(Told(&board, 3), "n1") << "the cycle may have begun before it: told once more";
  EXPECT_FALSE(IsRefused(&board, 3));
  Shows(&board, "");
  EXPECT_TRUE(IsRefused(&board, 4));
}

// Many calls later a cycle may be late again.
TEST_F(RefusalTest, ANominationThatIsClearedAgainBehindACallIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Shows(&board, "n1");
  EXPECT_FALSE(IsRefused(&board, 2));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 3));
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(3));
  EXPECT_EQ(Told(&board, 4), "n1");
  EXPECT_FALSE(IsRefused(&board, 4));
  Shows(&board, "");
  EXPECT_FALSE(IsRefused(&board, 5));
}

TEST_F(RefusalTest, ANominationThatIsOverwrittenByOthersIsNone) {
  EXPECT_FALSE(IsRefusedWhenItBecomes("n2"));
}

// A binding that fails takes the nomination with it: that is no refusal.
TEST_F(RefusalTest, ANominationThatIsClearedAfterThePodPassedIsNone) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) { pod->nominated_node_name = "n1"; });
  EXPECT_FALSE(IsRefused(&board, 2));
  Asked("uid-train-0", /*rejected=*/false, kBegin + seconds(2));
  board.ChangeMember("train", 0, [](Pod* pod) { pod->nominated_node_name = ""; });
  EXPECT_FALSE(IsRefused(&board, 3));
}

}  // namespace
}  // namespace outrigger::desk
