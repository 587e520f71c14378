// Rounds of the planning thread, one by one.
#include "gang/desk/plan_loop.h"
#include "gmock/gmock.h"
#include "plan_loop_testing.h"

namespace outrigger::desk {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// A pod without a gate and a place counts as let go ahead for so long.
constexpr std::chrono::seconds kSlotFor{30};

TEST_F(PlanLoopTest, NodesAreKeptForTheFirstThatDoesNotFitNotForOneWithASpareMember) {
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("elastic", 0, 1), "n0");
  Pod spare = Member("elastic", 1, 1, "9");
  spare.priority = 1000;
  cluster_.Put(spare);
  cluster_.Put(Member("train", 0, 1, "4"));
  PlanAfter(minutes(0));
  ASSERT_TRUE(loop_.Answer()->board->FindUnit(LabelsGang("elastic"))->fits);
  ASSERT_EQ(loop_.Answer()->board->units()[0].key, LabelsGang("elastic"));
  PlanAfter(minutes(5) - std::chrono::seconds(1));
  EXPECT_EQ(watcher_.kept, 0U);
  PlanAfter(std::chrono::seconds(1));
  EXPECT_EQ(watcher_.kept, 1U);
  ASSERT_NE(loop_.Answer()->board->KeptFor("n0"), nullptr);
  EXPECT_EQ(loop_.Answer()->board->KeptFor("n0")->key, LabelsGang("train"));
}

// Otherwise one such pod, older than all others, is enough that nothing is kept for any.
TEST_F(PlanLoopTest, NodesAreKeptForTheFirstForWhichAnyWouldDo) {
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("other", 0, 1), "n0");
  Pod impossible = Member("impossible", 0, 1, "1000");
  impossible.priority = 2000;
  cluster_.Put(impossible);
  Pod alike = testing::MakePod("single").Requests({{"cpu", "1000"}});
  alike.priority = 1500;
  cluster_.Put(alike);
  Pod agent = testing::MakePod("agent").Requests({{"cpu", "4"}});
  agent.controller = OwnerReference{"DaemonSet", "agents", "uid-agents", "apps/v1"};
  agent.affinity.required_node.emplace().terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {"n0"}});
  cluster_.Put(agent);
  cluster_.Put(Member("train", 0, 1, "4"));
  PlanAfter(minutes(0));
  PlanAfter(minutes(5));
  EXPECT_EQ(watcher_.kept, 1U);
  ASSERT_NE(loop_.Answer()->board->KeptFor("n0"), nullptr);
  EXPECT_EQ(loop_.Answer()->board->KeptFor("n0")->key, LabelsGang("train"));
}

// What it asks of other pods keeps it away, which no empty node changes.
TEST_F(PlanLoopTest, AUnitForWhichNodesAreKeptInVainLeavesThemToTheNext) {
  watcher_.look.reset();
  cluster_.Put(testing::MakeNode("n0"));
  cluster_.Put(testing::MakeNode("n1"));
  PutBound(Member("other", 0, 1), "n1");
  Pod alone = Member("alone", 0, 1, "4");
  alone.priority = 2000;
  PodAffinityTerm near;
  near.topology_key = "zone";
  near.label_selector.emplace().match_labels.Set("app", "nowhere");
  alone.affinity.required_pod.push_back(near);
  cluster_.Put(alone);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2, "4"));
  const auto kept_for = [this](const char* node) {
    const BoardUnit* const unit = loop_.Answer()->board->KeptFor(node);
    return unit == nullptr ? "" : unit->key.name;
  };
  PlanAfter(minutes(0));
  PlanAfter(minutes(5));
  EXPECT_EQ(kept_for("n0"), "alone");
  EXPECT_EQ(loop_.next_look(), now_) << "the thread plans again at once";
  PlanAfter(minutes(0));
  EXPECT_EQ(kept_for("n0"), "train");
  EXPECT_EQ(kept_for("n1"), "train");
  PlanAfter(minutes(10));
  EXPECT_EQ(kept_for("n0"), "alone");
}

