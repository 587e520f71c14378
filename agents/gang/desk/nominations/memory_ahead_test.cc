// Nominations by which places hold inside kube-scheduler.
#include <string>
#include <vector>

#include "gang/desk/nominations/memory_ahead_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(MemoryAheadTest, NominatesMembersThatWereNeverRejected) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin)), ElementsAre("train-0:n1", "train-1:n1"));
}

TEST_F(MemoryAheadTest, NominatesNoMemberThatTheSchedulerHasLetPass) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  Learn(*board.Make(), kBegin);
  Asked("uid-train-0", /*rejected=*/false, kBegin + milliseconds(1));
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + milliseconds(200))), ElementsAre("train-1:n1"));
}

// It is in the scheduler's mind, and waits at the barrier for as long as that takes.
TEST_F(MemoryAheadTest, APodThatWasLetPassWhileItsNominationWasWrittenOwesNoAnswer) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  const auto due = Learn(*board.Make(), kBegin);
  Asked("uid-train-0", /*rejected=*/false, kBegin + milliseconds(1));
  Write(due, kBegin + milliseconds(2));
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + milliseconds(3));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(600)), IsEmpty());
  EXPECT_THAT(Prepare(board, kBegin + seconds(600))[0].members[0].refused, IsEmpty());
}

TEST_F(MemoryAheadTest, AllPlacesOfAGangAreKeptOnceTheLastNominationIsWritten) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  for (const size_t member : {0U, 1U}) Gate(&board, "train", member, true);
  const auto due = Learn(*board.Make(), kBegin);
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
  Write({due[0]}, kBegin + milliseconds(1));
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train"))) << "one is not written";
  EXPECT_EQ(memory_.nominated().Of(LabelsGang("train")).kept, 1U);
  memory_.Nominated(due[1], /*written=*/false, kBegin + milliseconds(1));
  Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train"))) << "one could not be written";
  Write({due[1]}, kBegin + milliseconds(200));
  Learn(*board.Make(), kBegin + milliseconds(200));
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("other"))) << "it has no places";
}

TEST_F(MemoryAheadTest, AGangThatHasLostItsPlacesKeepsNone) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
  board.Refuse("train", "cpu");
  const auto due = Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_THAT(Texts(due), ElementsAre("train-0:")) << "in the same step";
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
  Write(due, kBegin + milliseconds(3));
  board.Accept("train");
  Learn(*board.Make(), kBegin + milliseconds(4));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")))
      << "the watch still shows what was taken back";
}

// Nothing can be asked about it.
TEST_F(MemoryAheadTest, AGatedMemberMayStayNominatedForEver) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  for (int minute = 1; minute < 4; ++minute) {
    EXPECT_THAT(Learn(*board.Make(), kBegin + std::chrono::minutes(minute)), IsEmpty());
    EXPECT_THAT(Prepare(board, kBegin + std::chrono::minutes(minute))[0].members[0].refused,
                IsEmpty());
  }
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
}

TEST_F(MemoryAheadTest, TheTimeToAnswerBeginsWhenTheGateIsGone) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + seconds(100));
  Gate(&board, "train", 0, false);
  const Time due = kBegin + seconds(100) + 12 * options_.nomination_grace;
  EXPECT_THAT(Learn(*board.Make(), due - milliseconds(1)), IsEmpty())
      << "it is in the scheduler's queue: to take the nomination back would open its place";
  EXPECT_THAT(Prepare(board, due - milliseconds(1))[0].members[0].refused, IsEmpty());
  Learn(*board.Make(), due);
  EXPECT_THAT(Prepare(board, due)[0].members[0].refused, ElementsAre("n1"));
}

// To be woken a member loses its nomination for as long as two writes take.
TEST_F(MemoryAheadTest, NoMemberIsWokenWhileItsGangIsBeingReleased) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  for (const size_t member : {0U, 1U}) {
    Gate(&board, "train", member, true);
    board.ChangeMember("train", member,
                       [](Pod* pod) { pod->unscheduled_reason = "Unschedulable"; });
  }
  Write(Learn(*board.Make(), kBegin), kBegin);
  for (const size_t member : {0U, 1U}) Show(&board, "train", member, "n1");
  Learn(*board.Make(), kBegin);
  board.ChangeMember("train", 0, [](Pod* pod) { pod->scheduling_gates.clear(); });
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(30)), IsEmpty());
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
  board.ChangeMember("train", 1, [](Pod* pod) { pod->scheduling_gates.clear(); });
  Learn(*board.Make(), kBegin + seconds(30));
  const auto due = Learn(*board.Make(), kBegin + seconds(30) + options_.repeat_after);
  EXPECT_THAT(Texts(due), ElementsAre("train-0:", "train-1:"));
}

