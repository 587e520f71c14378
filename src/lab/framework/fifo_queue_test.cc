#include "lab/framework/fifo_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lab/manual_timers_testing.h"
#include "lab/queue_testing.h"

namespace outrigger::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FifoQueueTest : public ::testing::Test {
 protected:
  QueuedPod Pop() { return *queue_.Pop(std::stop_token()); }
  std::vector<std::string> PopAll() {
    std::vector<std::string> uids;
    while (queue_.HasReady()) uids.push_back(Pop().pod->uid);
    return uids;
  }

  ManualTimers timers_;
  FifoQueue queue_{&timers_, HigherPriority};
};

TEST_F(FifoQueueTest, HandsOutPodsInTheOrderOfTheirComing) {
  queue_.Add(QueuePod("b"));
  queue_.Add(QueuePod("a"));
  queue_.Add(QueuePod("b"));
  const QueuedPod first = Pop();
  EXPECT_EQ(first.pod->uid, "b");
  EXPECT_EQ(first.attempts, 1);
  EXPECT_EQ(first.timestamp, timers_.Now());
  EXPECT_THAT(PopAll(), ElementsAre("a"));
}

TEST_F(FifoQueueTest, ForgetsAPodThatFoundNoNode) {
  queue_.Add(QueuePod("a"));
  queue_.AddUnschedulable(Pop());
  queue_.OnEvent({ClusterEvent::Resource::kNode, ClusterEvent::kAdd});
  timers_.Advance(std::chrono::hours(1));
  EXPECT_THAT(PopAll(), IsEmpty());
}

TEST_F(FifoQueueTest, TriesAFailedPodAgainThatHasChanged) {
  queue_.Add(QueuePod("a"));
  queue_.AddUnschedulable(Pop());
  queue_.Update(QueuePod("a"), LabelledPod("a", "x"));
  EXPECT_THAT(PopAll(), ElementsAre("a"));
}

TEST_F(FifoQueueTest, TriesAFailedPodAgainThatChangedMeanwhile) {
  queue_.Add(QueuePod("a"));
  QueuedPod popped = Pop();
  const PodPtr changed = LabelledPod("a", "x");
  queue_.Update(popped.pod, changed);
  EXPECT_FALSE(queue_.HasReady()) << "not twice at a time";
  queue_.AddUnschedulable(std::move(popped));
  EXPECT_EQ(Pop().pod, changed);
}

TEST_F(FifoQueueTest, DoesNotTakeItsOwnConditionForAChange) {
  queue_.Add(QueuePod("a"));
  queue_.AddUnschedulable(Pop());
  Pod after = *QueuePod("a");
  after.unscheduled_reason = "Unschedulable";
  queue_.Update(QueuePod("a"), std::make_shared<const Pod>(after));
  EXPECT_THAT(PopAll(), IsEmpty());
}

TEST_F(FifoQueueTest, HandsOutAPodAsItIsNow) {
  queue_.Add(QueuePod("a"));
  const PodPtr changed = LabelledPod("a", "x");
  queue_.Update(QueuePod("a"), changed);
  EXPECT_EQ(Pop().pod, changed);
}

TEST_F(FifoQueueTest, DropsADeletedPod) {
  queue_.Add(QueuePod("a"));
  queue_.Delete(*QueuePod("a"));
  EXPECT_FALSE(queue_.HasReady());

  queue_.Add(QueuePod("b"));
  QueuedPod popped = Pop();
  queue_.Update(popped.pod, LabelledPod("b", "x"));
  queue_.Delete(*QueuePod("b"));
  queue_.AddUnschedulable(std::move(popped));
  EXPECT_FALSE(queue_.HasReady());
}

TEST_F(FifoQueueTest, DoesNotTakeAPodBackThatHasItsNode) {
  queue_.Add(QueuePod("a"));
  Pop();
  queue_.Done("a");
  queue_.Update(QueuePod("a"), LabelledPod("a", "sent before the binding"));
  EXPECT_FALSE(queue_.HasReady());
}

TEST_F(FifoQueueTest, PopEndsWithItsStop) {
  queue_.Add(QueuePod("a"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue_.Pop(stop.get_token()).has_value()) << "even where a pod is ready";
}

}  // namespace
}  // namespace outrigger::lab
