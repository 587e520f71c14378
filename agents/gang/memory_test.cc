#include "memory.h"

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::gang {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Time kBegin = Time() + std::chrono::hours(1);

class MemoryTest : public ::testing::Test {
 protected:
  MemoryTest() {
    cluster_.Put(testing::MakeNode("n1"));
    snapshot_ = cluster_.Take()->snapshot;
  }

  // Nominations that are due after a plan of `board`.
  std::vector<Nomination> Learn(const Board& board, Time now) {
    std::vector<plan::Unit> units;
    std::vector<Resting> resting;
    memory_.Prepare({}, *snapshot_, now, &units, &resting);
    return memory_.Learn(board, *snapshot_, now);
  }
  std::vector<plan::Unit> Prepare(const MakeBoard& board, Time now) {
    std::vector<plan::Unit> units = board.Units();
    resting_.clear();
    memory_.Prepare({}, *snapshot_, now, &units, &resting_);
    return units;
  }
  void Asked(const std::string& uid, bool rejected, Time at) {
    Inbox inbox;
    inbox.Asked(uid, {.at = at, .rejected = rejected});
    memory_.Take(inbox.Take(), *snapshot_, at);
  }
  void Refused(const std::string& uid, const std::string& node, Time at) {
    Inbox inbox;
    inbox.Refused({"default/" + uid, uid, node, "taints"});
    memory_.Take(inbox.Take(), *snapshot_, at);
  }
  // A gang of one, whose member was rejected at the beginning and nominated for n1 a second later.
  void NominateAfterASecond(MakeBoard* board) {
    board->AddGang("train", 1, 1);
    Asked("uid-train-0", /*rejected=*/true, kBegin);
    const auto due = Learn(*board->Make(), kBegin + seconds(1));
    ASSERT_THAT(due, SizeIs(1));
    memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(1));
  }

  testing::FakeCluster cluster_;
  std::shared_ptr<const cluster::Snapshot> snapshot_;
  MemoryOptions options_;
  Memory memory_{options_};
  std::vector<Resting> resting_;
};

TEST_F(MemoryTest, NominatesWhoWasRejectedOnceItIsAsleep) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << "its filter call is to come";
  Asked("uid-train-0", /*rejected=*/true, kBegin);
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(50)), IsEmpty()) << "it is awake";
  EXPECT_EQ(memory_.next_look(), kBegin + milliseconds(100));
  const auto due = Learn(*board.Make(), kBegin + milliseconds(100));
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].node, "n1");
  memory_.Nominated(due[0], /*written=*/true, kBegin + milliseconds(110));
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(300)), IsEmpty()) << "once is enough";
}

TEST_F(MemoryTest, NominatesNobodyWhoseLastCallPassed) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Asked("uid-train-0", /*rejected=*/true, kBegin);
  Asked("uid-train-0", /*rejected=*/false, kBegin + milliseconds(1));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(1)), IsEmpty());
}

TEST_F(MemoryTest, TriesAgainLaterIfANominationCouldNotBeWritten) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Asked("uid-train-0", /*rejected=*/true, kBegin);
  const auto due = Learn(*board.Make(), kBegin + seconds(1));
  ASSERT_THAT(due, SizeIs(1));
  memory_.Nominated(due[0], /*written=*/false, kBegin + seconds(1));
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1050)), IsEmpty());
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1100)), SizeIs(1));
}