// The scheduler was trying the pod, and cleared the nomination before the view showed it.
class LostNomination : public MemoryAheadTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(OfAPod, LostNomination, ::testing::Bool(), [](const auto& row) {
  return row.param ? std::string("Gated") : std::string("Released");
});

TEST_P(LostNomination, KeepsNothingAndIsWrittenAgain) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  if (GetParam()) Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  const Time lost = kBegin + options_.shown_within;
  EXPECT_THAT(Learn(*board.Make(), lost - milliseconds(1)), IsEmpty());
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
  EXPECT_LE(memory_.next_look(), lost);
  const auto due = Learn(*board.Make(), lost);
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
  EXPECT_THAT(Texts(due), ElementsAre("train-0:n1"));
  Write(due, lost);
  EXPECT_THAT(Learn(*board.Make(), lost + milliseconds(10)), IsEmpty());
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
}

TEST_F(MemoryAheadTest, AGangOfWhichAMemberIsRefusedHasNotAllOfItsPlaces) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  Write(Learn(*board.Make(), kBegin), kBegin);
  for (const size_t member : {0U, 1U}) Show(&board, "train", member, "n1");
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
  Show(&board, "train", 0, "n2");  // the scheduler's: it has looked at n1
  Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
}

// The API server refuses its nominations, or its gates: its places are no other pod's meanwhile.
TEST_F(MemoryAheadTest, AGangThatCannotBeReleasedGivesUpItsPlacesForAWhile) {
  const Time limit = kBegin + options_.patience.usual;
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  EXPECT_THAT(Learn(*board.Make(), limit - milliseconds(1)), IsEmpty());
  Learn(*board.Make(), limit);
  EXPECT_THAT(memory_.TakeTimedOut(), SizeIs(1));
  Prepare(board, limit);
  ASSERT_THAT(resting_, SizeIs(1));
  EXPECT_EQ(resting_[0].why, "it could not be released within 300 s");
  Prepare(board, limit + seconds(60));
  EXPECT_THAT(resting_, IsEmpty());
}

TEST_F(MemoryAheadTest, AGangThatAwaitsItsTurnGivesUpNothing) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  memory_.SetAwaitingTurn({LabelsGang("train")});
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + std::chrono::hours(1));
  EXPECT_THAT(memory_.TakeTimedOut(), IsEmpty());
}

// Single pods, of which no call tells, may be before it in the scheduler's queue.
TEST_F(MemoryAheadTest, ASchedulerThatDoesNotCallMayBeAtWork) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin);
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(59)), IsEmpty());
  EXPECT_THAT(Prepare(board, kBegin + seconds(59))[0].members[0].refused, IsEmpty());
  Learn(*board.Make(), kBegin + seconds(60));
  EXPECT_THAT(Prepare(board, kBegin + seconds(60))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(MemoryAheadTest, WritesAgainWhatSomebodyTookFromAGatedMember) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + milliseconds(10));
  Show(&board, "train", 0, "");
  EXPECT_THAT(Learn(*board.Make(), kBegin + milliseconds(20)), IsEmpty()) << "once a second";
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
  EXPECT_EQ(memory_.next_look(), kBegin + seconds(1));
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(1))), ElementsAre("train-0:n1"));
}

TEST_F(MemoryAheadTest, NominatesForPlacesThatAreStillUsed) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  board.Refuse("train", "cpu");
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  board.KeepRoom("train", "n1");
  const auto due = Learn(*board.Make(), kBegin + seconds(1));
  EXPECT_THAT(Texts(due), ElementsAre("train-0:n1"));
  Write(due, kBegin + seconds(1));
  Show(&board, "train", 0, "n1");
  // Its attempts end at the scheduler's filters, or at ours.
  board.ChangeMember("train", 0, [](Pod* pod) {
    pod->unscheduled_reason = "Unschedulable";
    pod->unscheduled_message = "0/1 nodes are available: 1 Insufficient cpu.";
  });
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(60)), IsEmpty());
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train"))) << "it does not fit";
  const auto units = Prepare(board, kBegin + seconds(60));
  EXPECT_EQ(units[0].members[0].ahead, "n1") << "it goes there once it fits";
  EXPECT_EQ(units[0].members[0].reserved, "");
  EXPECT_THAT(units[0].members[0].refused, IsEmpty()) << "the place was used, that is all";
}

