// Gates are taken off, and what fails is tried again.
#include "gang/desk/release/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "board_testing.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/plan_loop_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// Rounds of the desk, one by one, in a cluster of two nodes with room for four slots each.
class GatesTest : public ::testing::Test {
 protected:
  class Watcher final : public Participant {
   public:
    void OnPlan(const Round& round) override { releases = round.releases; }
    void OnRelease(const Release& release, const absl::Status& status) override {
      results.push_back(release.pod->name + ": " + absl::StatusCodeToString(status.code()));
    }
    Releases releases;
    std::vector<std::string> results;
  };

  GatesTest() {
    for (const char* node : {"n0", "n1"}) cluster_.Put(testing::MakeNode(node));
    LeadBy("host_1");
  }
  void LeadBy(const std::string& holder) {
    cluster_.SetLeaseHolder(holder);
    leadership_.Ask({}).IgnoreError();
  }
  static Pod Member(const std::string& gang, int index, int minimum) {
    Pod pod = testing::MakePod(fmt::format("{}-{}", gang, index))
                  .Label("podGroup", gang)
                  .Label("minAvailable", std::to_string(minimum))
                  .Requests({{"cpu", "1"}});
    pod.scheduling_gates = {std::string(plan::kQueueGate)};
    return pod;
  }
  void Put(const std::string& gang, int members) {
    for (int i = 0; i < members; ++i) cluster_.Put(Member(gang, i, members));
  }
  // A single pod waits that could take a place, so that all members are nominated.
  void PutBeside() { cluster_.Put(testing::MakePod("beside")); }
  PlanningOptions Options(size_t ahead = 0, size_t window = 4) {
    PlanningOptions options;
    options.asks_about_all = true;
    options.release = {.window = window, .ahead = ahead};
    options.now = [this] { return now_; };
    return options;
  }
  void PlanAfter(milliseconds time) {
    now_ += time;
    loop_.Step();
  }
  bool IsGated(const std::string& pod) { return !cluster_.Get(pod).scheduling_gates.empty(); }
  const HeldUnit* HeldGang(const std::string& gang) const {
    for (const HeldUnit& unit : watcher_.releases.units) {
      if (unit.key == LabelsGang(gang)) return &unit;
    }
    return nullptr;
  }

  Time now_ = kBegin;
  testing::FakeCluster cluster_;
  Inbox inbox_;
  SchedulerLease leadership_{
      &cluster_, {.lease = {.namespace_ = "kube-system", .name = "s"}, .host_name = "host"}, [] {}};
  Watcher watcher_;
  PlanLoop loop_{&cluster_, &leadership_, &inbox_, {&watcher_}, Options()};
};

TEST_F(GatesTest, WhereNoOtherPodWaitsAGangIsReleasedWithoutNominations) {
  Put("train", 3);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), SizeIs(3));
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
}

TEST_F(GatesTest, AViewThatMissesWhatWasWrittenIsTooLateToActOn) {
  Put("train", 3);
  PlanAfter(seconds(0));
  ASSERT_THAT(cluster_.released(), SizeIs(3));
  Put("train", 3);  // the watch is late
  PlanAfter(seconds(9));
  EXPECT_EQ(loop_.InStep(), absl::OkStatus());
  ASSERT_NE(loop_.next_look(), std::nullopt);
  EXPECT_LE(*loop_.next_look(), now_ + seconds(1));
  PlanAfter(seconds(1));
  EXPECT_TRUE(absl::IsUnavailable(loop_.InStep())) << loop_.InStep();
  for (int i = 0; i < 3; ++i) {
    Pod member = Member("train", i, 3);
    member.scheduling_gates.clear();
    cluster_.Put(member);
  }
  PlanAfter(seconds(0));
  EXPECT_EQ(loop_.InStep(), absl::OkStatus());
}

