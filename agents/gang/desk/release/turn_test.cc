// Whose turn it is to be released.
#include "gang/desk/release/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "board_testing.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/order.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kOurGate(plan::kQueueGate);

class TurnTest : public ::testing::Test {
 protected:
  // A gang that fits, of which all members wait with the gate and are nominated.
  void Gated(const std::string& name, size_t members, size_t minimum = 0) {
    board_.AddGang(name, static_cast<int64_t>(minimum == 0 ? members : minimum), members);
    board_.Surplus(name, members);  // all have a place
    for (size_t i = 0; i < members; ++i) {
      board_.ChangeMember(name, i, [](Pod* pod) {
        pod->scheduling_gates = {kOurGate};
        pod->nominated_node_name = "n1";
      });
    }
  }
  void GatedWithoutPlace(const std::string& name, size_t members) {
    Gated(name, members);
    board_.Refuse(name, "cpu");
  }
  void TakeOff(const std::string& name, size_t member) {
    board_.ChangeMember(name, member, [](Pod* pod) { pod->scheduling_gates.clear(); });
  }
  void NotNominated(const std::string& name, size_t member) {
    board_.ChangeMember(name, member, [](Pod* pod) { pod->nominated_node_name.clear(); });
  }
  PodPtr Single(const std::string& name) {
    Pod pod = testing::MakePod(name);
    pod.uid = "uid-" + name;
    pod.scheduling_gates = {kOurGate};
    return std::make_shared<Pod>(pod);
  }

  std::vector<std::string> Find() {
    const auto board = board_.Make();
    NominatedPlaces nominated;
    board->ForEachPod([&nominated](const BoardPod& seat) {
      if (seat.unit == nullptr || seat.node.empty()) return;
      nominated.Add(seat.unit->key, seat.pod->nominated_node_name == seat.node);
    });
    turn_ =
        FindTurn({.board = *board,
                  .pods = pods_,
                  .groups = groups_,
                  .nominated = nominated,
                  .refused_claims = refused_claims_,
                  .asks_about_all = asks_about_all_,
                  .keeps_gate = [this](const BoardUnit& unit,
                                       auto) { return contended_.contains(unit.key.name); }},
                 {.options = options_,
                  .is_released = [this](const std::string& uid) { return released_.contains(uid); },
                  .is_stale = [this](const auto& unit) { return stale_.contains(unit.name); },
                  .has_waited = [this](const auto& unit) { return waited_.contains(unit.name); },
                  .ahead_has_waited = ahead_has_waited_});
    std::vector<std::string> names;
    for (const PodPtr& pod : turn_.due) names.push_back(pod->name);
    return names;
  }
  size_t Held(HeldBy by) const { return turn_.state.Held(by); }

  MakeBoard board_;
  std::vector<PodPtr> pods_;
  plan::GroupOptions groups_;
  ReleaseOptions options_{.window = 4, .ahead = 1};
  std::set<std::string> released_;
  std::set<std::string, std::less<>> stale_;      // units whose released pods get no further
  std::set<std::string, std::less<>> waited_;     // units that have waited long for the window
  std::set<std::string, std::less<>> contended_;  // units whose nodes other pods wait for
  RefusedClaims refused_claims_;
  bool asks_about_all_ = true;
  bool ahead_has_waited_ = false;
  Turn turn_;
};

TEST_F(TurnTest, GangsWithPlacesGoInOrderAndWholeWhileTheWindowTakesThem) {
  Gated("a", 2);
  Gated("b", 2);
  Gated("c", 1);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "b-0", "b-1"));
  EXPECT_EQ(Held(HeldBy::kNothing), 4U);
  EXPECT_EQ(Held(HeldBy::kWindow), 1U);
}

TEST_F(TurnTest, OneThatDoesNotFitTheWindowIsPassedBySmallerOnesUntilItHasWaited) {
  Gated("a", 3);
  Gated("b", 2);
  Gated("c", 1);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2", "c-0"));
  EXPECT_EQ(Held(HeldBy::kWindow), 2U);
  waited_ = {"b"};
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2"));
  EXPECT_EQ(Held(HeldBy::kWindow), 3U);
}

