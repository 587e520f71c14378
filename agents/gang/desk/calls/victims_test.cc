#include "gang/desk/calls/admission.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "board_testing.h"
#include "builders.h"
#include "fake_cluster.h"
#include "gang/desk/leadership/scheduler_lease.h"
#include "gang/desk/plan_loop.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;

/// Nodes of 4 cpu, and which pods may be evicted on them by the plan of what is there.
class VictimsTest : public ::testing::Test {
 protected:
  void AddFullNode(const std::string& name, std::string_view cpu = "4") {
    cluster_.Put(MakeNode(name));
    Pod pod = MakePod("on-" + name).Requests({{"cpu", cpu}});
    pod.node_name = name;
    cluster_.Put(pod);
  }
  Pod AddWaiting(const std::string& name, int group_priority, std::string_view cpu,
                 int32_t priority = 1000) {
    Pod pod = MakePod(name)
                  .Label("groupPriority", std::to_string(group_priority))
                  .Requests({{"cpu", cpu}});
    pod.priority = priority;
    cluster_.Put(pod);
    return cluster_.Get(name);
  }
  NodeVictims Of(const std::string& node) { return {node, {cluster_.Get("on-" + node).uid}, 0}; }

  std::vector<std::string> Choose(const Pod& pod, const std::vector<NodeVictims>& candidates) {
    loop_.Step();
    std::vector<NodeVictims> chosen;
    ChooseVictims(*loop_.Answer()->board, {.pod = pod, .candidates = candidates}, &chosen);
    std::vector<std::string> names;
    for (const NodeVictims& node : chosen) names.push_back(node.node);
    return names;
  }

  static PlanningOptions Holding() {
    PlanningOptions options;
    options.hold = true;
    options.now = [] { return kBegin; };
    return options;
  }

  testing::FakeCluster cluster_;
  Inbox inbox_;
  SchedulerLease leadership_{&cluster_, {}, nullptr};
  PlanLoop loop_{&cluster_, &leadership_, &inbox_, {}, Holding()};
};

TEST_F(VictimsTest, NoneGoesForAPodWhileAnEarlierOneCouldTakeThePlace) {
  AddFullNode("n1");
  AddFullNode("n2");
  const Pod first = AddWaiting("first", 10, "3", /*priority=*/0);
  const Pod late = AddWaiting("late", 1, "3");
  EXPECT_THAT(Choose(late, {Of("n1"), Of("n2")}), IsEmpty());
  EXPECT_THAT(Choose(first, {Of("n1"), Of("n2")}), ElementsAre("n1", "n2"));
}

TEST_F(VictimsTest, AnEarlierPodThatCouldNeverRunThereHoldsUpNone) {
  AddFullNode("n1");
  AddWaiting("huge", 10, "5");
  Pod elsewhere = AddWaiting("elsewhere", 10, "1");
  cluster_.Change("elsewhere", [](Pod* pod) { pod->node_selector.Set("zone", "b"); });
  const Pod late = AddWaiting("late", 1, "3");
  EXPECT_THAT(Choose(late, {Of("n1")}), ElementsAre("n1"));
  AddWaiting("small", 10, "1");
  EXPECT_THAT(Choose(late, {Of("n1")}), IsEmpty());
}

TEST_F(VictimsTest, AnEarlierPodWithAPlaceKeepsItAndNeedsNoOther) {
  AddFullNode("n1");
  cluster_.Put(MakeNode("n2"));
  AddWaiting("first", 10, "4");
  EXPECT_THAT(Choose(AddWaiting("late", 1, "4"), {Of("n1")}), ElementsAre("n1"));
}

TEST_F(VictimsTest, NoneGoesForAPodThatHasAPlaceElsewhere) {
  AddFullNode("n1");
  cluster_.Put(MakeNode("n2"));
  EXPECT_THAT(Choose(AddWaiting("late", 1, "4"), {Of("n1")}), IsEmpty());
}

// It may wait for more than one node could give.
TEST_F(VictimsTest, AGangHoldsUpNone) {
  AddFullNode("n1");
  for (const char* member : {"train-0", "train-1"}) {
    cluster_.Put(MakePod(member)
                     .Label("podGroup", "train")
                     .Label("minAvailable", "2")
                     .Label("groupPriority", "10")
                     .Requests({{"cpu", "4"}}));
  }
  EXPECT_THAT(Choose(AddWaiting("late", 1, "4"), {Of("n1")}), ElementsAre("n1"));
}