TEST_F(GatesTest, AllMembersAreNominatedBeforeTheFirstIsReleased) {
  PutBeside();
  Put("train", 3);
  size_t nominated = 0;
  cluster_.OnRemoveGate([&](const std::string& /*pod*/, const CallLimits& /*limits*/) {
    nominated = cluster_.nominations().size();
    return absl::OkStatus();
  });
  cluster_.OnNominate([this](const std::string& pod, const CallLimits& /*limits*/) {
    return pod == "train-2" && now_ < kBegin + seconds(1) ? absl::UnavailableError("busy")
                                                          : absl::OkStatus();
  });
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(50));
  PlanAfter(milliseconds(50));
  EXPECT_THAT(cluster_.released(), IsEmpty()) << "train-2 is not nominated";
  ASSERT_NE(HeldGang("train"), nullptr);
  EXPECT_EQ(HeldGang("train")->by, HeldBy::kNominations);
  EXPECT_EQ(HeldGang("train")->why,
            "2 of 3 pods have a nominated node (status.nominatedNodeName), but not train-2");
  PlanAfter(seconds(1));
  PlanAfter(milliseconds(50));
  EXPECT_THAT(cluster_.released(), UnorderedElementsAre("train-0", "train-1", "train-2"));
  EXPECT_EQ(nominated, 3U);
}

TEST_F(GatesTest, WhatFailsIsTriedAgainAndSaid) {
  Put("train", 2);
  cluster_.OnRemoveGate([this](const std::string& pod, const CallLimits& /*limits*/) {
    return pod == "train-1" && now_ < kBegin + seconds(1)
               ? absl::PermissionDeniedError("pods is forbidden")
               : absl::OkStatus();
  });
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), ElementsAre("train-0"));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(watcher_.results, SizeIs(2)) << "not before its time";
  ASSERT_NE(HeldGang("train"), nullptr);
  EXPECT_EQ(HeldGang("train")->by, HeldBy::kFailing);
  EXPECT_EQ(HeldGang("train")->why, "train-1: pods is forbidden");
  EXPECT_EQ(watcher_.releases.Held(HeldBy::kFailing), 1U);
  ASSERT_NE(loop_.next_look(), std::nullopt);
  EXPECT_LE(*loop_.next_look(), now_ + milliseconds(100));
  PlanAfter(milliseconds(100));
  EXPECT_THAT(watcher_.results, SizeIs(3));
  PlanAfter(seconds(1));
  PlanAfter(milliseconds(10));
  EXPECT_FALSE(IsGated("train-1"));
  EXPECT_THAT(watcher_.releases.units, IsEmpty());
}

TEST_F(GatesTest, OneThatLosesTheLeaseInTheMiddleReleasesNoMore) {
  Put("train", 4);
  cluster_.OnRemoveGate([this](const std::string& pod, const CallLimits& /*limits*/) {
    if (pod == "train-1") LeadBy("other_2");
    return absl::OkStatus();
  });
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), ElementsAre("train-0", "train-1"));
  PlanAfter(seconds(1));
  EXPECT_THAT(cluster_.released(), SizeIs(2));
  cluster_.OnRemoveGate({});
  LeadBy("host_3");
  PlanAfter(seconds(1));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), ElementsAre("train-0", "train-1", "train-2", "train-3"));
}

TEST_F(GatesTest, OneThatLosesTheLeaseInTheMiddleNominatesNoMoreAndTakesNothingBack) {
  PutBeside();
  Put("train", 4);
  cluster_.OnNominate([this](const std::string& pod, const CallLimits& /*limits*/) {
    if (pod == "train-1") LeadBy("other_2");
    return absl::OkStatus();
  });
  PlanAfter(seconds(0));
  EXPECT_THAT(cluster_.nominations(), SizeIs(2));
  // Not in charge it does not write that the gang has lost its places either.
  cluster_.RemovePod("train-3");
  PlanAfter(seconds(1));
  PlanAfter(seconds(60));
  EXPECT_THAT(cluster_.nominations(), SizeIs(2));
  EXPECT_THAT(cluster_.released(), IsEmpty());
  cluster_.OnNominate({});
  LeadBy("host_3");
  PlanAfter(seconds(1));
  EXPECT_THAT(cluster_.nominations(), SizeIs(4)) << "which are taken back";
  EXPECT_THAT(cluster_.Get("train-0").nominated_node_name, IsEmpty());
}