TEST_F(TurnTest, WhatIsReleasedLaterInTheOrderHoldsUpNoUnitBeforeIt) {
  Gated("a", 3);
  Gated("z", 4);
  for (size_t member = 0; member < 4; ++member) TakeOff("z", member);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2"));
}

TEST_F(TurnTest, ReleasedPodsThatGetNoFurtherLeaveTheWindow) {
  Gated("a", 4);
  Gated("b", 2);
  for (size_t member = 0; member < 4; ++member) TakeOff("a", member);
  EXPECT_THAT(Find(), IsEmpty());
  stale_ = {"a"};
  EXPECT_THAT(Find(), ElementsAre("b-0", "b-1"));
}

TEST_F(TurnTest, AUnitWithoutAPlaceThatGetsNoFurtherLeavesItsSlotToTheNext) {
  ahead_has_waited_ = true;
  GatedWithoutPlace("a", 1);
  GatedWithoutPlace("b", 1);
  TakeOff("a", 0);
  EXPECT_THAT(Find(), IsEmpty()) << "a has the slot";
  stale_ = {"a"};
  EXPECT_THAT(Find(), ElementsAre("b-0"));
}

TEST_F(TurnTest, AGangThatIsLargerThanTheWindowGoesAlone) {
  Gated("a", 1);
  Gated("b", 6);
  EXPECT_THAT(Find(), ElementsAre("a-0"));
  TakeOff("a", 0);
  EXPECT_THAT(Find(), IsEmpty()) << "a is not bound yet";
  board_.Bind("a", 1);
  EXPECT_THAT(Find(), ElementsAre("b-0", "b-1", "b-2", "b-3", "b-4", "b-5"));
}

