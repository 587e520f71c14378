// Preempt calls, by the agent as the program runs it.
#include "preemption.h"
#include "barrier_testing.h"
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
  StartWithPlan();
  EXPECT_THAT(Preempt(Member("train", 0, 1), {{"n0", {"uid-a"}, 0}}), IsEmpty());
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {"uid-a"}, 0}}), SizeIs(1));
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

TEST_F(PreemptTest, AMemberOverTheMinimumMayBeEvicted) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) {
    Pod pod = Member("train", i, 1, "1");
    pod.node_name = "n0";
    cluster_.Put(pod);
  }
  StartWithPlan();
  EXPECT_THAT(Preempt(MakePod("single"), {{"n0", {cluster_.Get("train-0").uid}, 0}}), SizeIs(1));
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

TEST_F(PreemptTest, WhoIsToHaveThePlaceOfAWaiterIsWoken) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2, "2"));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  Pod urgent = MakePod("urgent").Requests({{"cpu", "2"}});
  urgent.priority = 1000;
  EXPECT_THAT(Preempt(urgent, {{"n0", {cluster_.Get("train-0").uid}, 0}}), IsEmpty());
  EXPECT_FALSE(Result(0).ok());
  cluster_.Put(urgent);
  Await([&] { return cluster_.Get("urgent").nominated_node_name == "n0"; });
}

TEST_F(PreemptTest, WhoWaitsIsNotEvictedButItsBarrierFails) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  EXPECT_THAT(Preempt(MakePod("urgent"), {{"n0", {cluster_.Get("train-0").uid}, 0}}), IsEmpty());
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("default/urgent of higher priority"));
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
  EXPECT_THAT(Preempt(pod, {{first[0], {"uid-a"}, 0}}), IsEmpty());
  Await([&] {
    const auto now = Passing("train-0");
    return now.size() == 1 && now[0] != first[0];
  });
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
