#include "lab/framework/waiting_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "builders.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakePod;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WaitingPodsTest : public ::testing::Test {
 protected:
  void Add(const Pod& pod, const WaitingPods::Timeouts& timeouts) {
    waiting_.Add(
        pod, timeouts,
        [this, name = pod.name](const PluginStatus& status, const std::string& plugin) {
          outcomes_.push_back(name + " " + plugin + ": " + (status.ok() ? "ok" : status.reason));
        });
  }
  static Pod PodOf(const std::string& name) {
    Pod pod = MakePod(name);
    pod.uid = "uid-" + name;
    return pod;
  }

  ManualTimers timers_;
  WaitingPods waiting_{&timers_};
  std::vector<std::string> outcomes_;
};

TEST_F(WaitingPodsTest, APodGoesOnWhenTheLastPluginAllowsIt) {
  Add(PodOf("pod1"), {{"A", seconds(10)}, {"B", seconds(10)}});
  waiting_.Allow("uid-pod1", "A");
  EXPECT_THAT(outcomes_, IsEmpty());
  EXPECT_EQ(waiting_.size(), 1);
  waiting_.Allow("uid-pod1", "B");
  EXPECT_THAT(outcomes_, ElementsAre("pod1 B: ok"));
  EXPECT_EQ(waiting_.size(), 0);
}

TEST_F(WaitingPodsTest, OneRejectionIsEnough) {
  Add(PodOf("pod1"), {{"A", seconds(10)}, {"B", seconds(10)}});
  waiting_.Reject("uid-pod1", "A", "no");
  EXPECT_THAT(outcomes_, ElementsAre("pod1 A: no"));
  waiting_.Allow("uid-pod1", "B");
  timers_.Advance(seconds(20));
  EXPECT_THAT(outcomes_, ElementsAre("pod1 A: no")) << "an outcome comes once";
}

TEST_F(WaitingPodsTest, ThePluginThatIsOutOfTimeRejectsThePod) {
  Add(PodOf("pod1"), {{"A", seconds(10)}, {"B", seconds(5)}});
  timers_.Advance(seconds(4));
  EXPECT_THAT(outcomes_, IsEmpty());
  timers_.Advance(seconds(1));
  EXPECT_THAT(outcomes_,
              ElementsAre("pod1 B: rejected due to timeout after waiting 5s at plugin B"));
}

TEST_F(WaitingPodsTest, APluginThatAllowedThePodIsNeverOutOfTime) {
  Add(PodOf("pod1"), {{"A", seconds(10)}, {"B", seconds(5)}});
  waiting_.Allow("uid-pod1", "B");
  timers_.Advance(seconds(9));
  EXPECT_THAT(outcomes_, IsEmpty());
}

TEST_F(WaitingPodsTest, ATimeoutIsOfItsOwnWaiting) {
  Add(PodOf("pod1"), {{"A", seconds(10)}});
  waiting_.Allow("uid-pod1", "A");
  timers_.Advance(seconds(5));
  Add(PodOf("pod1"), {{"A", seconds(10)}});  // it waits once more, in a later cycle
  timers_.Advance(seconds(5));
  EXPECT_THAT(outcomes_, ElementsAre("pod1 A: ok"));
  timers_.Advance(seconds(5));
  EXPECT_THAT(
      outcomes_,
      ElementsAre("pod1 A: ok", "pod1 A: rejected due to timeout after waiting 10s at plugin A"));
}

TEST_F(WaitingPodsTest, PodsThatDoNotWaitAreLeftAlone) {
  waiting_.Allow("uid-pod1", "A");
  waiting_.Reject("uid-pod1", "A", "no");
  EXPECT_THAT(outcomes_, IsEmpty());
}

TEST_F(WaitingPodsTest, WhatIsSaidOfAnExpectedPodCounts) {
  waiting_.Expect("uid-pod1");
  waiting_.Allow("uid-pod1", "A");
  EXPECT_EQ(waiting_.size(), 0);
  Add(PodOf("pod1"), {{"A", seconds(10)}, {"B", seconds(10)}});
  EXPECT_THAT(outcomes_, IsEmpty()) << "B has not allowed it";
  waiting_.Allow("uid-pod1", "B");
  EXPECT_THAT(outcomes_, ElementsAre("pod1 B: ok"));

  waiting_.Expect("uid-pod2");
  waiting_.Reject("uid-pod2", "", "gone");
  waiting_.Allow("uid-pod2", "A");
  Add(PodOf("pod2"), {{"A", seconds(10)}});
  EXPECT_THAT(outcomes_, ElementsAre("pod1 B: ok", "pod2 : gone"));
}

TEST_F(WaitingPodsTest, AnExpectedPodThatIsForgottenLeavesNothing) {
  waiting_.Expect("uid-pod1");
  waiting_.Allow("uid-pod1", "A");
  waiting_.Forget("uid-pod1");
  Add(PodOf("pod1"), {{"A", seconds(10)}});
  EXPECT_THAT(outcomes_, IsEmpty()) << "what was said of an earlier cycle does not count";
  waiting_.Forget("uid-pod1");
  EXPECT_EQ(waiting_.size(), 1) << "one that waits is not forgotten";
}

TEST(WaitingPods, MayEndBeforeItsTimeouts) {
  ManualTimers timers;
  bool called = false;
  {
    WaitingPods waiting(&timers);
    Pod pod = MakePod("pod1");
    waiting.Add(pod, {{"A", seconds(1)}},
                [&](const PluginStatus&, const std::string&) { called = true; });
  }
  timers.Advance(seconds(2));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace outrigger::lab
