// Preempt calls, by the agent as the program runs it.
#include "calls/preempt_call.h"
#include "calls/barrier_testing.h"
#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using ::testing::SizeIs;

class PreemptTest : public GangTest {
 protected:
  std::vector<NodeVictims> Preempt(const Pod& pod, const std::vector<NodeVictims>& candidates) {
    std::vector<NodeVictims> chosen;
    EXPECT_TRUE(dynamic_cast<Preempter&>(agent_->agent())
                    .Preempt({.pod = pod, .candidates = candidates}, &chosen)
                    .ok());
    return chosen;
  }
};

TEST_F(PreemptTest, MembersOfGangsEvictNobody) {
  Nodes(1);
  PodGroup basic;
  basic.dialect = Dialect::kUpstream;
  basic.namespace_ = "default";
  basic.name = "basic";
  basic.independent = true;
  cluster_.Put(basic);
  Pod member = MakePod("basic-0");
  member.scheduling_group = "basic";
  cluster_.Put(member);
  StartWithPlan();
  EXPECT_THAT(Preempt(Member("train", 0, 1), {{"n0", {"uid-a"}, 0}}), IsEmpty());
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {"uid-a"}, 0}}), SizeIs(1));
  EXPECT_THAT(Preempt(cluster_.Get("basic-0"), {{"n0", {"uid-a"}, 0}}), SizeIs(1))
      << "its group has no minimum";
}

TEST_F(PreemptTest, AGangIsNotCutBelowItsMinimum) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) {
    Pod pod = Member("train", i, 2);
    pod.node_name = nodes_[static_cast<size_t>(i)].name;
    cluster_.Put(pod);
  }
  StartWithPlan();
  const std::string first = cluster_.Get("train-0").uid;
  const std::string second = cluster_.Get("train-1").uid;
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {first}, 0}}), IsEmpty());
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {first, second}, 0}}), SizeIs(1));
}

// Its pods were bound by hand, say: the agent has started nothing.
TEST_F(PreemptTest, AGangThatWasNeverWholeIsCutAsSinglePodsAre) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) {
    Pod pod = Member("train", i, 3);
    pod.node_name = nodes_[static_cast<size_t>(i)].name;
    cluster_.Put(pod);
  }
  StartWithPlan();
  const std::string first = cluster_.Get("train-0").uid;
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {first}, 0}}), SizeIs(1));
}

TEST_F(PreemptTest, TheOnlyMemberOfARoleIsNotTakenThoughTheGangHasMoreThanItsMinimum) {
  Nodes(1);
  PodGroup group;
  group.dialect = Dialect::kVolcano;
  group.namespace_ = "default";
  group.name = "train";
  group.uid = "uid-train";
  group.min_member = 1;
  group.min_task_member = {{"ps", 1}, {"worker", 1}};
  cluster_.Put(group);
  for (const auto& [name, role] :
       {std::pair{"ps-0", "ps"}, {"worker-0", "worker"}, {"worker-1", "worker"}}) {
    Pod pod = MakePod(name)
                  .Requests({{"cpu", "1"}})
                  .Annotation("scheduling.k8s.io/group-name", "train")
                  .Annotation("volcano.sh/task-spec", role);
    pod.node_name = "n0";
    cluster_.Put(pod);
  }
  StartWithPlan();
  const auto taken = [&](const std::vector<std::string>& names) {
    NodeVictims victims{"n0", {}, 0};
    for (const std::string& name : names) victims.pod_uids.push_back(cluster_.Get(name).uid);
    return Preempt(MakePod("single"), {victims});
  };
  EXPECT_THAT(taken({"ps-0"}), IsEmpty());
  EXPECT_THAT(taken({"worker-0"}), SizeIs(1)) << "the other one is enough";
  EXPECT_THAT(taken({"worker-0", "worker-1"}), IsEmpty());
  EXPECT_THAT(taken({"ps-0", "worker-0", "worker-1"}), SizeIs(1)) << "the whole gang may go";
}

TEST_F(PreemptTest, TheBarrierStandsWhereSomebodyElseCanBeEvicted) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  const std::string uid = cluster_.Get("train-0").uid;
  const auto chosen = Preempt(MakePod("urgent"), {{"n0", {uid}, 0}, {"n1", {"uid-web"}, 0}});
  ASSERT_THAT(chosen, SizeIs(1));
  EXPECT_EQ(chosen[0].node, "n1");
  EXPECT_TRUE(Waits(0));
}

TEST_F(PreemptTest, WhoWaitsIsNotEvictedButItsBarrierFailsAndWhoIsToHaveItsPlaceIsWoken) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2, "2"));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  Pod urgent = MakePod("urgent").Requests({{"cpu", "2"}});
  urgent.priority = 1000;
  EXPECT_THAT(Preempt(urgent, {{"n0", {cluster_.Get("train-0").uid}, 0}}), IsEmpty());
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("default/urgent of higher priority"));
  cluster_.Put(urgent);
  Await([&] { return cluster_.Get("urgent").nominated_node_name == "n0"; });
}

