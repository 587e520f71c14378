#include "cluster_testing.h"

namespace outrigger::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeNode;

/// Nodes a and b, and pod p, which has no node yet.
class Assume : public ::testing::Test {
 protected:
  Assume() : cluster_(clock_.Options()) {
    cluster_.UpsertNode(MakeNode("a"));
    cluster_.UpsertNode(MakeNode("b"));
    cluster_.UpsertPod(PodOn("p", ""));
  }

  absl::Status AssumeOn(std::string_view node, std::string_view uid = "uid-p") {
    return cluster_.AssumePod("default", "p", uid, node);
  }
  void ExpectAssumedOn(std::string_view node) {
    const auto snapshot = cluster_.Take();
    EXPECT_THAT(PodsOn(*snapshot, node), ElementsAre("p"));
    EXPECT_EQ(RequestedOf(*snapshot, node), "cpu 1, pods 1");
    EXPECT_THAT(Pending(*snapshot), IsEmpty());
    EXPECT_EQ(snapshot->FindPod("default", "p")->node_name(), node);
    EXPECT_TRUE(snapshot->FindPod("default", "p")->is_assumed());
  }
  void ExpectPending() {
    const auto snapshot = cluster_.Take();
    EXPECT_EQ(RequestedOf(*snapshot, "a") + RequestedOf(*snapshot, "b"), "");
    EXPECT_THAT(Pending(*snapshot), ElementsAre("p"));
    EXPECT_EQ(snapshot->FindPod("default", "p")->node_name(), "");
  }
  void ExpectBoundTo(std::string_view node) {
    const auto snapshot = cluster_.Take();
    EXPECT_THAT(PodsOn(*snapshot, node), ElementsAre("p"));
    EXPECT_FALSE(snapshot->FindPod("default", "p")->is_assumed());
  }

  Clock clock_;
  Cluster cluster_;
};

TEST_F(Assume, CountsThePodOnItsNode) {
  ASSERT_TRUE(AssumeOn("a").ok());
  ExpectAssumedOn("a");
}

TEST_F(Assume, ExpiresByTheClock) {
  ASSERT_TRUE(AssumeOn("a").ok());
  clock_.now += std::chrono::milliseconds(29'999);
  ExpectAssumedOn("a");
  clock_.now += std::chrono::milliseconds(1);
  ExpectPending();
}

TEST_F(Assume, AgainRenewsTheTimeAndCountsOnce) {
  ASSERT_TRUE(AssumeOn("a").ok());
  clock_.now += std::chrono::seconds(20);
  ASSERT_TRUE(AssumeOn("a").ok());
  clock_.now += std::chrono::seconds(20);
  ExpectAssumedOn("a");
  clock_.now += std::chrono::seconds(10);
  ExpectPending();
}

TEST_F(Assume, ElsewhereIsRefusedUntilForgotten) {
  ASSERT_TRUE(AssumeOn("a").ok());
  const absl::Status status = AssumeOn("b");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("assumed to node a, wanted b"));
  cluster_.ForgetPod("default", "p", "uid-p");
  ExpectPending();
  EXPECT_TRUE(AssumeOn("b").ok());
  ExpectAssumedOn("b");
}

TEST_F(Assume, OfBoundPodsIsRefusedUnlessBoundThere) {
  cluster_.UpsertPod(PodOn("p", "a"));
  EXPECT_TRUE(AssumeOn("a").ok());
  EXPECT_EQ(AssumeOn("b").code(), absl::StatusCode::kFailedPrecondition);
  ExpectBoundTo("a");
  clock_.now += std::chrono::hours(1);
  ExpectBoundTo("a");
}

TEST_F(Assume, OfUnknownPodsIsNotFound) {
  EXPECT_EQ(AssumeOn("a", "another").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cluster_.AssumePod("default", "q", "uid-q", "a").code(), absl::StatusCode::kNotFound);
  Pod finished = PodOn("p", "");
  finished.phase = "Failed";
  cluster_.UpsertPod(finished);
  EXPECT_EQ(AssumeOn("a").code(), absl::StatusCode::kNotFound);
}

TEST_F(Assume, UnboundUpdateKeepsTheAssumptionAndIsShown) {
  ASSERT_TRUE(AssumeOn("a").ok());
  Pod pod = PodOn("p", "");
  pod.labels.Set("group", "g");
  cluster_.UpsertPod(pod);
  ExpectAssumedOn("a");
  EXPECT_THAT(PodsOf(*cluster_.Take(), "default/g"), ElementsAre("p"));
  clock_.now += std::chrono::seconds(30);
  ExpectPending();
  EXPECT_EQ(cluster_.Take()->FindPod("default", "p")->Label("group"), "g");
}

TEST_F(Assume, BoundUpdateEndsItWhereverItSays) {
  ASSERT_TRUE(AssumeOn("a").ok());
  cluster_.UpsertPod(PodOn("p", "b"));
  ExpectBoundTo("b");
  EXPECT_EQ(RequestedOf(*cluster_.Take(), "a"), "");
  cluster_.ForgetPod("default", "p", "uid-p");
  clock_.now += std::chrono::hours(1);
  ExpectBoundTo("b");
}

TEST_F(Assume, BoundUpdateToTheSameNodeCountsOnce) {
  ASSERT_TRUE(AssumeOn("a").ok());
  cluster_.UpsertPod(PodOn("p", "a"));
  ExpectBoundTo("a");
  EXPECT_EQ(RequestedOf(*cluster_.Take(), "a"), "cpu 1, pods 1");
}

TEST_F(Assume, DeletionEndsIt) {
  ASSERT_TRUE(AssumeOn("a").ok());
  cluster_.RemovePod("default", "p");
  EXPECT_EQ(RequestedOf(*cluster_.Take(), "a"), "");
  clock_.now += std::chrono::hours(1);
  EXPECT_EQ(cluster_.Take()->pod_count(), 0U);
}

TEST_F(Assume, PodOfAnotherUidEndsIt) {
  ASSERT_TRUE(AssumeOn("a").ok());
  Pod successor = PodOn("p", "");
  successor.uid = "successor";
  cluster_.UpsertPod(successor);
  ExpectPending();
  ASSERT_TRUE(AssumeOn("b", "successor").ok());
  cluster_.ForgetPod("default", "p", "uid-p");  // of the one that is gone
  ExpectAssumedOn("b");
}

TEST_F(Assume, OnANodeThatIsNotKnownCountsOnceItComes) {
  ASSERT_TRUE(AssumeOn("c").ok());
  EXPECT_THAT(Pending(*cluster_.Take()), IsEmpty());
  cluster_.UpsertNode(MakeNode("c"));
  ExpectAssumedOn("c");
}

TEST_F(Assume, SnapshotFromBeforeStaysAsItWas) {
  const auto before = cluster_.Take();
  ASSERT_TRUE(AssumeOn("a").ok());
  const auto during = cluster_.Take();
  clock_.now += std::chrono::minutes(1);
  ExpectPending();
  EXPECT_THAT(Pending(*before), ElementsAre("p"));
  EXPECT_THAT(PodsOn(*during, "a"), ElementsAre("p"));
  EXPECT_LT(before->generation(), during->generation());
}

}  // namespace
}  // namespace outrigger::cluster