// An API server that has too much to do answers late: a write that is given up is sent again.
TEST_F(GatesTest, WritesHaveTime) {
  PutBeside();
  Put("train", 2);
  std::vector<milliseconds> limits;
  const auto note = [&](const std::string& /*pod*/, const CallLimits& given) {
    limits.push_back(given.timeout);
    return absl::OkStatus();
  };
  cluster_.OnNominate(note);
  cluster_.OnRemoveGate(note);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  ASSERT_THAT(limits, SizeIs(4));
  // Less than leaseDuration of kube-scheduler: none is under way once another is in charge.
  for (const milliseconds limit : limits) {
    EXPECT_GE(limit, seconds(10));
    EXPECT_LT(limit, seconds(15));
  }
}

TEST_F(GatesTest, APodThatIsCreatedAgainIsAnotherOne) {
  Put("train", 2);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), UnorderedElementsAre("train-0", "train-1"));
  cluster_.RemovePod("train-0");
  Pod again = Member("train", 0, 2);
  again.uid = "another";
  cluster_.Put(again);
  PlanAfter(milliseconds(10));
  PlanAfter(milliseconds(10));
  EXPECT_FALSE(IsGated("train-0"));
  EXPECT_THAT(cluster_.released(), SizeIs(3));
}

TEST_F(GatesTest, OneThatIsDeletedWhileItWaitsLeavesAGangThatLacksIt) {
  Put("train", 3);
  cluster_.RemovePod("train-1");
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), IsEmpty());
  EXPECT_EQ(watcher_.releases.Held(HeldBy::kGroup), 2U);
}

// Its time begins when it is released: before that it cannot be complete.
TEST_F(GatesTest, AGangThatWaitsForTheWindowDoesNotGiveUpItsPlaces) {
  Put("a", 4);
  Put("b", 3);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), SizeIs(4));
  PlanAfter(seconds(29));
  EXPECT_EQ(loop_.Answer()->board->FindUnit(LabelsGang("b"))->rank.turn, 0);
  EXPECT_TRUE(loop_.Answer()->board->FindUnit(LabelsGang("b"))->fits);
  EXPECT_TRUE(loop_.Answer()->board->FindUnit(LabelsGang("b"))->held);
}

// Storage is out, say: their PreBind goes on for minutes.
TEST_F(GatesTest, AReleasedGangThatGetsNoFurtherLeavesTheWindowAfterHalfAMinute) {
  Put("a", 4);
  Put("b", 3);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), SizeIs(4));
  Pod bound = cluster_.Get("a-0");
  bound.node_name = "n0";
  cluster_.Put(bound);
  PlanAfter(seconds(20));
  PlanAfter(seconds(20));
  EXPECT_THAT(cluster_.released(), SizeIs(4)) << "it got further 20 s ago";
  EXPECT_LE(loop_.next_look(), now_ + seconds(10));
  PlanAfter(seconds(10));
  EXPECT_THAT(cluster_.released(), SizeIs(7));
}

