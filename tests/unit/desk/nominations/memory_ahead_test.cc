// Nominations by which places hold inside kube-scheduler.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "outrigger/k8s/quantity.h"
#include "outrigger/plan/call_resources.h"
#include "unit/desk/nominations/memory_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

NominationOptions Ahead() {
  NominationOptions options;
  options.nominate_ahead = true;
  options.only_askers = true;
  return options;
}

class MemoryAheadTest : public MemoryTest {
 protected:
  explicit MemoryAheadTest(NominationOptions options = Ahead()) : MemoryTest(options) {}

  static void AddGang(MakeBoard* board, const std::string& name, size_t members) {
    board->AddGang(name, static_cast<int64_t>(members), members, "1");
    for (size_t i = 0; i < members; ++i) {
      board->ChangeMember(name, i, [](Pod* pod) {
        pod->containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
      });
    }
  }
  static void Gate(MakeBoard* board, const std::string& name, size_t member, bool gated) {
    board->ChangeMember(name, member, [&](Pod* pod) {
      pod->scheduling_gates.clear();
      if (gated) pod->scheduling_gates.emplace_back("outrigger.dev/queue");
      pod->unscheduled_reason = "SchedulingGated";
    });
  }
  static void Show(MakeBoard* board, const std::string& name, size_t member,
                   const std::string& node) {
    board->ChangeMember(name, member, [&](Pod* pod) { pod->nominated_node_name = node; });
  }
  void Write(const std::vector<Nomination>& due, Time now) {
    for (const Nomination& nomination : due) memory_.Nominated(nomination, /*written=*/true, now);
  }
  static std::vector<std::string> Texts(const std::vector<Nomination>& due) {
    std::vector<std::string> texts;
    for (const Nomination& one : due) texts.push_back(one.pod->name + ":" + one.node);
    return texts;
  }
};

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
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")));
  Write({due[0]}, kBegin + milliseconds(1));
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train"))) << "one is not written";
  EXPECT_EQ(memory_.nominated().Of(LabelsGang("train")).kept, 1U);
  memory_.Nominated(due[1], /*written=*/false, kBegin + milliseconds(1));
  Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train"))) << "one could not be written";
  Write({due[1]}, kBegin + milliseconds(200));
  Learn(*board.Make(), kBegin + milliseconds(200));
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("other"))) << "it has no places";
}

TEST_F(MemoryAheadTest, AGangThatHasLostItsPlacesKeepsNone) {
  MakeBoard board;
  AddGang(&board, "train", 1);
  Gate(&board, "train", 0, true);
  Write(Learn(*board.Make(), kBegin), kBegin);
  Show(&board, "train", 0, "n1");
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
  board.Refuse("train", "cpu");
  const auto due = Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_THAT(Texts(due), ElementsAre("train-0:")) << "in the same step";
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")));
  Write(due, kBegin + milliseconds(3));
  board.Accept("train");
  Learn(*board.Make(), kBegin + milliseconds(4));
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")))
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
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
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
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
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
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
  EXPECT_LE(memory_.next_look(), lost);
  const auto due = Learn(*board.Make(), lost);
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")));
  EXPECT_THAT(Texts(due), ElementsAre("train-0:n1"));
  Write(due, lost);
  EXPECT_THAT(Learn(*board.Make(), lost + milliseconds(10)), IsEmpty());
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
}

