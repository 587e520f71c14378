#include "lab/framework/ordered_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lab/queue_testing.h"

namespace outrigger::lab {
namespace {

using ::testing::ElementsAre;

QueuedPod Queued(const std::string& uid, int priority, uint64_t arrival) {
  QueuedPod queued{QueuePod(uid, priority)};
  queued.arrival = arrival;
  return queued;
}

std::vector<std::string> TakeAll(OrderedPods* pods) {
  std::vector<std::string> uids;
  while (!pods->empty()) uids.push_back(pods->TakeFirst().pod->uid);
  return uids;
}

TEST(OrderedPods, AreInTheirOrderEqualsInThatOfTheirArrival) {
  OrderedPods pods(HigherPriority);
  pods.Add(Queued("a", 0, 2));
  pods.Add(Queued("b", 5, 3));
  pods.Add(Queued("c", 0, 1));
  EXPECT_EQ(pods.First().pod->uid, "b");
  EXPECT_THAT(TakeAll(&pods), ElementsAre("b", "c", "a"));
}

TEST(OrderedPods, AreFoundByTheirUid) {
  OrderedPods pods(HigherPriority);
  pods.Add(Queued("a", 0, 1));
  pods.Add(Queued("b", 0, 2));
  EXPECT_TRUE(pods.Contains("a"));
  EXPECT_EQ(pods.Take("a")->pod->uid, "a");
  EXPECT_FALSE(pods.Contains("a"));
  EXPECT_FALSE(pods.Take("a").has_value());
  EXPECT_THAT(TakeAll(&pods), ElementsAre("b"));
}

TEST(OrderedPods, HaveAnotherPlaceWhereAChangeGivesThemOne) {
  OrderedPods pods(HigherPriority);
  pods.Add(Queued("a", 0, 1));
  pods.Add(Queued("b", 0, 2));
  pods.Add(Queued("c", 0, 3));
  EXPECT_TRUE(pods.Replace(QueuePod("a", 0)));
  EXPECT_TRUE(pods.Replace(QueuePod("c", 5)));
  EXPECT_FALSE(pods.Replace(QueuePod("d", 5)));
  EXPECT_THAT(TakeAll(&pods), ElementsAre("c", "a", "b")) << "a has kept its place";
}

}  // namespace
}  // namespace outrigger::lab