// The condition of a pod that was nominated at its gate may change while the scheduler is slow: the
// pod keeps its place, and has the time of a last answer.
TEST_F(MemoryAheadTest, WhatWasNominatedAtTheGateIsNotTakenBackForADoubt) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin);
  Gate(&board, "train", 0, false);
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(1)), IsEmpty());
  board.ChangeMember("train", 0, [](Pod* pod) {
    pod->unscheduled_reason = "Unschedulable";
    pod->unscheduled_message = "0/1 nodes are available: 1 Insufficient cpu.";
  });
  for (const int second : {2, 4, 6}) {
    EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(second)), IsEmpty()) << second;
    EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train"))) << second;
  }
  Learn(*board.Make(), kBegin + seconds(8));
  EXPECT_THAT(Prepare(board, kBegin + seconds(8))[0].members[0].refused, ElementsAre("n1"));
}

TEST_F(MemoryAheadTest, WhatIsKeptAheadEndsInTheStepInWhichTheReservationDoes) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  board.Refuse("train", "cpu");
  board.KeepRoom("train", "n1");
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + seconds(1));
  board.KeepRoom("train", "n2");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(2))), ElementsAre("train-0:n2"));
  board.KeepRoom("train", "");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(3))), ElementsAre("train-0:"));
}

// The event that freed its place came to the scheduler before the plan that gave it to the gang.
TEST_F(MemoryAheadTest, WakesAMemberThatWasRejectedAtThePlaceThatIsItsOwnNow) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  board.Refuse("train", "cpu");
  board.KeepRoom("train", "n1");
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + seconds(1));
  Asked("uid-train-0", /*rejected=*/true, kBegin + seconds(2));
  board.Accept("train");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(2)), IsEmpty()) << "it may be awake";
  const Time later = kBegin + seconds(2) + options_.repeat_after;
  EXPECT_EQ(memory_.next_look(), later);
  const auto due = Learn(*board.Make(), later);
  EXPECT_THAT(Texts(due), ElementsAre("train-0:"));
  Write(due, later);
  Show(&board, "train", 0, "");
  EXPECT_THAT(Texts(Learn(*board.Make(), later + milliseconds(5))), ElementsAre("train-0:n1"));
}

// Single pods that wait, too, are mostly faster: places elsewhere count once they have been free
// for a while, for members whose nominations the scheduler leaves alone.
TEST_F(MemoryAheadTest, PlacesElsewhereDoNotCountAtOnceWhereRoomIsKept) {
  for (const bool stays : {true, false}) {
    Memory memory(options_);
    MakeBoard board;
    AddGang(&board, "train", 1);
    board.ChangeMember("train", 0, [&](Pod* pod) { pod->never_preempts = stays; });
    board.Refuse("train", "cpu");
    board.KeepRoom("train", "n2");
    std::vector<plan::Unit> units = board.Units();
    std::vector<Resting> resting;
    memory.Prepare({}, *snapshot_, kBegin, &units, &resting);
    plan::Plan plan;
    plan.units.emplace_back().cause = {plan::Cause::Class::kResource, "cpu"};
    memory.Learn(*board.Make(), *snapshot_, kBegin);
    memory.KeepAhead(units, kBegin, &plan);
    const auto fits_on = [&](const std::string& node, Time now) {
      plan.units[0] = {};
      plan.units[0].fits = true;
      plan.units[0].nodes = {node};
      memory.KeepAhead(units, now, &plan);
      return plan.units[0].fits;
    };
    EXPECT_TRUE(fits_on("n2", kBegin)) << "where it is nominated";
    EXPECT_EQ(fits_on("n1", kBegin), !stays);
    if (!stays) continue;
    EXPECT_THAT(plan.units[0].promised, ElementsAre("n2"));
    EXPECT_EQ(plan.units[0].cause.detail, "cpu");
    EXPECT_FALSE(fits_on("n1", kBegin + milliseconds(499)));
    EXPECT_TRUE(fits_on("n1", kBegin + milliseconds(500)));
  }
}

