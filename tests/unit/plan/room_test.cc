#include "outrigger/plan/room.h"

#include <set>

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

}  // namespace
}  // namespace outrigger::plan
