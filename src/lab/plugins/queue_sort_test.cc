#include "lab/plugins/queue_sort.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "builders.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakePod;

QueuedPod Queued(const Pod& pod, int arrived) {
  return {.pod = std::make_shared<const Pod>(pod),
          .timestamp = Clock::TimePoint(std::chrono::seconds(arrived))};
}

MakePod Guaranteed(std::string_view name) {
  return MakePod(name).Requests({{"cpu", "1"}, {"memory", "1Gi"}});
}

TEST(ArrivalSort, PutsWhoCameFirstFirst) {
  const ArrivalSort sort;
  EXPECT_TRUE(sort.Less(Queued(MakePod("b"), 1), Queued(MakePod("a"), 2)));
  EXPECT_FALSE(sort.Less(Queued(MakePod("a"), 2), Queued(MakePod("b"), 1)));
  EXPECT_FALSE(sort.Less(Queued(MakePod("a"), 1), Queued(MakePod("b"), 1)));
}

TEST(RiyaSort, PutsTheLargerGroupPriorityFirst) {
  const RiyaSort sort;
  const QueuedPod red = Queued(MakePod("red").Label("groupPriority", "10"), 2);
  const QueuedPod green = Queued(MakePod("green").Label("groupPriority", "3"), 1);
  EXPECT_TRUE(sort.Less(red, green));
  EXPECT_FALSE(sort.Less(green, red));
}

TEST(RiyaSort, ThenTheBetterQosClass) {
  const RiyaSort sort;
  Pod guaranteed = Guaranteed("hi");
  guaranteed.containers[0].limits = guaranteed.containers[0].requests;
  const QueuedPod hi = Queued(guaranteed, 2);
  const QueuedPod hello = Queued(MakePod("hello"), 1);
  EXPECT_TRUE(sort.Less(hi, hello));
  EXPECT_FALSE(sort.Less(hello, hi));
}

TEST(RiyaSort, ThenWhoCameFirst) {
  const RiyaSort sort;
  EXPECT_TRUE(sort.Less(Queued(MakePod("b"), 1), Queued(MakePod("a"), 2)));
  EXPECT_FALSE(sort.Less(Queued(MakePod("a"), 2), Queued(MakePod("b"), 1)));
}

}  // namespace
}  // namespace outrigger::lab