TEST_F(PlanLoopTest, OfUnitsThatNoNodeWouldDoForNothingIsDue) {
  watcher_.look.reset();
  cluster_.Put(testing::MakeNode("n0"));
  cluster_.Put(Member("impossible", 0, 1, "1000"));
  PlanAfter(minutes(0));
  ASSERT_EQ(loop_.next_look(), now_ + kSlotFor);
  PlanAfter(kSlotFor);
  ASSERT_EQ(loop_.next_look(), now_ + minutes(5) - kSlotFor);
  PlanAfter(minutes(5));
  EXPECT_EQ(watcher_.kept, 0U);
  EXPECT_EQ(loop_.next_look(), std::nullopt);
}

// Else the first small pod that comes then is still answered by a plan in which none are kept.
TEST_F(PlanLoopTest, NodesAreKeptInTimeThoughNothingChanges) {
  watcher_.look.reset();
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("other", 0, 1), "n0");
  cluster_.Put(Member("train", 0, 1, "4"));
  PlanAfter(minutes(0));
  PlanAfter(kSlotFor);
  ASSERT_EQ(loop_.next_look(), now_ + minutes(5) - kSlotFor);
  PlanAfter(minutes(5) - kSlotFor);
  EXPECT_EQ(watcher_.kept, 1U);
  EXPECT_EQ(loop_.next_look(), std::nullopt);
}

// Otherwise what was due when it last planned is due for as long as it does not plan.
TEST_F(PlanLoopTest, HasNothingToLookAtWhileItCannotPlan) {
  cluster_.Put(testing::MakeNode("n0"));
  cluster_.Put(Member("train", 0, 1));
  PlanAfter(minutes(0));
  ASSERT_NE(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::UnavailableError("starting: pods are 90 s old"));
  PlanAfter(minutes(6));
  EXPECT_EQ(loop_.next_look(), std::nullopt);
  cluster_.SetUsable(absl::OkStatus());
  PlanAfter(minutes(0));
  EXPECT_NE(loop_.next_look(), std::nullopt);
}

// What is known of them is in the cluster alone.
TEST_F(PlanLoopTest, AnAgentThatComesLaterKeepsWhatGatedMembersAreNominatedFor) {
  for (const char* node : {"n0", "n1", "n2"}) cluster_.Put(testing::MakeNode(node));
  PutBound(Member("other", 0, 1), "n0");  // is leaving: room is kept there for train
  PutBound(Member("other", 1, 1), "n1");
  const auto put = [this](Pod pod, const char* node) {
    pod.scheduling_gates.emplace_back("outrigger.dev/queue");
    pod.nominated_node_name = node;
    cluster_.Put(pod);
  };
  put(Member("free", 0, 1, "4"), "n2");
  put(Member("train", 0, 1, "4"), "n1");
  PlanAfter(minutes(0));
  const auto board = loop_.Answer()->board;
  EXPECT_EQ(board->Find("uid-free-0")->node, "n2");
  EXPECT_EQ(board->Find("uid-train-0")->kept_node, "n1");
  PlanAfter(std::chrono::seconds(5));
  EXPECT_EQ(loop_.Answer()->board->Find("uid-train-0")->kept_node, "n1");
  for (const char* pod : {"free-0", "train-0"}) {
    EXPECT_NE(cluster_.Get(pod).nominated_node_name, "") << pod;
  }
}

// They may have been evicted for it: the nodes are kept as they were nominated, not whole ones.
TEST_F(PlanLoopTest, AnAgentThatComesLaterKeepsWhatPodsLeaveForGatedMembers) {
  for (const char* node : {"n0", "n1"}) {
    cluster_.Put(testing::MakeNode(node));
    for (int i = 0; i < 4; ++i) {
      Pod pod = testing::MakePod(fmt::format("old-{}-{}", node, i)).Requests({{"cpu", "1"}});
      pod.being_deleted = i == 0;
      PutBound(pod, node);
    }
  }
  for (const int i : {0, 1}) {
    Pod pod = Member("train", i, 2, "1");
    pod.scheduling_gates.emplace_back("outrigger.dev/queue");
    pod.nominated_node_name = fmt::format("n{}", i);
    cluster_.Put(pod);
  }
  const auto kept = [this] {
    const auto board = loop_.Answer()->board;
    return std::pair{board->Find("uid-train-0")->kept_node, board->Find("uid-train-1")->kept_node};
  };
  const std::pair<std::string, std::string> nominated{"n0", "n1"};
  PlanAfter(minutes(0));
  EXPECT_EQ(kept(), nominated);
  cluster_.RemovePod("old-n0-0");
  PlanAfter(minutes(1));
  EXPECT_EQ(kept(), nominated) << "the other one is yet to leave";
  PlanAfter(minutes(4));
  PlanAfter(minutes(0));
  EXPECT_NE(kept(), nominated) << "it is not waited for any longer";
}