// kube-scheduler calls when the node for which the pod is nominated has not passed its filters.
TEST_F(PreemptTest, AMemberThatIsNominatedForItsNodeIsRefusedThere) {
  Nodes(2);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  const auto first = Passing("train-0");
  ASSERT_THAT(first, SizeIs(1));
  Pod pod = cluster_.Get("train-0");
  pod.nominated_node_name = first[0];
  Await([&] {
    EXPECT_THAT(Preempt(pod, {{first[0], {"uid-a"}, 0}}), IsEmpty());
    const auto now = Passing("train-0");
    return now.size() == 1 && now[0] != first[0];
  });
}

// kube-scheduler knows of the priority of pods alone: these preempt, whatever the plan says.
class PreemptBehindTest : public PreemptTest {
 protected:
  // A gang of two, of which one member waits.
  void StartWithWaiter(const std::string& group_priority) {
    Nodes(2);
    for (int i = 0; i < 2; ++i) {
      Pod pod = Member("train", i, 2);
      pod.labels.Set("groupPriority", group_priority);
      cluster_.Put(pod);
    }
    StartWithPlan();
    Schedule("train-0");
    AwaitAtBarrier("train-0");
  }
  static Pod Urgent(const std::string& group_priority = "0") {
    Pod pod = MakePod("urgent").Requests({{"cpu", "2"}}).Label("groupPriority", group_priority);
    pod.priority = 1000;
    return pod;
  }
  std::vector<NodeVictims> PreemptWaiter(const Pod& pod) {
    return Preempt(pod, {{"n0", {cluster_.Get("train-0").uid}, 0}});
  }
  void CompleteGang() {
    Schedule("train-1");
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
  }
};

TEST_F(PreemptBehindTest, TheBarrierOfAGangThatIsPlannedBeforeThePreemptorStands) {
  StartWithWaiter("5");
  EXPECT_THAT(PreemptWaiter(Urgent()), IsEmpty()) << "no plan has seen it";
  EXPECT_TRUE(Waits(0));
  cluster_.Put(Urgent());
  cluster_.Put(Member("later", 0, 1, "0"));
  Await([&] { return Passing("later-0").size() == 1; });
  EXPECT_THAT(PreemptWaiter(cluster_.Get("urgent")), IsEmpty()) << "it is planned, behind the gang";
  EXPECT_TRUE(Waits(0));
  CompleteGang();
}

TEST_F(PreemptBehindTest, TheBarrierOfAGangThatIsPlannedBehindThePreemptorFails) {
  StartWithWaiter("5");
  EXPECT_THAT(PreemptWaiter(Urgent("6")), IsEmpty());
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("default/urgent of higher priority"));
}

class PreemptInPartTest : public PreemptBehindTest {
 protected:
  // Of three members one is bound by this agent, and one waits on n1.
  void StartInPart() {
    Nodes(3);
    Pod bound = Member("train", 0, 3);
    bound.node_name = "n0";
    bound.annotations.Set(plan::kStartedWith, "3");
    cluster_.Put(bound);
    for (int i = 1; i < 3; ++i) cluster_.Put(Member("train", i, 3));
    StartWithPlan();
    Schedule("train-1");
    AwaitAtBarrier("train-1");
  }
  std::vector<NodeVictims> PreemptFor(const Pod& pod) {
    return Preempt(pod, {{"n1", {cluster_.Get("train-1").uid}, 0}});
  }
};

TEST_F(PreemptInPartTest, TheBarrierStandsAgainstPodsOfItsPriority) {
  StartInPart();
  EXPECT_THAT(PreemptFor(MakePod("before").Requests({{"cpu", "2"}})), IsEmpty());
  EXPECT_TRUE(Waits(0));
  Schedule("train-2");
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(PreemptInPartTest, TheBarrierFailsForAPodOfHigherPriority) {
  StartInPart();
  EXPECT_THAT(PreemptFor(Urgent()), IsEmpty());
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("default/urgent of higher priority"));
}

TEST_F(BarrierTest, NoBarrierFailsForAPlaceOfWhichAPartIsKeptForAGangBeforeThePreemptor) {
  board_.AddGang("zebra", 2, 2);
  const Pod pod = MakePod("urgent");  // by name between the two
  board_.AddSingle(pod);
  const auto board = board_.Make();
  barriers_.OnPlan(board);
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(LabelsGang("zebra"), "zebra-0");
  calls.AwaitWaiting(train_, 1);
  calls.AwaitWaiting(LabelsGang("zebra"), 1);
  std::vector<NodeVictims> chosen;
  const std::vector<NodeVictims> both = {{"n1", {"uid-zebra-0", "uid-train-0"}, 0}};
  ChooseVictims(*board, {.pod = pod, .candidates = both}, &barriers_, &chosen);
  EXPECT_EQ(calls.Waiting(train_), 1U);
  EXPECT_EQ(calls.Waiting(LabelsGang("zebra")), 1U);
  const std::vector<NodeVictims> behind = {{"n1", {"uid-zebra-0"}, 0}};
  ChooseVictims(*board, {.pod = pod, .candidates = behind}, &barriers_, &chosen);
  EXPECT_THAT(chosen, IsEmpty());
  EXPECT_FALSE(calls.Result(1).ok());
  EXPECT_EQ(calls.Waiting(train_), 1U);
}

