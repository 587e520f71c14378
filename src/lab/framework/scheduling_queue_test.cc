// What the table of queue_moves_test.cc, upstream's word, does not speak of.
#include "lab/framework/scheduling_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "lab/manual_timers_testing.h"
#include "lab/queue_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Part = SchedulingQueue::Part;

QueueOptions Registered() {
  QueueOptions options;
  options.registered = {{"NodeNumber", {kNodeAdd}}, {"Labels", {kNodeLabel}}};
  return options;
}

class SchedulingQueueTest : public ::testing::Test {
 protected:
  void Make(QueueOptions options) {
    queue_ = std::make_unique<SchedulingQueue>(&timers_, HigherPriority, std::move(options));
  }
  QueuedPod Pop() { return *queue_->Pop(std::stop_token()); }
  void Fail(QueuedPod pod, const std::string& plugin = "") {
    if (!plugin.empty()) pod.unschedulable_plugins.insert(plugin);
    queue_->AddUnschedulable(std::move(pod));
  }
  /// How long the pod waits for its next cycle after an error.
  Clock::Duration WaitAfterError() {
    Fail(Pop());
    Clock::Duration waited{};
    for (; !queue_->HasReady(); waited += milliseconds(250)) timers_.Advance(milliseconds(250));
    return waited;
  }
  std::vector<std::string> PopAll() {
    std::vector<std::string> uids;
    while (queue_->HasReady()) uids.push_back(Pop().pod->uid);
    return uids;
  }

  ManualTimers timers_;
  std::unique_ptr<SchedulingQueue> queue_ =
      std::make_unique<SchedulingQueue>(&timers_, HigherPriority, Registered());
};

TEST_F(SchedulingQueueTest, GoesByTheGivenOrderThenByArrival) {
  queue_->Add(QueuePod("a"));
  queue_->Add(QueuePod("high", 5));
  queue_->Add(QueuePod("b"));
  EXPECT_THAT(PopAll(), ElementsAre("high", "a", "b"));
}

TEST_F(SchedulingQueueTest, PutsPodsThatWakeTogetherInTheOrderInWhichTheyFailed) {
  for (const char* uid : {"c", "a", "b"}) queue_->Add(QueuePod(uid));
  for (int i = 0; i < 3; ++i) Fail(Pop(), "NodeNumber");
  timers_.Advance(seconds(2));
  queue_->OnEvent(kNodeAdd);
  EXPECT_THAT(PopAll(), ElementsAre("c", "a", "b"));
}

TEST_F(SchedulingQueueTest, KnowsAPodThatCameAlready) {
  queue_->Add(QueuePod("a"));
  queue_->Add(QueuePod("a"));
  Fail(Pop(), "NodeNumber");
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kUnschedulable);
  timers_.Advance(seconds(2));
  queue_->OnEvent(kNodeAdd);
  const QueuedPod popped = Pop();
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kInFlight);
  EXPECT_FALSE(queue_->HasReady());
  Fail(popped);
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kBackoff);
}

TEST_F(SchedulingQueueTest, CountsAttemptsAndForgetsWhoRejected) {
  queue_->Add(QueuePod("a"));
  QueuedPod popped = Pop();
  EXPECT_EQ(popped.attempts, 1);
  Fail(popped, "NodeNumber");
  timers_.Advance(seconds(2));
  queue_->OnEvent(kNodeAdd);
  popped = Pop();
  EXPECT_EQ(popped.attempts, 2);
  EXPECT_TRUE(popped.unschedulable_plugins.empty()) << "of the last cycle, not of this one";
}

TEST_F(SchedulingQueueTest, DoesNotTakeAPodThatIsNotInFlight) {
  queue_->Add(QueuePod("a"));
  const QueuedPod popped = Pop();
  Fail(popped);
  Fail(popped);
  queue_->Done("a");
  Fail(QueuedPod{QueuePod("b")});
  EXPECT_EQ(queue_->PartOf("a"), Part::kBackoff);
  EXPECT_EQ(queue_->PartOf("b"), Part::kNone);
}

TEST_F(SchedulingQueueTest, DoesNotTakeAPodBackThatHasItsNode) {
  queue_->Add(QueuePod("a"));
  Pop();
  queue_->Done("a");
  queue_->Update(QueuePod("a"), QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kNone) << "news from before the binding";
  queue_->Delete(*QueuePod("a"));
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kActive) << "it is known as a new one again";
}

TEST_F(SchedulingQueueTest, AddsAPodThatIsNotKnownWhenItChanges) {
  queue_->Update(QueuePod("a"), QueuePod("a"));
  EXPECT_EQ(queue_->PartOf("a"), Part::kActive);
}

TEST_F(SchedulingQueueTest, DoublesTheBackoffUpToItsLargest) {
  queue_->Add(QueuePod("a"));
  std::vector<int64_t> waits;
  for (int i = 0; i < 6; ++i) {
    waits.push_back(std::chrono::duration_cast<seconds>(WaitAfterError()).count());
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 8, 10, 10));
}

TEST_F(SchedulingQueueTest, HasNoBackoffWhereTheLargestIsZero) {
  QueueOptions options;
  options.max_backoff = {};
  Make(options);
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(WaitAfterError(), seconds(0));
}

TEST_F(SchedulingQueueTest, HasAFirstBackoffThatIsNotLongerThanTheLargest) {
  QueueOptions options;
  options.initial_backoff = minutes(1);
  options.max_backoff = seconds(3);
  Make(options);
  queue_->Add(QueuePod("a"));
  EXPECT_EQ(WaitAfterError(), seconds(3));
}

TEST_F(SchedulingQueueTest, EndsABackoffWhenItIsOver) {
  queue_->Add(QueuePod("a"));
  Fail(Pop());
  timers_.Advance(seconds(1) - std::chrono::nanoseconds(1));
  EXPECT_EQ(queue_->PartOf("a"), Part::kBackoff);
  timers_.Advance(std::chrono::nanoseconds(1));
  EXPECT_EQ(queue_->PartOf("a"), Part::kActive);
}

TEST_F(SchedulingQueueTest, TriesLeftoversAgainAfterTheTimeThatIsSet) {
  QueueOptions options;
  options.flush_after = minutes(1);
  Make(options);
  queue_->Add(QueuePod("a"));
  Fail(Pop(), "NodeNumber");
  timers_.Advance(seconds(89));
  EXPECT_EQ(queue_->PartOf("a"), Part::kUnschedulable) << "60 s are not more than 60 s";
  timers_.Advance(seconds(1));
  EXPECT_EQ(queue_->PartOf("a"), Part::kActive);
}

TEST_F(SchedulingQueueTest, MayEndBeforeItsTimers) {
  queue_->Add(QueuePod("a"));
  Fail(Pop());
  queue_ = nullptr;
  timers_.Advance(minutes(10));
}

TEST_F(SchedulingQueueTest, PopEndsWithItsStop) {
  queue_->Add(QueuePod("a"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue_->Pop(stop.get_token()).has_value()) << "even where a pod is ready";
  EXPECT_EQ(queue_->PartOf("a"), Part::kActive);
}

}  // namespace
}  // namespace outrigger::lab