// One plan in which its places are not its own yet does not begin that time again.
TEST_F(GatesTest, AGangThatIsTooLargeForTheWindowIsPassedForSomeTimeAndNoLonger) {
  PlanningOptions options = Options();
  options.release.passed_for = seconds(20);
  PlanLoop loop(&cluster_, &leadership_, &inbox_, {&watcher_}, options);
  const auto plan_at = [&](seconds time) {
    now_ = kBegin + time;
    loop.Step();
  };
  Put("a", 3);
  plan_at(seconds(0));
  Put("b", 4);
  plan_at(seconds(1));
  ASSERT_NE(HeldGang("b"), nullptr);
  EXPECT_EQ(HeldGang("b")->by, HeldBy::kWindow);
  Put("c0", 1);
  plan_at(seconds(9));
  EXPECT_THAT(cluster_.released(), SizeIs(4)) << "c0 passes b";
  cluster_.RemovePod("c0-0");
  PutBeside();
  plan_at(seconds(10));
  ASSERT_NE(HeldGang("b"), nullptr);
  EXPECT_EQ(HeldGang("b")->by, HeldBy::kNominations);
  Put("c1", 1);
  plan_at(seconds(22));
  plan_at(seconds(23));
  EXPECT_THAT(cluster_.released(), SizeIs(4)) << "c1 does not: b has waited";
}

TEST_F(GatesTest, AUnitThatIsPassedIsLookedAtWhenItHasWaited) {
  PlanningOptions options = Options();
  options.release.passed_for = seconds(20);
  PlanLoop loop(&cluster_, &leadership_, &inbox_, {&watcher_}, options);
  Put("a", 3);
  loop.Step();
  Put("b", 4);
  loop.Step();
  ASSERT_NE(HeldGang("b"), nullptr);
  EXPECT_EQ(HeldGang("b")->by, HeldBy::kWindow);
  now_ += seconds(10);
  loop.Step();
  EXPECT_LE(loop.next_look(), kBegin + seconds(20));
}

class AheadTest : public GatesTest {
 protected:
  AheadTest() : loop_(&cluster_, &leadership_, &inbox_, {&watcher_}, Options(1, 10)) {}
  void PlanAfter(milliseconds time) {
    now_ += time;
    loop_.Step();
  }
  PlanLoop loop_;
};

// Autoscalers are to see what is missing, also where some gang is being bound all the time.
TEST_F(AheadTest, AGangWithoutAPlaceGoesAheadOnceItHasWaitedFiveSeconds) {
  Put("a", 4);
  Put("large", 9);
  PlanAfter(seconds(0));
  PlanAfter(milliseconds(10));
  EXPECT_THAT(cluster_.released(), SizeIs(4)) << "a, which is not bound";
  PlanAfter(milliseconds(4900));
  EXPECT_THAT(cluster_.released(), SizeIs(4));
  EXPECT_EQ(loop_.next_look(), kBegin + seconds(5));
  PlanAfter(milliseconds(100));
  EXPECT_THAT(cluster_.released(), SizeIs(13));
}

TEST_F(AheadTest, EachWaitsAnew) {
  Put("a", 4);
  Put("large", 9);
  Put("larger", 10);
  PlanAfter(seconds(0));
  PlanAfter(seconds(5));
  EXPECT_THAT(cluster_.released(), SizeIs(13));
  for (int i = 0; i < 9; ++i) cluster_.RemovePod(fmt::format("large-{}", i));
  PlanAfter(milliseconds(10));
  PlanAfter(milliseconds(4900));
  EXPECT_THAT(cluster_.released(), SizeIs(13));
  PlanAfter(milliseconds(100));
  EXPECT_THAT(cluster_.released(), SizeIs(23));
}

