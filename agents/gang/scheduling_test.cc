// Nominations and bind calls, by the agent as the program runs it.
#include <atomic>

#include "gang_testing.h"

namespace outrigger::gang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using ::testing::Pair;
using ::testing::SizeIs;

TEST_F(GangTest, AllAreBoundTogether) {
  Nodes(3);
  for (int i = 0; i < 3; ++i) cluster_.Put(Member("train", i, 3));
  StartWithPlan();
  Schedule("train-0");
  Schedule("train-1");
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
  EXPECT_TRUE(Waits(0) && Waits(1));
  Schedule("train-2");
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Result(i).ok());
  EXPECT_THAT(cluster_.bindings(), SizeIs(3));
}

TEST_F(GangTest, AMemberIsBoundAtAnEqualNodeWhereItsOwnIsNotOffered) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  std::string place;
  Await([&] {
    const std::vector<std::string> passing = Passing("train-0");
    if (!passing.empty()) place = passing[0];
    return !passing.empty();
  });
  const std::vector<Node> all = nodes_;
  std::erase_if(nodes_, [&](const Node& node) { return node.name == place; });
  const std::vector<std::string> equal = Passing("train-0");
  ASSERT_THAT(equal, SizeIs(1));
  EXPECT_NE(equal[0], Passing("train-1").at(0)) << "its own member's place";
  Bind("train-0", equal[0]);
  AwaitAtBarrier("train-0");
  nodes_ = all;
  Schedule("train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
  EXPECT_EQ(cluster_.Get("train-0").node_name, equal[0]);
  EXPECT_THAT(cluster_.nominations(), IsEmpty());
}

TEST_F(GangTest, ASingleIsBoundAtOnce) {
  Nodes(1);
  cluster_.Put(MakePod("single"));
  StartWithPlan();
  Bind("single", "n0");
  EXPECT_TRUE(Result(0).ok());
  EXPECT_THAT(cluster_.bindings(), ElementsAre(Pair("single", "n0")));
}

TEST_F(GangTest, WhoWasRejectedIsNominatedWhenItsGangGetsPlaces) {
  Nodes(1);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Await([&] { return !Reason("train-0").empty() && !Reason("train-1").empty(); });
  cluster_.Put(MakeNode("n1"));
  Await([&] { return cluster_.nominations().size() == 2; });
  EXPECT_NE(cluster_.Get("train-0").nominated_node_name,
            cluster_.Get("train-1").nominated_node_name);
}

TEST_F(GangTest, ANominationWithoutAPlaceIsWithdrawn) {
  Nodes(1);
  Pod member = Member("train", 0, 2);
  member.nominated_node_name = "n0";  // of an agent before this one
  cluster_.Put(member);
  StartWithPlan();
  Await([&] { return !cluster_.nominations().empty(); });
  EXPECT_EQ(cluster_.Get("train-0").nominated_node_name, "");
  EXPECT_THAT(cluster_.nominations(), ElementsAre(Pair("train-0", "")));
}

// An API server that does not answer: until the agent gives up.
absl::Status UntilStopped(const CallLimits& limits) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  never.wait_for(lock, limits.stop, kPatience, [] { return false; });
  return absl::CancelledError("stopped");
}

TEST_F(GangTest, NominationsThatAreNotAnsweredHoldUpNoPlanAndNoStop) {
  Nodes(2);
  std::atomic<int> begun = 0;
  cluster_.OnNominate([&](const std::string& /*pod*/, const CallLimits& limits) {
    ++begun;
    return UntilStopped(limits);
  });
  Pod member = Member("train", 0, 2);
  member.nominated_node_name = "n0";  // of an agent before this one: it is withdrawn
  cluster_.Put(member);
  StartWithPlan();
  Await([&] { return begun > 0; });
  const auto began = std::chrono::steady_clock::now();
  cluster_.Put(Member("other", 0, 1));
  Await([&] { return Passing("other-0").size() == 1; });
  Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, kPatience / 4);
  EXPECT_EQ(begun, 1) << "of one pod one write at a time";
}

TEST_F(GangTest, AWaiterWhosePodIsDeletedFailsAtOnce) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  cluster_.Change("train-0", [](Pod* pod) { pod->being_deleted = true; });
  EXPECT_FALSE(Result(0).ok());
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(GangTest, TheRestOfAGangWhoseNodeIsGoneIsPlannedAgainAndFailsIfItDoesNotFit) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  Bind("train-0", place);
  AwaitAtBarrier("train-0");
  cluster_.RemoveNode(place == "n0" ? "n1" : "n0");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("gang default/train waits: "));
}

TEST_F(GangTest, AllAreBoundAtTheSameTime) {
  Nodes(3);
  for (int i = 0; i < 3; ++i) cluster_.Put(Member("train", i, 3));
  std::atomic<int> under_way{0};
  cluster_.OnBind([&](const std::string&) {
    ++under_way;
    Await([&] { return under_way == 3; });
    return absl::OkStatus();
  });
  StartWithPlan();
  for (int i = 0; i < 3; ++i) Schedule(fmt::format("train-{}", i));
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(GangTest, AGangOfOneIsBoundAtOnce) {
  Nodes(1);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  Schedule("train-0");
  EXPECT_TRUE(Result(0).ok());
}

TEST_F(GangTest, OnceOneIsBoundErrorsThatMayPassAreNoReasonToGiveUp) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  std::atomic<int> failed{0};
  cluster_.OnBind([&](const std::string& pod) {
    return pod == "train-1" && failed++ < 1 ? absl::UnavailableError("down") : absl::OkStatus();
  });
  StartWithPlan();
  for (int i = 0; i < 2; ++i) Schedule(fmt::format("train-{}", i));
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
  EXPECT_THAT(cluster_.bindings(), SizeIs(2));
}