TEST_F(VictimsTest, APodThatComesBeforeIsNotEvicted) {
  AddFullNode("n1");
  cluster_.Change("on-n1", [](Pod* pod) { pod->labels.Set("groupPriority", "2"); });
  EXPECT_THAT(Choose(AddWaiting("late", 1, "4"), {Of("n1")}), IsEmpty());
}

TEST_F(VictimsTest, WhatThePlanDoesNotKnowGivesNothing) {
  AddFullNode("n1");
  const Pod late = AddWaiting("late", 1, "4");
  EXPECT_THAT(Choose(late, {{"n1", {"uid-of-nobody"}, 0}}), IsEmpty());
  NodeVictims with_another = Of("n1");
  with_another.pod_uids.emplace_back("uid-of-nobody");
  EXPECT_THAT(Choose(late, {with_another}), IsEmpty());
  EXPECT_THAT(Choose(late, {{"no-node", {cluster_.Get("on-n1").uid}, 0}}), IsEmpty());
  EXPECT_THAT(Choose(late, {{"n1", {cluster_.Get("on-n1").uid}, 0}}), ElementsAre("n1"));
  Pod unseen = late;
  unseen.uid = "uid-unseen";
  EXPECT_THAT(Choose(unseen, {Of("n1")}), IsEmpty());
}

// Where every node has been refused to it.
TEST_F(VictimsTest, ARefusalOnTheNodeDoesNotCountOnceItsPodsGo) {
  AddFullNode("n1");
  const Pod late = AddWaiting("late", 1, "4");
  loop_.Step();
  inbox_.Refused({"default/late", late.uid, "n1", "not passed"});
  EXPECT_THAT(Choose(late, {Of("n1")}), ElementsAre("n1"));
}

TEST_F(VictimsTest, APodThatIsNeverHeldMayTakeWhatKubeSchedulerChose) {
  AddFullNode("n1");
  AddWaiting("first", 10, "4");
  Pod critical = MakePod("critical").Requests({{"cpu", "4"}});
  critical.priority = 2'000'000'000;
  Pod daemon = MakePod("daemon").Requests({{"cpu", "4"}});
  daemon.controller = {"DaemonSet", "set", "uid-set", "apps/v1"};
  Pod mirror = MakePod("mirror").Requests({{"cpu", "4"}});
  mirror.annotations.Set("kubernetes.io/config.mirror", "hash");
  for (const Pod& pod : {critical, daemon, mirror}) {
    EXPECT_THAT(Choose(pod, {Of("n1")}), ElementsAre("n1")) << pod.name;
  }
}

// It has a place, and gets it once the first is bound.
TEST_F(VictimsTest, NoneIsEvictedForAPodThatWaitsForItsTurn) {
  cluster_.Put(MakeNode("free"));
  AddFullNode("full");
  AddWaiting("first", 10, "1", 0);
  const Pod late = AddWaiting("late", 1, "1");
  EXPECT_THAT(Choose(late, {Of("full")}), IsEmpty());
  EXPECT_TRUE(loop_.Answer()->board->Find(late.uid)->unit->waits_turn);
}

TEST_F(VictimsTest, NoneIsEvictedWhereAPodBeforeHasAPlace) {
  AddFullNode("n1", "3");
  AddFullNode("n2");
  AddWaiting("first", 10, "1");
  EXPECT_THAT(Choose(AddWaiting("late", 1, "4"), {Of("n1"), Of("n2")}), ElementsAre("n2"));
}

TEST_F(VictimsTest, PodsThatAreNotPlannedAreLeftToTheScheduler) {
  Pod large = MakePod("large");
  large.tolerations.resize(1001);
  Pod others = MakePod("others");
  others.scheduler_name = "other";
  for (const Pod& pod : {large, others}) cluster_.Put(pod);
  const Pod ours = AddWaiting("ours", 1, "1");
  loop_.Step();
  const Board& board = *loop_.Answer()->board;
  for (const char* name : {"large", "others"}) EXPECT_TRUE(board.IsLeftOut(cluster_.Get(name)));
  EXPECT_FALSE(board.IsLeftOut(ours));
  EXPECT_FALSE(board.IsLeftOut(MakePod("not seen")));
}

}  // namespace
}  // namespace outrigger::desk
