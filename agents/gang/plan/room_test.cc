#include "gang/plan/room.h"

#include <memory>
#include <set>
#include <vector>

#include "builders.h"
#include "cluster/cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

Pod PodOn(std::string_view name, std::string_view cpu) {
  Pod pod = MakePod(name).Requests({{"cpu", cpu}});
  pod.node_name = "n";
  pod.phase = "Running";
  return pod;
}

TEST(RoomOn, IsWhatIsAllocatableLessWhatIsRequested) {
  cluster::Cluster cluster{cluster::ClusterOptions()};
  cluster.UpsertNode(MakeNode("n").Allocatable("gpu", "8"));
  Pod pod = PodOn("a", "1500m");
  pod.containers[0].requests.Set("fpga", Quantity::FromInt(1));
  cluster.UpsertPod(pod);
  const auto room = RoomOn(*cluster.Take(), "n");
  ASSERT_TRUE(room.has_value());
  EXPECT_EQ(room->free.Get("cpu").ToString(), "2500m");
  EXPECT_EQ(room->free.Get("memory").ToString(), "16Gi");
  EXPECT_EQ(room->free.Get("pods").ToString(), "109");
  EXPECT_EQ(room->free.Get("gpu").ToString(), "8");
  EXPECT_EQ(room->free.Get("fpga").ToString(), "-1");
  EXPECT_TRUE(room->schedulable);
}

TEST(RoomOn, IsNegativeWhereMoreIsRequestedThanThereIs) {
  cluster::Cluster cluster{cluster::ClusterOptions()};
  cluster.UpsertNode(MakeNode("n").Unschedulable());
  cluster.UpsertPod(PodOn("a", "6"));
  const auto room = RoomOn(*cluster.Take(), "n");
  EXPECT_EQ(room->free.Get("cpu").ToString(), "-2");
  EXPECT_FALSE(room->schedulable);
}

TEST(RoomOn, IsNothingWithoutTheNode) {
  cluster::Cluster cluster{cluster::ClusterOptions()};
  cluster.UpsertPod(PodOn("a", "6"));
  EXPECT_FALSE(RoomOn(*cluster.Take(), "n").has_value());
}

TEST(RoomOn, HasAStampThatChangesWithTheNodeAndItsPods) {
  cluster::Cluster cluster{cluster::ClusterOptions()};
  const auto stamp = [&] { return RoomOn(*cluster.Take(), "n")->stamp; };
  std::set<uint64_t> stamps;
  const auto is_new = [&] { return stamps.insert(stamp()).second; };
  cluster.UpsertNode(MakeNode("n"));
  EXPECT_TRUE(is_new());
  cluster.UpsertPod(PodOn("a", "1"));
  EXPECT_TRUE(is_new());
  cluster.UpsertPod(PodOn("b", "1"));
  EXPECT_TRUE(is_new());
  cluster.UpsertNode(MakeNode("n").Label("a", "b"));
  EXPECT_TRUE(is_new());
  Pod again = PodOn("b", "1");
  again.uid = "uid-b2";
  cluster.UpsertPod(again);
  EXPECT_TRUE(is_new());
  cluster.UpsertNode(MakeNode("other"));
  Pod elsewhere = PodOn("c", "1");
  elsewhere.node_name = "other";
  cluster.UpsertPod(elsewhere);
  EXPECT_FALSE(is_new());
}

class ShareANodeTest : public ::testing::Test {
 protected:
  using Pods = std::vector<std::shared_ptr<const Pod>>;
  static Pods One(const Pod& pod) { return {std::make_shared<Pod>(pod)}; }
  bool Share(const Pods& others, const SchedulerChecks* checks = nullptr) {
    return ShareANode(*cluster_.Take(), One(MakePod("gang").Requests({{"cpu", "3"}})), others,
                      checks);
  }
  cluster::Cluster cluster_{cluster::ClusterOptions()};
};

TEST_F(ShareANodeTest, WhateverRunsThere) {
  EXPECT_FALSE(Share(One(PodOn("b", "1")))) << "there is no node";
  cluster_.UpsertNode(MakeNode("n"));
  cluster_.UpsertPod(PodOn("a", "4"));
  EXPECT_TRUE(Share(One(MakePod("b").Requests({{"cpu", "4"}}))));
  EXPECT_FALSE(Share({})) << "no other waits";
}

TEST_F(ShareANodeTest, NotWhereOneOfThemMayNotGo) {
  cluster_.UpsertNode(MakeNode("n"));
  Pod selects = MakePod("selects").Requests({{"cpu", "1"}});
  selects.node_selector.Set("pool", "b");
  EXPECT_FALSE(Share(One(selects)));
  EXPECT_FALSE(Share(One(MakePod("large").Requests({{"cpu", "100"}}))));
  EXPECT_TRUE(Share({One(selects)[0], One(MakePod("small").Requests({{"cpu", "1"}}))[0]}));
  Node tainted = MakeNode("tainted");
  tainted.labels.Set("pool", "b");
  tainted.taints = {{"gpu", "", TaintEffect::kNoSchedule}};
  cluster_.UpsertNode(tainted);
  selects.tolerations = {{.key = "gpu", .value = "", .exists = true, .effect = std::nullopt}};
  EXPECT_FALSE(Share(One(selects))) << "the gang does not tolerate it";
  const SchedulerChecks checks = *SchedulerChecks::Parse("TaintToleration");
  EXPECT_TRUE(Share(One(selects), &checks));
}

}  // namespace
}  // namespace outrigger::plan