TEST_F(PlanLoopTest, WhatOthersAreNominatedForIsNotKeptNorWhatCameSince) {
  cluster_.Put(testing::MakeNode("n0"));
  PutBound(Member("other", 0, 1), "n0");
  Pod member = Member("train", 0, 1, "4");
  member.nominated_node_name = "n0";
  cluster_.Put(member);
  PlanAfter(minutes(0));
  EXPECT_EQ(loop_.Answer()->board->Find("uid-train-0")->kept_node, "") << "it has no gate";
  Pod late = Member("late", 0, 1, "4");
  late.nominated_node_name = "n0";
  late.scheduling_gates.emplace_back("outrigger.dev/queue");
  cluster_.Put(late);
  PlanAfter(std::chrono::seconds(1));
  EXPECT_EQ(loop_.Answer()->board->Find("uid-late-0")->kept_node, "") << "not the first plan";
}

// kube-scheduler tries no member again because another one was created.
TEST_F(PlanLoopTest, AConditionThatIsNoLongerSoIsWrittenOnceTheReasonHasChanged) {
  cluster_.Put(testing::MakeNode("n1"));
  const auto shows = [&](int index) { return cluster_.Get(fmt::format("train-{}", index)); };
  const std::string asked =
      "0/1 nodes are available: 1 gang default/train waits: members (see outrigger explain gang). "
      "preemption: none";
  for (int i = 0; i < 2; ++i) {
    Pod member = Member("train", i, 3);
    member.unscheduled_reason = "Unschedulable";
    member.unscheduled_message = asked;
    cluster_.Put(member);
  }
  Pod own = Member("own", 0, 3);
  own.unscheduled_reason = "Unschedulable";
  own.unscheduled_message = "0/1 nodes are available: 1 Insufficient cpu.";
  cluster_.Put(own);
  PlanAfter(std::chrono::seconds(9));
  PlanAfter(std::chrono::seconds(9));
  EXPECT_EQ(shows(0).unscheduled_message, asked) << "it is so";
  cluster_.Put(Member("train", 2, 3));
  PlanAfter(std::chrono::seconds(9));
  EXPECT_EQ(shows(0).unscheduled_message, asked) << "kube-scheduler may be about to";
  EXPECT_LE(loop_.next_look(), now_ + std::chrono::seconds(1));
  PlanAfter(std::chrono::seconds(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(shows(i).unscheduled_message,
              "0/1 nodes are available: 1 gang default/train waits: cpu (see outrigger explain "
              "gang). preemption: none");
  }
  EXPECT_EQ(cluster_.Get("own-0").unscheduled_message, own.unscheduled_message) << "not ours";
  const std::string version = shows(0).resource_version;
  PlanAfter(std::chrono::seconds(9));
  EXPECT_EQ(shows(0).resource_version, version) << "each write wakes the pod";
}

// That the pod before it is bound makes kube-scheduler try none, and it may evict now.
TEST_F(PlanLoopTest, TheFirstOfTheQueueIsWokenOnceNoneIsBeforeIt) {
  PlanningOptions options = Options();
  options.hold = true;
  PlanLoop loop{&cluster_, &leadership_, &inbox_, {&watcher_}, options};
  const auto plan_after = [&](std::chrono::seconds time) {
    now_ += time;
    loop.Step();
  };
  cluster_.Put(testing::MakeNode("n1").Allocatable("cpu", "1").Allocatable("pods", "1"));
  PutBound(testing::MakePod("filler").Requests({{"cpu", "1"}}), "n1");
  cluster_.Put(testing::MakePod("first").Label("groupPriority", "9").Requests({{"cpu", "1"}}));
  const std::string asked =
      "0/3 nodes are available: 1 qos: waits for pod default/first with groupPriority 9 (see "
      "outrigger explain queue), 2 Too many pods. preemption: none";
  Pod pod = testing::MakePod("evicts").Label("groupPriority", "1").Requests({{"cpu", "1"}});
  pod.unscheduled_reason = "Unschedulable";
  pod.unscheduled_message = asked;
  cluster_.Put(pod);
  plan_after(std::chrono::seconds(9));
  plan_after(std::chrono::seconds(9));
  EXPECT_EQ(cluster_.Get("evicts").unscheduled_message, asked) << "it is so";
  cluster_.RemovePod("filler");
  PutBound(testing::MakePod("first").Label("groupPriority", "9").Requests({{"cpu", "1"}}), "n1");
  plan_after(std::chrono::seconds(1));
  EXPECT_EQ(cluster_.Get("evicts").unscheduled_message, asked) << "kube-scheduler may be about to";
  plan_after(std::chrono::seconds(1));
  EXPECT_EQ(cluster_.Get("evicts").unscheduled_message,
            "0/3 nodes are available: 1 qos: first in the queue, waits: cpu (see outrigger explain "
            "queue), 2 Too many pods. preemption: none");
}

// Whatever changes the reason, and changes it back.
// More than are queued at once.
TEST_F(PlanLoopTest, OfManyConditionsThatAreNoLongerSoNoneIsForgotten) {
  constexpr int kMany = 1500;
  for (int i = 0; i < kMany; ++i) {
    Pod member = Member("train", i, kMany + 1);
    member.unscheduled_reason = "Unschedulable";
    member.unscheduled_message = "1 gang default/train waits: room (see outrigger explain gang).";
    cluster_.Put(member);
  }
  for (int second = 0; second < 3; ++second) PlanAfter(std::chrono::seconds(1));
  int written = 0;
  for (int i = 0; i < kMany; ++i) {
    written += cluster_.Get("train-" + std::to_string(i)).unscheduled_message.find("members") !=
               std::string::npos;
  }
  EXPECT_EQ(written, kMany);
}

TEST_F(PlanLoopTest, AConditionIsWrittenLessAndLessOften) {
  cluster_.Put(testing::MakeNode("n1"));
  Pod member = Member("train", 0, 2);
  member.unscheduled_reason = "Unschedulable";
  member.unscheduled_message = "1 gang default/train waits: room (see outrigger explain gang).";
  cluster_.Put(member);
  int writes = 0;
  std::string before = member.unscheduled_message;
  for (int second = 0; second < 64; ++second) {
    PlanAfter(std::chrono::seconds(1));
    Pod shown = cluster_.Get("train-0");
    if (shown.unscheduled_message == before) continue;
    ++writes;
    shown.unscheduled_message = before;
    cluster_.Put(shown);
  }
  EXPECT_GE(writes, 3);
  EXPECT_LE(writes, 7);
}

class PlanPulseTest : public ::testing::Test {
 protected:
  PlanPulse::Time now_ = PlanPulse::Time() + std::chrono::hours(1);
  PlanPulse pulse_{[this] { return now_; }};
};

TEST_F(PlanPulseTest, IsFreshWhileNothingIsUnderWay) {
  now_ += std::chrono::hours(1);
  EXPECT_TRUE(pulse_.Fresh().ok());
  EXPECT_EQ(pulse_.UnderWay(), seconds(0));
}

TEST_F(PlanPulseTest, SaysForHowLongAndOnWhatARoundIsAtWork) {
  pulse_.Begin("planning");
  now_ += PlanPulse::kLongest;
  EXPECT_TRUE(pulse_.Fresh().ok());
  pulse_.GoOn("writing nominations");
  now_ += seconds(2);
  EXPECT_EQ(pulse_.Fresh().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(pulse_.Fresh().message()),
              ::testing::HasSubstr("planning has taken 32 s so far (writing nominations)"));
  EXPECT_TRUE(pulse_.Live().ok());
  pulse_.End();
  EXPECT_TRUE(pulse_.Fresh().ok());
}

TEST_F(PlanPulseTest, IsNotLiveOnceOnlyARestartHelps) {
  pulse_.Begin("planning");
  now_ += PlanPulse::kStuck + seconds(1);
  EXPECT_FALSE(pulse_.Live().ok());
}

}  // namespace

}  // namespace outrigger::desk