// All nodes are full, and a single pod waits, too.
class ContendedTest : public AheadTest {
 protected:
  ContendedTest() : loop_(&cluster_, &leadership_, &inbox_, {&watcher_}, Keeping()) {
    for (const char* node : {"n0", "n1"}) {
      Pod running = testing::MakePod(std::string("on-") + node).Requests({{"cpu", "4"}});
      running.node_name = node;
      cluster_.Put(running);
    }
    PutRival("rival", "1");
  }
  PlanningOptions Keeping() {
    PlanningOptions options = Options(1, 10);
    options.reserve_after = seconds(20);
    return options;
  }
  void PutRival(const std::string& name, const std::string& cpu,
                const std::string& why = "2 Insufficient cpu") {
    Pod pod = testing::MakePod(name).Requests({{"cpu", cpu}});
    pod.unscheduled_reason = "Unschedulable";
    pod.unscheduled_message = "0/2 nodes are available: " + why + ".";
    pod.creation_time = 1;  // later than the gangs, which come first
    cluster_.Put(pod);
  }
  void PlanAt(seconds time) {
    now_ = kBegin + time;
    loop_.Step();
  }
  PlanLoop loop_;
};

TEST_F(ContendedTest, AGangKeepsItsGateUntilNodesAreKeptForItAndAfterwards) {
  Put("train", 6);
  PlanAt(seconds(0));
  PlanAt(seconds(10));
  EXPECT_THAT(cluster_.released(), IsEmpty());
  PlanAt(seconds(20));
  EXPECT_THAT(cluster_.nominations(), SizeIs(6)) << "nodes are kept for it";
  PlanAt(seconds(30));
  EXPECT_THAT(cluster_.released(), IsEmpty());
  EXPECT_THAT(cluster_.nominations(), SizeIs(6));
  for (const char* running : {"on-n0", "on-n1"}) cluster_.RemovePod(running);
  PlanAt(seconds(31));
  PlanAt(seconds(32));
  EXPECT_THAT(cluster_.released(), SizeIs(6));
}

TEST_F(ContendedTest, OnceNoneHasWaitedForFiveSecondsTheGangGoesAhead) {
  Put("train", 6);
  PlanAt(seconds(0));
  cluster_.RemovePod("rival");
  PlanAt(seconds(1));
  EXPECT_THAT(cluster_.released(), IsEmpty());
  EXPECT_EQ(loop_.next_look(), kBegin + seconds(5));
  PlanAt(seconds(5));
  EXPECT_THAT(cluster_.released(), SizeIs(6));
}

TEST_F(ContendedTest, APodThatNoNodeCouldTakeIsNoRival) {
  cluster_.RemovePod("rival");
  PutRival("huge", "100");
  Put("train", 6);
  PlanAt(seconds(0));
  EXPECT_THAT(cluster_.released(), SizeIs(6));
}

TEST_F(ContendedTest, APodForWhichNodesHaveTooManyPodsIsARival) {
  cluster_.RemovePod("rival");
  PutRival("one-more", "1", "2 Too many pods");
  Put("train", 6);
  PlanAt(seconds(0));
  EXPECT_THAT(cluster_.released(), IsEmpty());
}

TEST_F(ContendedTest, APodThatWaitsForSomethingElseThanRoomIsNoRival) {
  cluster_.RemovePod("rival");
  PutRival("without-volume", "1", "pod has unbound immediate PersistentVolumeClaims");
  Put("train", 6);
  PlanAt(seconds(0));
  EXPECT_THAT(cluster_.released(), SizeIs(6));
}

// Autoscalers have to see it: nothing can be kept for it.
TEST_F(ContendedTest, AGangThatEmptyNodesWouldNotTakeGoesAheadInstead) {
  Put("large", 9);
  Put("train", 6);
  PlanAt(seconds(0));
  EXPECT_THAT(cluster_.released(), IsEmpty()) << "it is not known yet";
  PlanAt(seconds(20));
  EXPECT_THAT(cluster_.released(), SizeIs(9));
  EXPECT_TRUE(IsGated("train-0"));
}

TEST_F(ContendedTest, WithoutReserveAfterAGangGoesAhead) {
  PlanLoop loop(&cluster_, &leadership_, &inbox_, {&watcher_}, Options(1, 10));
  Put("train", 6);
  loop.Step();
  EXPECT_THAT(cluster_.released(), SizeIs(6));
}

}  // namespace
}  // namespace outrigger::desk