// kube-scheduler counts it on its node until it has the answer of the bind call.
class LeavingVictimTest : public BarrierTest {
 protected:
  std::vector<NodeVictims> Choose(const std::vector<NodeVictims>& candidates) {
    std::vector<NodeVictims> chosen;
    const auto board = board_.Make();
    ChooseVictims(*board, {.pod = MakePod("urgent"), .candidates = candidates}, &barriers_,
                  &chosen);
    return chosen;
  }
  const std::vector<NodeVictims> train_0_ = {{"n1", {"uid-train-0"}, 0}};
};

TEST_F(LeavingVictimTest, WhoseBarrierHasJustFailedIsNotEvicted) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  barriers_.FailGang(train_, BarrierEnd::kNoRoom, "for another");
  EXPECT_THAT(Choose(train_0_), IsEmpty());
  EXPECT_THAT(Choose({train_0_[0], {"n2", {"uid-other"}, 0}}), SizeIs(1)) << "others may be";
  ahead_ = std::chrono::seconds(6);
  EXPECT_THAT(Choose(train_0_), SizeIs(1)) << "whoever it is now";
}

TEST_F(LeavingVictimTest, WhoseCallerHasGoneIsNotEvicted) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  calls.HangUp(0);
  EXPECT_FALSE(calls.Result(0).ok());
  EXPECT_THAT(Choose(train_0_), IsEmpty());
}

TEST_F(LeavingVictimTest, WhoWasLetThroughAndIsNotBoundIsNotEvicted) {
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  barriers_.Bound(train_, "uid-train-0", false);
  EXPECT_THAT(Choose({{"n1", {"uid-train-0", "uid-train-1", "uid-train-2"}, 0}}), IsEmpty());
}

TEST_F(LeavingVictimTest, NoOtherBarrierFailsWhileAPlaceBecomesFree) {
  board_.AddGang("zebra", 2, 2);
  board_.AddSingle(MakePod("urgent"));  // by name between the two
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.Arrive(LabelsGang("zebra"), "zebra-0");
  calls.AwaitWaiting(train_, 1);
  calls.AwaitWaiting(LabelsGang("zebra"), 1);
  barriers_.FailGang(train_, BarrierEnd::kNoRoom, "for another");
  EXPECT_THAT(Choose({train_0_[0], {"n2", {"uid-zebra-0"}, 0}}), IsEmpty());
  EXPECT_EQ(calls.Waiting(LabelsGang("zebra")), 1U);
}

TEST_F(LeavingVictimTest, WhoIsBoundAllTheSameMayBeEvicted) {
  Calls calls(&barriers_);
  calls.Arrive(train_, "train-0");
  calls.AwaitWaiting(train_, 1);
  barriers_.FailGang(train_, BarrierEnd::kGone, "bound by hand");
  EXPECT_THAT(Choose(train_0_), IsEmpty());
  board_.Bind("train", 1);
  EXPECT_THAT(Choose(train_0_), SizeIs(1));
}

TEST_F(LeavingVictimTest, WhoWaitsAgainIsAWaiter) {
  board_.AddGang("zebra", 2, 2);
  board_.AddSingle(MakePod("urgent"));
  barriers_.OnPlan(board_.Make());
  Calls calls(&barriers_);
  for (int i = 0; i < 2; ++i) {
    calls.Arrive(LabelsGang("zebra"), "zebra-0");
    calls.AwaitWaiting(LabelsGang("zebra"), 1);
    if (i == 0) barriers_.FailGang(LabelsGang("zebra"), BarrierEnd::kNoRoom, "for another");
  }
  EXPECT_THAT(Choose({{"n1", {"uid-zebra-0"}, 0}}), IsEmpty());
  EXPECT_EQ(calls.Waiting(LabelsGang("zebra")), 0U) << "it fails for the pod that comes first";
}

// The watch shows later that they are bound.
TEST_F(BarrierTest, WhoWasLetThroughIsAMemberThatMayNotBeCutOff) {
  Calls calls(&barriers_);
  for (const char* pod : {"train-0", "train-1", "train-2"}) calls.Arrive(train_, pod);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(calls.Result(i).ok());
  barriers_.Bound(train_, "uid-train-0", true);
  const Pod urgent = MakePod("urgent");
  const std::vector<NodeVictims> candidates = {
      {"n1", {"uid-train-0"}, 0},
      {"n2", {"uid-train-1"}, 0},
      {"n3", {"uid-train-0", "uid-train-1", "uid-train-2"}, 0}};
  std::vector<NodeVictims> chosen;
  ChooseVictims(*board_.Make(), {.pod = urgent, .candidates = candidates}, &barriers_, &chosen);
  ASSERT_THAT(chosen, SizeIs(1)) << "the whole gang, or nobody";
  EXPECT_EQ(chosen[0].node, "n3");
}

}  // namespace
}  // namespace outrigger::gang