TEST_F(MemoryTest, TakesSilenceBehindANominationForARefusal) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Learn(*board.Make(), kBegin + seconds(5));
  EXPECT_THAT(Prepare(board, kBegin + seconds(5))[0].members[0].refused, IsEmpty());
  Learn(*board.Make(), kBegin + seconds(6));
  EXPECT_THAT(Prepare(board, kBegin + seconds(6))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(MemoryTest, ASchedulerThatIsAtWorkOnOtherPodsHasMoreTimeToAnswerANomination) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const auto refused_at = [&](int second, int last_call) {
    Inbox::Content content;
    content.last_call = kBegin + seconds(last_call);
    memory_.Take(content, *snapshot_, kBegin + seconds(second));
    Learn(*board.Make(), kBegin + seconds(second));
    return !Prepare(board, kBegin + seconds(second))[0].members[0].refused.empty();
  };
  EXPECT_FALSE(refused_at(20, 19));
  EXPECT_FALSE(refused_at(40, 39));
  EXPECT_FALSE(refused_at(43, 39));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(44));
  EXPECT_TRUE(refused_at(44, 39)) << "it has nothing to do, and does not ask";
}

TEST_F(MemoryTest, ASchedulerThatIsAlwaysAtWorkHasToAnswerANominationInTheEnd) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Inbox::Content content;
  content.last_call = kBegin + seconds(61);
  memory_.Take(content, *snapshot_, kBegin + seconds(61));
  Learn(*board.Make(), kBegin + seconds(61));
  EXPECT_THAT(Prepare(board, kBegin + seconds(61))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(MemoryTest, ForgetsARefusalWhenTheNodeHasChanged) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, ElementsAre("n1"));
  cluster_.Put(testing::MakeNode("n1").Label("changed", "yes"));
  snapshot_ = cluster_.Take()->snapshot;
  EXPECT_THAT(Prepare(board, kBegin)[0].members[0].refused, IsEmpty());
}

TEST_F(MemoryTest, AGangThatIsRefusedAgainAndAgainRestsForLongerAndLonger) {
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

TEST_F(MemoryTest, MembersThatAreRefusedOnceEachAreNoReasonToRest) {
  MakeBoard board;
  board.AddGang("train", 4, 4);
  Learn(*board.Make(), kBegin);
  for (const char* uid : {"uid-train-0", "uid-train-1", "uid-train-2"}) Refused(uid, "n1", kBegin);
  EXPECT_THAT(Prepare(board, kBegin), SizeIs(1));
}

TEST_F(MemoryTest, WhatWasRefusedBesideWaitersIsForgottenOnceNobodyWaits) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  Learn(*board.Make(), kBegin);
  const auto prepare = [&](bool waits) {
    std::vector<plan::Unit> units = board.Units();
    Pod spread = *units[0].members[0].pod;
    spread.topology_spread.emplace_back().topology_key = "zone";
    units[0].members[0].pod = std::make_shared<Pod>(std::move(spread));
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

TEST_F(MemoryTest, AGangThatKeepsPlacesForTooLongComesBehindThoseOfItsPriority) {
  MakeBoard board;
  board.AddGang("slow", 1, 1);
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(300));
  MakeBoard only;
  only.AddGang("slow", 1, 1);
  Learn(*only.Make(), kBegin + seconds(300));
  const auto timed_out = memory_.TakeTimedOut();
  ASSERT_THAT(timed_out, SizeIs(1));
  EXPECT_EQ(timed_out[0].key, LabelsGang("slow"));
  const auto units = Prepare(board, kBegin + seconds(301));
  ASSERT_THAT(units, SizeIs(2));
  EXPECT_EQ(units[0].key, LabelsGang("train"));
  EXPECT_EQ(units[1].rank.turn, 1);
}

TEST_F(MemoryTest, PodsForOneNodeComeBeforeAll) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  std::vector<plan::Unit> units = board.Units();
  plan::Unit& daemon = units.emplace_back();
  daemon.key = {plan::Dialect::kNone, "default", "daemon", "uid-daemon"};
  Pod pod = testing::MakePod("daemon");
  pod.affinity.required_node.emplace().terms.emplace_back().match_fields.emplace_back().key =
      "metadata.name";
  daemon.members.emplace_back().pod = std::make_shared<Pod>(pod);
  daemon.rank.name = "daemon";
  memory_.Prepare({}, *snapshot_, kBegin, &units, &resting_);
  EXPECT_EQ(units[0].key.name, "daemon");
}

}  // namespace
}  // namespace outrigger::gang