TEST_F(GangTest, AMemberThatTurnsOutToBeElsewhereFailsAndIsBound) {
  Nodes(3);
  for (int i = 0; i < 3; ++i) cluster_.Put(Member("train", i, 2));
  cluster_.OnBind([&](const std::string& pod) {
    if (pod == "train-0") {
      cluster_.Change("train-0", [](Pod* bound) { bound->node_name = "by-hand"; });
    }
    return absl::OkStatus();
  });
  StartWithPlan();
  for (int i = 0; i < 2; ++i) Schedule(fmt::format("train-{}", i));
  EXPECT_FALSE(Result(0).ok());
  EXPECT_TRUE(Result(1).ok());
  Schedule("train-2");
  EXPECT_TRUE(Result(2).ok()) << "two are bound";
}

TEST_F(GangTest, AWaiterThatIsBoundByHandFailsAtOnceAndCountsAsBound) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  cluster_.Change("train-0", [](Pod* pod) { pod->node_name = "by-hand"; });
  EXPECT_EQ(Result(0), absl::AbortedError("the pod is bound to by-hand"));
  Schedule("train-1");
  EXPECT_TRUE(Result(1).ok());
}

TEST_F(GangTest, AWaiterWhoseNodeIsCordonedFailsAtOnce) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  Bind("train-0", place);
  AwaitAtBarrier("train-0");
  cluster_.Put(MakeNode(place).Unschedulable());
  EXPECT_EQ(Result(0), absl::AbortedError(fmt::format("node {} is cordoned", place)));
  Await([&] { return Passing("train-0").size() == 1 && Passing("train-0").at(0) != place; });
}

TEST_F(GangTest, AWaiterThatToleratesACordonWaitsOnThere) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) {
    Pod pod = Member("train", i, 2);
    pod.tolerations.push_back({"node.kubernetes.io/unschedulable", "", true, {}});
    cluster_.Put(pod);
  }
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  Bind("train-0", place);
  AwaitAtBarrier("train-0");
  cluster_.Put(MakeNode(place).Unschedulable());
  cluster_.Put(Member("later", 0, 1, "0"));
  Await([&] { return Passing("later-0").size() == 1; });  // a plan has seen the cordon
  EXPECT_TRUE(Waits(0));
  Schedule("train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(GangTest, AWaiterWhosePodIsGoneFailsAtOnce) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  cluster_.RemovePod("train-0");
  EXPECT_EQ(Result(0), absl::AbortedError("the pod is gone"));
}

TEST_F(GangTest, AMemberWhoseCallWasLostGetsTheSamePlaceAgain) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  const std::string place = Passing("train-0").at(0);
  Bind("train-0", place);
  AwaitAtBarrier("train-0");
  calls_[0].client.request_stop();
  EXPECT_FALSE(Result(0).ok());
  EXPECT_THAT(Passing("train-0"), ElementsAre(place));
  Schedule("train-1");
  Schedule("train-0");
  for (const size_t i : {1U, 2U}) EXPECT_TRUE(Result(i).ok());
}

TEST_F(GangTest, AMemberIsNotBoundWhereItHasNoPlace) {
  Nodes(2);
  cluster_.Put(Member("train", 0, 1));
  StartWithPlan();
  Bind("train-0", Passing("train-0").at(0) == "n0" ? "n1" : "n0");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("its node is no longer n"));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(RefusedPlace, TheRestIsPlannedAgainAroundThoseWhoWait) {
  Nodes(3);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  const std::string refused = Passing("train-1").at(0);
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  RefusePlaceOf("train-1");
  Await([&] { return Passing("train-1").size() == 1 && Passing("train-1").at(0) != refused; });
  EXPECT_TRUE(Waits(0));
  Schedule("train-1");
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Result(i).ok());
}

TEST_F(RefusedPlace, TheBarrierFailsAtOnceIfTheRestDoesNotFitAnyMore) {
  Nodes(2);
  for (int i = 0; i < 2; ++i) cluster_.Put(Member("train", i, 2));
  StartWithPlan();
  Schedule("train-0");
  AwaitAtBarrier("train-0");
  RefusePlaceOf("train-1");
  EXPECT_THAT(std::string(Result(0).message()), HasSubstr("gang default/train waits: "));
  EXPECT_THAT(cluster_.bindings(), IsEmpty());
}

TEST_F(GangTest, AGangThatWasBoundInPartBeforeARestartIsCompletedBeforeOthersOfItsPriority) {
  Nodes(2);
  Pod bound = Member("train", 0, 2);
  bound.node_name = "n0";
  bound.annotations.Set(plan::kStartedWith, "2");
  cluster_.Put(bound);
  cluster_.Put(MakePod("before").Requests({{"cpu", "3"}}));
  cluster_.Put(Member("train", 1, 2));
  StartWithPlan();
  Schedule("train-1");
  EXPECT_TRUE(Result(0).ok());
}

}  // namespace
}  // namespace outrigger::gang
