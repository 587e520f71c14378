// Nominations and reservations of pods.
#include "gang/desk/nominations/memory_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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

TEST_F(MemoryTest, TriesLessAndLessOftenWhileNominationsCannotBeWritten) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Asked("uid-train-0", /*rejected=*/true, kBegin);
  int tries = 0;
  Time now = kBegin + seconds(1);
  const Time end = now + seconds(600);
  while (now < end) {
    for (const Nomination& nomination : Learn(*board.Make(), now)) {
      ++tries;
      memory_.Nominated(nomination, /*written=*/false, now);
    }
    ASSERT_TRUE(memory_.next_look());
    now = std::max(now + milliseconds(1), *memory_.next_look());
  }
  EXPECT_GT(tries, 10);
  EXPECT_LT(tries, 25) << "each minute, in the end";
}

// kube-scheduler may refuse a pod without asking: its claim is missing, say.
TEST_F(MemoryTest, NominatesASinglePodThatHoldsItsPlaceAndIsLeftAlone) {
  Pod pod = testing::MakePod("red");
  pod.unscheduled_reason = "Unschedulable";
  MakeBoard board;
  board.AddSingle(pod, "n1");
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(9)), IsEmpty()) << "it holds nothing";
  Memory memory(options_);
  board.Hold();
  const auto learn = [&](Time now) { return memory.Learn(*board.Make(), *snapshot_, now); };
  EXPECT_THAT(learn(kBegin), IsEmpty()) << "the scheduler tries it by itself";
  EXPECT_EQ(memory.next_look(), kBegin + seconds(1));
  EXPECT_THAT(learn(kBegin + milliseconds(999)), IsEmpty());
  EXPECT_THAT(learn(kBegin + seconds(1)), SizeIs(1));
}

TEST_F(MemoryTest, NominatesASinglePodThatHoldsItsPlaceAndIsNotBoundAfterItPassed) {
  Pod pod = testing::MakePod("red");
  pod.unscheduled_reason = "SchedulerError";
  MakeBoard board;
  board.Hold();
  board.AddSingle(pod, "n1");
  Learn(*board.Make(), kBegin);
  Asked("uid-red", /*rejected=*/false, kBegin + seconds(1));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(30)), IsEmpty()) << "it is being bound";
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(31)), SizeIs(1));
}

TEST_F(MemoryTest, WithdrawsANominationWithTheReservationThatEnds) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) {
    pod->nominated_node_name = "n1";
    pod->resource_version = "17";
  });
  board.Refuse("train", "cpu");
  const auto due = Learn(*board.Make(), kBegin + seconds(2));
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].node, "");
  EXPECT_EQ(due[0].pod->resource_version, "17") << "of the pod as it was when that was decided";
  memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(2));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(3)), IsEmpty()) << "the watch is behind";
}

TEST_F(MemoryTest, NominatesForTheSameNodeAgainOnlyWhenSomethingHasChanged) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Time now = kBegin + seconds(1);
  // Who was rejected again is nominated.
  const auto is_nominated = [&] {
    now += seconds(1);
    Asked("uid-train-0", /*rejected=*/true, now);
    snapshot_ = cluster_.Take()->snapshot;
    now += seconds(1);
    const auto due = Learn(*board.Make(), now);
    for (const Nomination& nomination : due) memory_.Nominated(nomination, true, now);
    return !due.empty();
  };
  EXPECT_FALSE(is_nominated());
  board.ChangeMember("train", 0, [](Pod* pod) { pod->unscheduled_message = "0/1 nodes"; });
  EXPECT_FALSE(is_nominated()) << "a condition is no change of the pod";
  cluster_.Put(testing::MakeNode("n1").Label("changed", "yes"));
  EXPECT_TRUE(is_nominated()) << "the node";
  EXPECT_FALSE(is_nominated());
  Pod other = testing::MakePod("other");
  other.node_name = "n1";
  cluster_.Put(other);
  EXPECT_TRUE(is_nominated()) << "its pods";
  EXPECT_FALSE(is_nominated());
  board.ChangeMember("train", 0, [](Pod* pod) { pod->tolerations = {{"gpu", "", true, {}}}; });
  EXPECT_TRUE(is_nominated()) << "the pod";
  EXPECT_FALSE(is_nominated());
}