TEST_F(MemoryAheadTest, AGangOfWhichAMemberIsRefusedHasNotAllOfItsPlaces) {
  MakeBoard board;
  AddGang(&board, "train", 2);
  Write(Learn(*board.Make(), kBegin), kBegin);
  for (const size_t member : {0U, 1U}) Show(&board, "train", member, "n1");
  Learn(*board.Make(), kBegin + milliseconds(1));
  EXPECT_TRUE(memory_.nominated().HasAll(LabelsGang("train")));
  Show(&board, "train", 0, "n2");  // the scheduler's: it has looked at n1
  Learn(*board.Make(), kBegin + milliseconds(2));
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")));
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
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train")));
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
  EXPECT_FALSE(memory_.nominated().HasAll(LabelsGang("train"))) << "it does not fit";
  const auto units = Prepare(board, kBegin + seconds(60));
  EXPECT_EQ(units[0].members[0].ahead, "n1") << "it goes there once it fits";
  EXPECT_EQ(units[0].members[0].reserved, "");
  EXPECT_THAT(units[0].members[0].refused, IsEmpty()) << "the place was used, that is all";
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
    Memory memory(Ahead());
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
class MemoryWithGatesTest : public MemoryAheadTest {
 protected:
  MemoryWithGatesTest() : MemoryAheadTest(Gates()) {}
  static NominationOptions Gates() {
    NominationOptions options = Ahead();
    options.only_askers = false;
    return options;
  }
};

TEST_F(MemoryWithGatesTest, EachNominationOfAMemberIsOurs) {
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

TEST_F(MemoryTest, WithoutTheModeNothingIsNominatedAhead) {
  MakeBoard board;
  board.AddGang("train", 1, 1);
  EXPECT_THAT(Learn(*board.Make(), kBegin), IsEmpty());
  board.Refuse("train", "cpu");
  board.KeepRoom("train", "n1");
  EXPECT_THAT(Learn(*board.Make(), kBegin + seconds(1)), IsEmpty());
}

class WaitersFirstTest : public MemoryTest {
 protected:
  static NominationOptions Options(bool only_askers) {
    NominationOptions options = Ahead();
    options.only_askers = only_askers;
    return options;
  }
  explicit WaitersFirstTest(bool only_askers = true) : MemoryTest(Options(only_askers)) {}

  // The order of a pod of priority 10 and gangs of priority 0, of which "late" waits at the
  // barrier.
  std::vector<std::string> Order(const std::function<void(Pod*)>& change) {
    MakeBoard board;
    board.AddGang("early", 1, 1);
    board.AddGang("late", 1, 1);
    Pod pod = testing::MakePod("urgent");
    pod.priority = 10;
    change(&pod);
    std::vector<plan::Unit> units = board.Units();
    plan::Unit single;
    single.key = {plan::Dialect::kNone, "default", "urgent", pod.uid};
    single.rank.priority = pod.priority;
    single.rank.first = true;
    single.members.emplace_back().pod = std::make_shared<Pod>(pod);
    units.insert(units.begin(), std::move(single));
    resting_.clear();
    memory_.Prepare({{LabelsGang("late"), {{"uid-late-0", "n1"}}}}, *snapshot_, kBegin, &units,
                    &resting_);
    EXPECT_TRUE(std::is_sorted(units.begin(), units.end(),
                               [](const auto& a, const auto& b) { return a.rank < b.rank; }));
    std::vector<std::string> names;
    for (const plan::Unit& unit : units) names.push_back(unit.key.name);
    return names;
  }
};

class AskedAboutAllTest : public WaitersFirstTest {
 protected:
  AskedAboutAllTest() : WaitersFirstTest(/*only_askers=*/false) {}
};

TEST_F(WaitersFirstTest, AGangThatWaitsComesBeforeAPodThatEvictsUnasked) {
  EXPECT_THAT(Order([](Pod* /*pod*/) {}), ElementsAre("late", "urgent", "early"));
}

TEST_F(WaitersFirstTest, APodThatNeverPreemptsKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) { pod->never_preempts = true; }),
              ElementsAre("urgent", "early", "late"));
}

TEST_F(WaitersFirstTest, APodThatAsksKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) {
                pod->containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
              }),
              ElementsAre("urgent", "early", "late"));
}

TEST_F(WaitersFirstTest, APodThatMayNotEvictTheWaitersKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* pod) { pod->priority = 0; }), ElementsAre("urgent", "early", "late"));
}

TEST_F(AskedAboutAllTest, EveryPodKeepsItsPlaceInTheOrder) {
  EXPECT_THAT(Order([](Pod* /*pod*/) {}), ElementsAre("urgent", "early", "late"));
}

}  // namespace
}  // namespace outrigger::desk