TEST_F(TurnTest, WhatWasReleasedCountsThoughTheViewDoesNotShowIt) {
  Gated("a", 3);
  Gated("b", 2);
  released_ = {"uid-a-0", "uid-a-1", "uid-a-2"};
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(TurnTest, OfAGangNoneIsReleasedBeforeAllOfItIsNominated) {
  Gated("a", 2);
  Gated("b", 1);
  NotNominated("a", 1);
  EXPECT_THAT(Find(), ElementsAre("b-0"));
  EXPECT_EQ(Held(HeldBy::kNominations), 2U);
  ASSERT_EQ(turn_.state.units.size(), 2U);
  EXPECT_EQ(turn_.state.units[0].why,
            "1 of 2 pods have a nominated node (status.nominatedNodeName), but not a-1");
  // For another node than its place: the plan has moved it.
  board_.ChangeMember("a", 1, [](Pod* pod) { pod->nominated_node_name = "n2"; });
  EXPECT_THAT(Find(), ElementsAre("b-0"));
}

// As after a restart in the middle, or where a gate was taken off by hand.
TEST_F(TurnTest, WhatHasBegunIsFinishedWhateverTheWindowSays) {
  Gated("a", 4);
  Gated("b", 3);
  TakeOff("b", 1);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2", "a-3", "b-0", "b-2"));
  NotNominated("b", 2);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2", "a-3")) << "nominations come first, too";
}

TEST_F(TurnTest, AMemberThatComesToABoundGangIsReleasedAtOnce) {
  Gated("a", 4);
  Gated("b", 3);
  board_.Bind("b", 2);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1", "a-2", "a-3", "b-2"));
}

TEST_F(TurnTest, OfAGangThatFitsMembersWithoutAPlaceStay) {
  Gated("a", 3, 2);
  board_.Surplus("a", 2);
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1"));
  EXPECT_EQ(Held(HeldBy::kNoPlace), 1U);
}

// Autoscalers do not see gated pods.
TEST_F(TurnTest, OnceAGangRunsItsOtherMembersGoAsThoseOfOneWithoutAPlace) {
  Gated("a", 4, 2);
  board_.Bind("a", 2);
  board_.Surplus("a", 0);
  Gated("b", 3, 1);
  board_.Bind("b", 1);
  board_.Surplus("b", 0);
  EXPECT_THAT(Find(), ElementsAre("a-2", "a-3")) << "one unit, as ahead says";
  EXPECT_EQ(Held(HeldBy::kNoPlace), 2U);
  TakeOff("a", 0);
  EXPECT_THAT(Find(), ElementsAre("a-3")) << "it has begun";
}

// kube-scheduler would try all of its pods before those that wait behind them.
TEST_F(TurnTest, WithoutAPlaceAGangThatIsLargerThanTheWindowStaysAndTheNextGoesAhead) {
  GatedWithoutPlace("a", 5);
  GatedWithoutPlace("b", 4);
  EXPECT_THAT(Find(), ElementsAre("b-0", "b-1", "b-2", "b-3"));
  EXPECT_EQ(Held(HeldBy::kNoPlace), 5U);
  TakeOff("b", 0);
  TakeOff("a", 0);
  EXPECT_THAT(Find(), ElementsAre("a-1", "a-2", "a-3", "a-4")) << "it has begun";
}

// kube-scheduler would place them one by one, without asking.
TEST_F(TurnTest, AGangWithoutAPlaceOfWhichSomeDoNotAskForCallsIsNotReleasedAhead) {
  asks_about_all_ = false;
  GatedWithoutPlace("unasked", 2);
  GatedWithoutPlace("asked", 1);
  const auto ask = [](Pod* pod) {
    pod->containers[0].requests.Set(plan::kCallResource, Quantity::FromInt(0));
    pod->containers[0].requests.Set(plan::kBindCallResource, Quantity::FromInt(0));
  };
  board_.ChangeMember("unasked", 0, ask);
  board_.ChangeMember("asked", 0, ask);
  EXPECT_THAT(Find(), ElementsAre("asked-0"));
  EXPECT_EQ(Held(HeldBy::kNoPlace), 2U);
}

// Without the gate kube-scheduler would clear its nominations, and the other pods take its nodes.
TEST_F(TurnTest, AUnitStaysWhileOthersWaitForTheNodesThatAreKeptForItAndTheNextGoesAhead) {
  GatedWithoutPlace("a", 2);
  GatedWithoutPlace("b", 1);
  contended_ = {"a"};
  EXPECT_THAT(Find(), ElementsAre("b-0"));
  EXPECT_EQ(Held(HeldBy::kNoPlace), 2U);
  contended_ = {"a", "b"};
  EXPECT_THAT(Find(), IsEmpty());
  contended_.clear();
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1"));
}

TEST_F(TurnTest, AUnitThatNeverPreemptsGoesAheadWhateverWaitsForItsNodes) {
  GatedWithoutPlace("a", 2);
  contended_ = {"a"};
  for (const size_t member : {0U, 1U}) {
    board_.ChangeMember("a", member, [](Pod* pod) { pod->never_preempts = true; });
  }
  EXPECT_THAT(Find(), ElementsAre("a-0", "a-1")) << "its nominations stay";
}

TEST_F(TurnTest, WhatHasBegunAheadGoesOnThoughOthersWaitForItsNodes) {
  GatedWithoutPlace("a", 2);
  TakeOff("a", 0);
  contended_ = {"a"};
  EXPECT_THAT(Find(), ElementsAre("a-1"));
}

TEST_F(TurnTest, SoManyWithoutAPlaceAreReleasedAsAheadSays) {
  ahead_has_waited_ = true;
  GatedWithoutPlace("a", 4);
  GatedWithoutPlace("b", 1);
  Gated("c", 4);
  const std::vector<std::string> due = Find();
  EXPECT_EQ(due.size(), 8U) << "a is not counted in the window";
  EXPECT_EQ(due.front(), "c-0");
  EXPECT_EQ(Held(HeldBy::kNoPlace), 1U);
  options_.ahead = 0;
  EXPECT_EQ(Find().size(), 4U);
  options_.ahead = 2;
  EXPECT_EQ(Find().size(), 9U);
}

TEST_F(TurnTest, WhatIsReleasedWithoutAPlaceCountsAgainstAheadAndNotTheWindow) {
  GatedWithoutPlace("lost", 6);
  for (size_t member = 0; member < 6; ++member) TakeOff("lost", member);
  GatedWithoutPlace("b", 1);
  Gated("c", 4);
  EXPECT_THAT(Find(), ElementsAre("c-0", "c-1", "c-2", "c-3"));
  EXPECT_FALSE(turn_.ahead_is_held) << "none may go ahead any more";
  options_.ahead = 2;
  ahead_has_waited_ = true;
  EXPECT_THAT(Find(), ElementsAre("c-0", "c-1", "c-2", "c-3", "b-0"));
}

TEST_F(TurnTest, NoneBeginsAheadWhileAnotherIsOnItsWayToItsPlaces) {
  Gated("placed", 1);
  GatedWithoutPlace("a", 1);
  NotNominated("placed", 0);
  EXPECT_THAT(Find(), IsEmpty()) << "it is to be nominated";
  EXPECT_TRUE(turn_.ahead_is_held);
  board_.ChangeMember("placed", 0, [](Pod* pod) { pod->nominated_node_name = "n1"; });
  EXPECT_THAT(Find(), ElementsAre("placed-0"));
  TakeOff("placed", 0);
  EXPECT_THAT(Find(), IsEmpty()) << "it is released, and not bound";
  EXPECT_TRUE(turn_.ahead_is_held);
  EXPECT_EQ(Held(HeldBy::kNoPlace), 1U);
  board_.Bind("placed", 1);
  EXPECT_THAT(Find(), ElementsAre("a-0"));
  EXPECT_FALSE(turn_.ahead_is_held);
}

TEST_F(TurnTest, WhatHasBegunAheadGoesOnWhileAnotherIsOnItsWayToItsPlaces) {
  Gated("placed", 1);
  GatedWithoutPlace("a", 2);
  TakeOff("a", 0);
  EXPECT_THAT(Find(), ElementsAre("placed-0", "a-1"));
}

TEST_F(TurnTest, OneBeginsAheadAllTheSameOnceItHasWaited) {
  Gated("placed", 1);
  TakeOff("placed", 0);
  GatedWithoutPlace("a", 1);
  ahead_has_waited_ = true;
  EXPECT_THAT(Find(), ElementsAre("a-0"));
  EXPECT_FALSE(turn_.ahead_is_held);
}

TEST_F(TurnTest, ARestThatHasNoPlaceFollowsAsFarAsAheadSays) {
  GatedWithoutPlace("a", 1);
  GatedWithoutPlace("b", 2);
  GatedWithoutPlace("c", 2);
  TakeOff("b", 0);
  TakeOff("c", 0);
  EXPECT_THAT(Find(), ElementsAre("b-1")) << "two have begun, one may";
}

TEST_F(TurnTest, AGroupOfWhichNothingIsPlannedStays) {
  Gated("a", 2);
  board_.Change("a",
                [](plan::GroupState* group) { group->cause = plan::GroupCause::kTooFewMembers; });
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_EQ(Held(HeldBy::kGroup), 2U);
}

TEST_F(TurnTest, WhatAnotherGateHoldsStays) {
  board_.AddGang("a", 1, 1);
  board_.ChangeMember("a", 0, [](Pod* pod) {
    pod->scheduling_gates = {kOurGate, "example.com/quota"};
  });
  board_.Change("a",
                [](plan::GroupState* group) { group->cause = plan::GroupCause::kTooFewMembers; });
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_EQ(Held(HeldBy::kOtherGate), 1U);
}

TEST_F(TurnTest, SinglePodsGoAtOnceWhereNothingHoldsThem) {
  options_.window = 1;
  board_.AddSingle(*Single("placed"), "n1");
  board_.AddSingle(*Single("waits"));
  EXPECT_THAT(Find(), ElementsAre("placed", "waits"));
}

TEST_F(TurnTest, SinglePodsWaitForTheirTurnWhereTheyAreHeld) {
  options_.window = 1;
  options_.hold_singles = true;
  ahead_has_waited_ = true;
  board_.AddSingle(*Single("a"), "n1");
  board_.AddSingle(*Single("b"), "n1");
  board_.AddSingle(*Single("c"));
  board_.AddSingle(*Single("d"));
  Pod critical = *Single("critical");
  critical.priority = plan::kSystemCriticalPriority;
  board_.AddSingle(critical);
  EXPECT_THAT(Find(), ElementsAre("critical", "a", "c"));
  EXPECT_EQ(Held(HeldBy::kWindow), 1U);
  EXPECT_EQ(Held(HeldBy::kNoPlace), 1U);
}

// Of a group that leave-upstream leaves to kube-scheduler, or one that asks for more than is
// planned.
TEST_F(TurnTest, WhatNoPlanHasIsKubeSchedulersAndGoesAtOnce) {
  pods_.push_back(Single("left"));
  Pod other = *Single("other");
  other.scheduler_name = "other";
  pods_.push_back(std::make_shared<Pod>(other));
  Pod both = *Single("both");
  both.scheduling_gates.push_back("example.com/quota");
  pods_.push_back(std::make_shared<Pod>(both));
  Pod going = *Single("going");
  going.being_deleted = true;
  pods_.push_back(std::make_shared<Pod>(going));
  EXPECT_THAT(Find(), ElementsAre("left"));
}

// kube-scheduler would bind what fits of it, with nothing that stops it.
TEST_F(TurnTest, WithoutABarrierNoUnitWithoutAPlaceIsReleased) {
  options_.mode = Mode::kAlone;
  options_.hold_singles = true;
  options_.ahead = 2;
  GatedWithoutPlace("a", 2);
  GatedWithoutPlace("b", 2);
  TakeOff("b", 0);
  Gated("c", 2);
  board_.AddSingle(*Single("waits"));
  EXPECT_THAT(Find(), ElementsAre("c-0", "c-1"));
  EXPECT_EQ(Held(HeldBy::kNoPlace), 4U);
  options_.mode = Mode::kExtender;
  ahead_has_waited_ = true;
  EXPECT_THAT(Find(), ElementsAre("c-0", "c-1", "a-0", "a-1", "b-1"));
}

TEST_F(TurnTest, WithoutABarrierASinglePodIsNominatedBeforeItIsReleased) {
  options_.mode = Mode::kAlone;
  options_.hold_singles = true;
  board_.AddSingle(*Single("a"), "n1");
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_EQ(Held(HeldBy::kNominations), 1U);
  Pod nominated = *Single("b");
  nominated.nominated_node_name = "n1";
  board_.AddSingle(nominated, "n1");
  EXPECT_THAT(Find(), ElementsAre("b"));
}

TEST_F(TurnTest, WithoutABarrierSystemCriticalPodsAreReleasedAtOnce) {
  options_.mode = Mode::kAlone;
  options_.hold_singles = true;
  Pod critical = *Single("critical");
  critical.priority = plan::kSystemCriticalPriority;
  board_.AddSingle(critical);
  EXPECT_THAT(Find(), ElementsAre("critical"));
}

TEST_F(TurnTest, OfAGangThatHasBegunAMemberStaysThatWouldBeRefusedForAClaim) {
  options_.mode = Mode::kAlone;
  Gated("a", 3);
  TakeOff("a", 0);
  refused_claims_["uid-a-1"] = "the PersistentVolumeClaim data of a-1 is not there";
  EXPECT_THAT(Find(), ElementsAre("a-2"));
  EXPECT_EQ(Held(HeldBy::kClaims), 1U);
  ASSERT_THAT(turn_.state.units, SizeIs(2)) << "and what is released of it";
  EXPECT_EQ(turn_.state.units[0].by, HeldBy::kClaims);
  EXPECT_EQ(turn_.state.units[0].why, "the PersistentVolumeClaim data of a-1 is not there");
  EXPECT_TRUE(turn_.state.units[0].has_begun);
}

}  // namespace
}  // namespace outrigger::desk