// Its last call found it without a place, and the scheduler took the nomination back.
TEST_F(MemoryTest, NominatesForTheSameNodeAgainWhoHadNoPlaceMeanwhile) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(3)), IsEmpty());
  board.Refuse("train", "cpu");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(4)), IsEmpty());
  board.Accept("train");
  const auto due = Learn(*board.Make(), kBegin + seconds(5));
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].node, "n1");
  memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(5));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(6)), IsEmpty()) << "once is enough";
}

TEST_F(MemoryTest, NominatesForTheSameNodeAgainWhoseGroupWasGoneMeanwhile) {
  MakeBoard board;
  NominateAfterASecond(&board);
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2));
  board.Change("train",
               [](plan::GroupState* group) { group->cause = plan::GroupCause::kObjectMissing; });
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(3)), IsEmpty());
  board.Change("train", nullptr);
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(4)), SizeIs(1));
}

TEST_F(MemoryTest, MembersThatWaitAtTheBarrierStayWhereTheyAre) {
  MakeBoard board;
  board.AddGang("train", 2, 2);
  const auto units =
      Prepare(board, kBegin, {{LabelsGang("train"), {{.uid = "uid-train-1", .node = "n7"}}}});
  EXPECT_EQ(units[0].members[0].waits_on, "");
  EXPECT_EQ(units[0].members[1].waits_on, "n7");
}

TEST_F(MemoryTest, KeepsTheReservationOfAMemberWhoseCallIsLost) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  Learn(*board.Make(), kBegin);
  Asked("uid-train-0", /*rejected=*/false, kBegin);
  // Nothing more is heard of it, for longer than podMaxBackoffSeconds is anywhere.
  Learn(*board.Make(), kBegin + seconds(299));
  EXPECT_EQ(Prepare(board, kBegin + seconds(299))[0].members[0].reserved, "n1");
}

TEST_F(MemoryTest, ANominationThatASchedulerWithNothingToDoDoesNotAnswerIsToldOnceMore) {
  MakeBoard board;
  NominateAfterASecond(&board);
  const auto shows = [&](const std::string& node) {
    board.ChangeMember("train", 0, [&](Pod* pod) { pod->nominated_node_name = node; });
  };
  const auto learn = [&](int ms) { return Learn(*board.Make(), kBegin + milliseconds(ms)); };
  shows("n1");
  EXPECT_THAT(learn(2400), IsEmpty());
  EXPECT_EQ(memory_.next_look(), kBegin + milliseconds(2500));
  auto due = learn(2500);
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].node, "") << "withdrawn first";
  memory_.Nominated(due[0], /*written=*/true, kBegin + milliseconds(2500));
  EXPECT_THAT(learn(2510), IsEmpty()) << "until the watch shows that";
  shows("");
  due = learn(2520);
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].node, "n1");
  memory_.Nominated(due[0], /*written=*/true, kBegin + milliseconds(2520));
  shows("n1");
  EXPECT_THAT(learn(6000), IsEmpty()) << "once";
  EXPECT_THAT(Prepare(board, kBegin + seconds(6))[0].members[0].refused, IsEmpty());
}

// What was in the way of a held pod may have gone without an event that wakes it.
TEST_F(MemoryTest, AHeldPodThatWasRejectedAtItsPlaceIsWokenAgain) {
  MakeBoard board;
  Pod pod = testing::MakePod("held");
  board.AddSingle(pod, "n1");
  Asked(pod.uid, /*rejected=*/true, kBegin);
  const auto due = Learn(*board.Make(), kBegin + milliseconds(100));
  ASSERT_THAT(due, SizeIs(1));
  memory_.Nominated(due[0], /*written=*/true, kBegin + milliseconds(110));
  Asked(pod.uid, /*rejected=*/true, kBegin + milliseconds(200));
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(400)), IsEmpty());
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1700)), SizeIs(1));
}

