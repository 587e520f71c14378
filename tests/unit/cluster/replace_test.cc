#include "cluster_testing.h"

namespace outrigger::cluster {
namespace {

using ::testing::ElementsAre;
using testing::MakeNode;

/// Nodes a and b with a pod each, and a list that begins.
class Replace : public ::testing::Test {
 protected:
  Replace() : cluster_(clock_.Options()) {
    for (const char* node : {"a", "b"}) {
      cluster_.UpsertNode(MakeNode(node));
      cluster_.UpsertPod(PodOn(std::string("pod-") + node, node));
    }
  }
  Clock clock_;
  Cluster cluster_;
};

TEST_F(Replace, RemovesAtTheEndWhatWasNotSeen) {
  cluster_.BeginReplace(Kind::kPods);
  cluster_.UpsertPod(PodOn("pod-b", "b"));
  cluster_.UpsertPod(PodOn("pod-c", "a"));
  EXPECT_EQ(cluster_.Take()->pod_count(), 3U);  // no hole on the way
  cluster_.EndReplace(Kind::kPods);
  const auto snapshot = cluster_.Take();
  EXPECT_THAT(PodsOn(*snapshot, "a"), ElementsAre("pod-c"));
  EXPECT_THAT(PodsOn(*snapshot, "b"), ElementsAre("pod-b"));
  EXPECT_EQ(snapshot->pod_count(), 2U);
  EXPECT_EQ(snapshot->node_count(), 2U);  // the other kind is not concerned
}

TEST_F(Replace, OfNodesKeepsTheirPods) {
  cluster_.BeginReplace(Kind::kNodes);
  cluster_.UpsertNode(MakeNode("b"));
  cluster_.UpsertNode(MakeNode("c"));
  EXPECT_EQ(cluster_.Take()->node_count(), 3U);
  cluster_.EndReplace(Kind::kNodes);
  EXPECT_EQ(cluster_.Take()->FindNode("a"), nullptr);
  EXPECT_EQ(cluster_.Take()->node_count(), 2U);
  EXPECT_NE(cluster_.Take()->FindPod("default", "pod-a"), nullptr);
  cluster_.UpsertNode(MakeNode("a"));
  EXPECT_EQ(RequestedOf(*cluster_.Take(), "a"), "cpu 1, pods 1");
}

TEST_F(Replace, BySameContentChangesNothing) {
  const auto before = cluster_.Take();
  for (const Kind kind : {Kind::kNodes, Kind::kPods}) {
    cluster_.BeginReplace(kind);
    for (const char* node : {"a", "b"}) {
      if (kind == Kind::kNodes) {
        cluster_.UpsertNode(MakeNode(node));
      } else {
        cluster_.UpsertPod(PodOn(std::string("pod-") + node, node));
      }
    }
    cluster_.EndReplace(kind);
  }
  EXPECT_EQ(cluster_.Take()->generation(), before->generation());
}

TEST_F(Replace, ThatIsBrokenOffCountsForNothing) {
  cluster_.BeginReplace(Kind::kPods);
  cluster_.UpsertPod(PodOn("pod-a", "a"));
  cluster_.BeginReplace(Kind::kPods);  // the connection broke; all over again
  cluster_.UpsertPod(PodOn("pod-b", "b"));
  cluster_.EndReplace(Kind::kPods);
  EXPECT_EQ(cluster_.Take()->FindPod("default", "pod-a"), nullptr);
  EXPECT_NE(cluster_.Take()->FindPod("default", "pod-b"), nullptr);
  cluster_.EndReplace(Kind::kPods);  // without a beginning
  EXPECT_EQ(cluster_.Take()->pod_count(), 1U);
}

TEST_F(Replace, PodThatWentAndCameWhileTheListRanStays) {
  cluster_.BeginReplace(Kind::kPods);
  cluster_.RemovePod("default", "pod-a");
  cluster_.UpsertPod(PodOn("pod-a", "b"));
  cluster_.UpsertPod(PodOn("pod-b", "b"));
  cluster_.EndReplace(Kind::kPods);
  EXPECT_THAT(PodsOn(*cluster_.Take(), "b"), ElementsAre("pod-a", "pod-b"));
}

TEST_F(Replace, EndsAssumptionsOfPodsThatVanished) {
  cluster_.UpsertPod(PodOn("new", ""));
  ASSERT_TRUE(cluster_.AssumePod("default", "new", "uid-new", "a").ok());
  cluster_.BeginReplace(Kind::kPods);
  cluster_.EndReplace(Kind::kPods);
  EXPECT_EQ(RequestedOf(*cluster_.Take(), "a"), "");
  clock_.now += std::chrono::hours(1);
  EXPECT_EQ(cluster_.Take()->pod_count(), 0U);
}

}  // namespace
}  // namespace outrigger::cluster
