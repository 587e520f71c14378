#include "lab/plugins/node_unschedulable.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

PluginStatus FilterOf(const Pod& pod, const Node& node) {
  CycleState state;
  return NodeUnschedulable().Filter(state, pod, node);
}

TEST(NodeUnschedulable, RejectsCordonedNodesAlone) {
  EXPECT_TRUE(FilterOf(MakePod(), MakeNode()).ok());
  EXPECT_EQ(FilterOf(MakePod(), MakeNode().Unschedulable()),
            PluginStatus::Unschedulable("node(s) were unschedulable"));
}

TEST(NodeUnschedulable, PassesPodsThatTolerateACordon) {
  Toleration toleration;
  toleration.key = "node.kubernetes.io/unschedulable";
  toleration.exists = true;
  Pod pod = MakePod();
  pod.tolerations = {toleration};
  EXPECT_TRUE(FilterOf(pod, MakeNode().Unschedulable()).ok());
  pod.tolerations[0].key = "example.com/other";
  EXPECT_FALSE(FilterOf(pod, MakeNode().Unschedulable()).ok());
}

TEST(NodeUnschedulable, RegistersForNodesThatComeOrAreUncordoned) {
  const auto registered = NodeUnschedulable().EventsToRegister();
  ASSERT_FALSE(registered.empty());
  const auto wakes = [&](uint32_t action) {
    return registered[0].Matches({ClusterEvent::Resource::kNode, action});
  };
  EXPECT_TRUE(wakes(ClusterEvent::kAdd));
  EXPECT_TRUE(wakes(ClusterEvent::kUpdateNodeTaint));
  EXPECT_FALSE(wakes(ClusterEvent::kUpdateNodeLabel));
  EXPECT_FALSE(wakes(ClusterEvent::kDelete));
}

}  // namespace
}  // namespace outrigger::lab
