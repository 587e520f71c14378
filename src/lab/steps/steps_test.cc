#include "lab/steps/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "builders.h"
#include "lab/fake_scheduler_api_testing.h"
#include "lab/framework/event_handlers.h"
#include "lab/framework/scheduler.h"
#include "lab/manual_timers_testing.h"
#include "lab/plugins/queue_sort.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A scheduler at one of the steps, without an API server: time is moved by hand.
class StepWorld {
 public:
  explicit StepWorld(int step, uint64_t seed = 1)
      : random_(seed),
        scheduler_(MakeStep(step, handle_, std::make_shared<ArrivalSort>()), &nodes_, handle_),
        handlers_("default-scheduler", scheduler_.profile().has_event_handlers, &nodes_,
                  &scheduler_.queue(), &waiting_) {}

  void Node(const outrigger::Node& node) { handlers_.OnNode(node); }
  void CordonedNodes() {
    for (int i = 0; i < 9; ++i) Node(MakeNode("node" + std::to_string(i)).Unschedulable());
  }
  void Pod(const std::string& name) {
    outrigger::Pod pod = MakePod(name);
    pod.uid = "uid-" + name;
    pod.scheduler_name = "default-scheduler";
    handlers_.OnPod(pod);
    Settle();
  }
  void Advance(Clock::Duration time) {
    // In short steps: what becomes ready on the way is scheduled there.
    for (const Clock::TimePoint end = timers_.Now() + time; timers_.Now() < end; Settle()) {
      timers_.Advance(std::min<Clock::Duration>(seconds(1), end - timers_.Now()));
    }
  }
  /// Schedules all pods that are ready.
  void Settle() {
    while (scheduler_.queue().HasReady()) {
      scheduler_.ScheduleOne(*scheduler_.queue().Pop(std::stop_token()));
    }
  }

  FakeSchedulerApi& api() { return api_; }

 private:
  ManualTimers timers_;
  Random random_;
  WaitingPods waiting_{&timers_};
  InlineExecutor background_;
  FakeSchedulerApi api_;
  NodeCache nodes_;
  Handle handle_{&timers_, &random_, &waiting_, &background_, &background_, &api_};
  Scheduler scheduler_;
  EventHandlers handlers_;
};

TEST(Steps, TheFirstAloneBindsToNodesThatAreCordoned) {
  for (int step = kFirstStep; step <= kLastStep; ++step) {
    SCOPED_TRACE(step);
    StepWorld world(step);
    world.CordonedNodes();
    world.Pod("pod1");
    EXPECT_EQ(world.api().bindings().size(), step == 1 ? 1 : 0);
    const std::string rejected =
        "pod1 Unschedulable: 0/9 nodes are available: 9 node(s) were unschedulable.";
    EXPECT_EQ(world.api().conditions(),
              step == 1 ? std::vector<std::string>() : std::vector<std::string>{rejected});
  }
}

TEST(Steps, TheLastAloneWakesAPodForANewNode) {
  for (int step = 2; step <= kLastStep; ++step) {
    SCOPED_TRACE(step);
    StepWorld world(step);
    world.CordonedNodes();
    world.Pod("pod1");
    world.Node(MakeNode("node10"));
    world.Advance(seconds(20));
    const std::vector<std::string> bound{"pod1 -> node10"};
    EXPECT_EQ(world.api().bindings(), step == 7 ? bound : std::vector<std::string>());
  }
}

TEST(Step1, IsRepeatedByItsSeed) {
  std::vector<std::vector<std::string>> runs;
  for (const uint64_t seed : {5U, 5U, 6U}) {
    StepWorld world(1, seed);
    world.CordonedNodes();
    for (int i = 0; i < 9; ++i) world.Pod("pod" + std::to_string(i));
    runs.push_back(world.api().bindings());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(Step3, APodGoesToTheNodeOfItsDigitAlways) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    StepWorld world(3, seed);
    for (int i = 0; i < 9; ++i) world.Node(MakeNode("node" + std::to_string(i)));
    world.Pod("pod1");
    EXPECT_THAT(world.api().bindings(), ElementsAre("pod1 -> node1"));
  }
}

TEST(Step5, PodsWaitForTheirNodesSecondsAndForNothingElse) {
  StepWorld world(5);
  for (int i = 0; i < 9; ++i) world.Node(MakeNode("node" + std::to_string(i)));
  world.Pod("pod8");
  world.Pod("pod1");
  world.Pod("pod0");
  EXPECT_THAT(world.api().bindings(), ElementsAre("pod0 -> node0"));
  world.Advance(seconds(1));
  EXPECT_THAT(world.api().bindings(), ElementsAre("pod0 -> node0", "pod1 -> node1"));
  world.Advance(milliseconds(6999));
  EXPECT_EQ(world.api().bindings().size(), 2);
  world.Advance(milliseconds(1));
  EXPECT_THAT(world.api().bindings(),
              ElementsAre("pod0 -> node0", "pod1 -> node1", "pod8 -> node8"));
}

TEST(Step6, TriesAPodAgainWhenLeftoversAreFlushed) {
  StepWorld world(6);
  world.CordonedNodes();
  world.Pod("pod1");
  world.Node(MakeNode("node10"));
  world.Advance(minutes(5));
  EXPECT_THAT(world.api().bindings(), IsEmpty()) << "what is looked at is older than five minutes";
  world.Advance(seconds(30));
  EXPECT_THAT(world.api().bindings(), ElementsAre("pod1 -> node10"));
}

TEST(Step6, FiveMinutesAreNeededInNoStepBefore) {
  for (int step = 2; step < 6; ++step) {
    StepWorld world(step);
    world.CordonedNodes();
    world.Pod("pod1");
    world.Node(MakeNode("node10"));
    world.Advance(minutes(10));
    EXPECT_THAT(world.api().bindings(), IsEmpty()) << "it is forgotten in step " << step;
  }
}

TEST(Step7, ALabelOfANodeWakesNoPod) {
  StepWorld world(7);
  world.CordonedNodes();
  world.Pod("pod1");
  world.Node(MakeNode("node1").Unschedulable().Label("zone", "a"));
  world.Advance(seconds(20));
  EXPECT_EQ(world.api().conditions().size(), 1) << "one attempt";
  world.Node(MakeNode("node1").Label("zone", "a"));  // uncordoned
  world.Advance(seconds(20));
  EXPECT_THAT(world.api().bindings(), ElementsAre("pod1 -> node1"));
}

TEST(Step7, AnErrorIsTriedAgainAfterABackoff) {
  StepWorld world(7);
  world.Node(MakeNode("node0"));
  world.Node(MakeNode("node1").Unschedulable());  // rejected, but not the cause
  int failures = 0;
  world.api().on_bind = [&](const Pod&, std::string_view) {
    return ++failures < 3 ? absl::UnavailableError("away") : absl::OkStatus();
  };
  world.Pod("pod0");
  EXPECT_EQ(failures, 1);
  world.Advance(seconds(1));
  EXPECT_EQ(failures, 2);
  world.Advance(seconds(1));
  EXPECT_EQ(failures, 2) << "the second backoff is twice as long";
  world.Advance(seconds(1));
  EXPECT_THAT(world.api().bindings(), ElementsAre("pod0 -> node0"));
}

}  // namespace
}  // namespace outrigger::lab