TEST_F(MemoryAheadTest, AGangTakesItsPlacesWithoutNominationsWhereNoOtherPodWaits) {
  for (const bool gated : {false, true}) {
    const std::string name = gated ? "gated" : "open";
    MakeBoard board;
    AddAlone(&board, name, 2);
    for (const size_t member : {0U, 1U}) Gate(&board, name, member, gated);
    EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << gated;
    EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang(name))) << gated;
    board.Refuse(name, "cpu");
    Learn(*board.Make(), kBegin);
    EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang(name))) << "it has no places";
  }
}

class SampledTest : public MemoryAheadTest {
 protected:
  SampledTest() : MemoryAheadTest(Sampling()) {}
  static NominationOptions Sampling() {
    NominationOptions options;
    options.samples_nodes = true;
    return options;
  }
  void Nodes(size_t count) {
    while (snapshot_->NodeCount() < count) {
      cluster_.Put(testing::MakeNode("more-" + std::to_string(snapshot_->NodeCount())));
      snapshot_ = cluster_.Take()->snapshot;
    }
  }
};

TEST_F(SampledTest, MembersThatCanBeNowhereElseAreNominatedWhereTheirPlacesMayNotBeOffered) {
  for (const size_t nodes : {100U, 101U}) {
    Nodes(nodes);
    MakeBoard board;
    AddAlone(&board, "of-" + std::to_string(nodes), 2);
    EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty()) << "an equal node will do";
    board.Wish("of-" + std::to_string(nodes), {{"rack"}, {}, {}});
    EXPECT_THAT(Learn(*board.Make(), kBegin), SizeIs(nodes == 100 ? 0 : 2));
  }
}

TEST_F(SampledTest, MembersAreNominatedWhereNearlyEachNodeIsTheirPlaceWhoAskForMore) {
  Nodes(200);
  for (const char* const cpu : {"1", "2"}) {
    for (const size_t places : {160U, 161U}) {
      MakeBoard board;
      AddAlone(&board, "train", 1);  // on n1
      board.AddGang("crowd", 1, places - 1, cpu);
      for (size_t i = 0; i + 1 < places; ++i)
        board.PlaceMember("crowd", i, fmt::format("more-{}", i));
      const bool exchanges = std::string_view(cpu) == "1";
      EXPECT_EQ(Learn(*board.Make(), kBegin).empty(), places == 160 || exchanges)
          << places << ", " << cpu;
    }
  }
}

TEST_F(SampledTest, AMemberWhosePlaceIsNotOfferedIsNominatedAndNoOther) {
  Nodes(200);
  MakeBoard board;
  AddAlone(&board, "train", 3);
  ASSERT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  Inbox inbox;
  inbox.Asked("uid-train-0", {.at = kBegin, .rejected = true});
  Take(inbox.Take(), kBegin);
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + std::chrono::seconds(1))),
              ElementsAre("train-0:n1"));
}

TEST_F(SampledTest, AMemberThatWasMovedKeepsThePlace) {
  MakeBoard board;
  AddAlone(&board, "train", 2);
  Learn(*board.Make(), kBegin);
  Inbox::Content calls;
  calls.moves["uid-train-0"] = {"n1", "n2"};
  Take(calls, kBegin);
  EXPECT_EQ(Prepare(board, kBegin)[0].members[0].reserved, "n2");
}