TEST_F(MemoryTest, ARejectedSinglePodIsNominatedASecondAfterARestart) {
  MakeBoard board;
  board.Hold();
  Pod pod = testing::MakePod("held");
  pod.unscheduled_reason = "Unschedulable";
  board.AddSingle(pod, "n1");
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << "the scheduler may try it by itself";
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1000)), SizeIs(1));
}

// Another scheduler is at work meanwhile; the place is lost after that.
TEST_F(MemoryTest, WithdrawsTheNominationOfASinglePodAfterTheSchedulerHasChanged) {
  Pod pod = testing::MakePod("held");
  MakeBoard placed;
  placed.AddSingle(pod, "n1");
  Asked(pod.uid, /*rejected=*/true, kBegin);
  const auto due = Learn(*placed.Make(), kBegin + seconds(1));
  ASSERT_THAT(due, SizeIs(1));
  memory_.Nominated(due[0], /*written=*/true, kBegin + seconds(1));
  Asked(pod.uid, /*rejected=*/false, kBegin + seconds(2));
  memory_.ForgetScheduler(kBegin + seconds(3));
  pod.nominated_node_name = "n1";
  MakeBoard without;
  without.AddSingle(pod, "");
  const auto back = Learn(*without.Make(), kBegin + seconds(4));
  ASSERT_THAT(back, SizeIs(1)) << "it would keep the place from others for ever";
  EXPECT_EQ(back[0].node, "");
}

TEST_F(MemoryTest, WithdrawsTheSameNominationAgainIfItComesBack) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.Refuse("train", "cpu");
  const auto withdrawn_at = [&](int second, const std::string& shown) {
    board.ChangeMember("train", 0, [&](Pod* pod) { pod->nominated_node_name = shown; });
    const auto due = Learn(*board.Make(), kBegin + seconds(second));
    for (const Nomination& nomination : due) {
      memory_.Nominated(nomination, /*written=*/true, kBegin + seconds(second));
    }
    return !due.empty();
  };
  EXPECT_TRUE(withdrawn_at(2, "n1"));
  EXPECT_FALSE(withdrawn_at(3, "n1")) << "the watch is late";
  EXPECT_FALSE(withdrawn_at(4, ""));
  EXPECT_TRUE(withdrawn_at(5, "n1")) << "the agent of another host wrote it";
}

// The API server was too slow to withdraw it.
TEST_F(MemoryTest, ANominationWhosePlaceComesBackIsFollowedAgain) {
  MakeBoard board;
  NominateAfterASecond(&board);
  board.ChangeMember("train", 0, [](Pod* pod) { pod->nominated_node_name = "n1"; });
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1100)), IsEmpty());
  board.Refuse("train", "cpu");
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1200)), SizeIs(1));
  board.Accept("train");
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(1300)), IsEmpty());
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(2800)), SizeIs(1)) << "repeated";
}

// The scheduler answers a write before its result is here, and rejects the pod.
TEST_F(MemoryTest, AHeldPodThatWasRejectedBeforeTheResultOfItsNominationIsWokenAgain) {
  MakeBoard board;
  Pod pod = testing::MakePod("held");
  board.AddSingle(pod, "n1");
  Asked(pod.uid, /*rejected=*/true, kBegin);
  const auto due = Learn(*board.Make(), kBegin + milliseconds(100));
  ASSERT_THAT(due, SizeIs(1));
  Asked(pod.uid, /*rejected=*/true, kBegin + milliseconds(120));
  memory_.Nominated(due[0], /*written=*/true, kBegin + milliseconds(150),
                    kBegin + milliseconds(110));
  MakeBoard shows;
  pod.nominated_node_name = "n1";
  shows.AddSingle(pod, "n1");
  EXPECT_THAT(Learn(*shows.Make(), kBegin + milliseconds(1600)), IsEmpty());
  EXPECT_THAT(Learn(*shows.Make(), kBegin + milliseconds(1620)), SizeIs(1));
}

}  // namespace
}  // namespace outrigger::desk