struct Beside {
  const char* name;
  Pod pod;
  bool takes;  // it may take a place
};
class ContendersTest : public MemoryAheadTest, public ::testing::WithParamInterface<Beside> {};
INSTANTIATE_TEST_SUITE_P(
    OfPods, ContendersTest,
    ::testing::Values(Beside{"OfTheSameSize", testing::MakePod("a").Requests({{"cpu", "1"}}), true},
                      Beside{"ThatIsLargerThanTheNode",
                             testing::MakePod("a").Requests({{"cpu", "1000"}}), false},
                      Beside{"ThatAsksForWhatTheNodeLacks",
                             testing::MakePod("a").Requests({{"a/b", "1"}}), false},
                      Beside{"WithAGate",
                             [] {
                               Pod pod = testing::MakePod("a");
                               pod.scheduling_gates = {"example.com/quota"};
                               return pod;
                             }(),
                             false}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_P(ContendersTest, MembersAreNominatedWhereAnotherPodMayTakeAPlace) {
  MakeBoard board;
  AddAlone(&board, "train", 1);
  board.AddSingle(GetParam().pod);
  EXPECT_THAT(Learn(*board.Make(), kBegin), SizeIs(GetParam().takes ? 1 : 0));
  EXPECT_EQ(memory_.nominated().AreOwn(LabelsGang("train")), !GetParam().takes);
}

TEST_F(MemoryAheadTest, WhereSinglePodsHavePlacesOfTheirOwnNoneContends) {
  MakeBoard board;
  board.Hold();
  AddGang(&board, "train", 1);
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
}

TEST_F(MemoryAheadTest, AGangThatHasLostARaceIsNominatedFromThenOn) {
  MakeBoard board;
  AddAlone(&board, "train", 2);
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  board.Refuse("train", "cpu");  // its place was taken
  Learn(*board.Make(), kBegin + seconds(1));
  board.Accept("train");
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(2))),
              ElementsAre("train-0:n1", "train-1:n1"));
  EXPECT_FALSE(memory_.nominated().AreOwn(LabelsGang("train")));
}

TEST_F(MemoryAheadTest, AGangThatIsStillGatedHasLostNoRace) {
  MakeBoard board;
  AddAlone(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Learn(*board.Make(), kBegin);
  board.Refuse("train", "cpu");
  Learn(*board.Make(), kBegin + seconds(1));
  board.Accept("train");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(2)), IsEmpty());
}

TEST_F(MemoryAheadTest, AGangWhosePlaceIsNotOfferedHasLostARace) {
  MakeBoard board;
  AddAlone(&board, "train", 2);
  Learn(*board.Make(), kBegin);
  Refused("uid-train-0", "n1", kBegin + seconds(1));
  EXPECT_THAT(Texts(Learn(*board.Make(), kBegin + seconds(2))), Contains("train-1:n1"));
}

// kube-scheduler may still see pods that have left: with preemption they have just been evicted.
TEST_F(MemoryAheadTest, APlaceThatWasKeptIsNotRefusedByAnAttemptFromBefore) {
  for (const bool kept : {true, false}) {
    const std::string name = kept ? "kept" : "free";
    MakeBoard board;
    AddAlone(&board, name, 1);
    if (kept) {
      board.Refuse(name, "cpu");
      board.KeepRoom(name, "n1");
      Learn(*board.Make(), kBegin);
      board.Accept(name);
    }
    Learn(*board.Make(), kBegin);
    const auto refused_at = [&](milliseconds after) {
      Refused("uid-" + name + "-0", "n1", kBegin + after);
      return Prepare(board, kBegin + after)[0].members[0].refused;
    };
    EXPECT_THAT(refused_at(milliseconds(499)), SizeIs(kept ? 0 : 1));
    EXPECT_THAT(refused_at(milliseconds(500)), ElementsAre("n1"));
  }
}

// A pod that came since may be bound by then, or not: the members are on their way.
TEST_F(MemoryAheadTest, AGangThatIsBeingReleasedGoesOnWithoutNominations) {
  MakeBoard board;
  AddAlone(&board, "train", 2);
  for (const size_t member : {0U, 1U}) Gate(&board, "train", member, true);
  Learn(*board.Make(), kBegin);
  board.ChangeMember("train", 0, [](Pod* pod) { pod->scheduling_gates.clear(); });
  board.AddSingle(testing::MakePod("late"));
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(1)), IsEmpty());
  EXPECT_TRUE(memory_.nominated().AreOwn(LabelsGang("train")));
}

TEST_F(MemoryAheadTest, WhereNoSchedulerCallsAllMembersAreNominated) {
  options_.mode = Mode::kAlone;
  Memory memory(options_);
  MakeBoard board;
  AddAlone(&board, "train", 1);
  Gate(&board, "train", 0, true);
  std::vector<plan::Unit> units;
  std::vector<Resting> resting;
  memory.Prepare({}, *snapshot_, kBegin, &units, &resting);
  EXPECT_THAT(memory.Learn(*board.Make(), *snapshot_, kBegin), SizeIs(1));
  EXPECT_FALSE(memory.nominated().AreOwn(LabelsGang("train")));
}

}  // namespace
}  // namespace outrigger::desk
