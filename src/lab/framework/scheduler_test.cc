#include "lab/framework/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "builders.h"
#include "lab/fake_scheduler_api_testing.h"
#include "lab/manual_timers_testing.h"
#include "lab/plugins/default_binder.h"
#include "lab/scheduler_fakes_testing.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() {
    for (const char* name : {"node0", "node1", "node2"}) nodes_.Upsert(MakeNode(name));
  }

  /// Schedules a pod with the plugins a_ and b_ at all stages.
  void Schedule(const std::string& name) {
    if (scheduler_ == nullptr) Make();
    Pod pod = MakePod(name);
    pod.uid = "uid-" + name;
    scheduler_->ScheduleOne({.pod = std::make_shared<const Pod>(pod), .attempts = 1});
  }
  void Make() {
    auto queue = std::make_unique<RecordingQueue>();
    queue_ = queue.get();
    Profile profile;
    profile.queue = std::move(queue);
    for (const auto& plugin : {a_, b_}) {
      profile.pre_filter.push_back(plugin);
      profile.filter.push_back(plugin);
      profile.pre_score.push_back(plugin);
      profile.score.push_back(scorers_apart_ ? std::make_shared<EveryStage>(*plugin) : plugin);
      profile.reserve.push_back(plugin);
      profile.permit.push_back(plugin);
      profile.pre_bind.push_back(plugin);
    }
    profile.bind.push_back(std::make_shared<DefaultBinder>(&api_));
    profile.binds_in_background = true;
    scheduler_ = std::make_unique<Scheduler>(
        std::move(profile), &nodes_,
        Handle{&timers_, &random_, &waiting_, &background_, &background_, &api_},
        SchedulerOptions{.trace = &trace_,
                         .trace_rows = true,
                         .warn = [this](const std::string& line) { warnings_.push_back(line); }});
  }
  std::vector<std::string> WokenBy() const {
    const auto& plugins = queue_->failed.at(0).unschedulable_plugins;
    return {plugins.begin(), plugins.end()};
  }

  bool scorers_apart_ = false;  // an object of its own scores
  std::vector<std::string> calls_;
  std::shared_ptr<EveryStage> a_ = std::make_shared<EveryStage>("A", &calls_);
  std::shared_ptr<EveryStage> b_ = std::make_shared<EveryStage>("B", &calls_);
  ManualTimers timers_;
  Random random_{1};
  WaitingPods waiting_{&timers_};
  InlineExecutor background_;
  FakeSchedulerApi api_;
  NodeCache nodes_;
  RecordingTrace trace_;
  std::vector<std::string> warnings_;
  std::unique_ptr<Scheduler> scheduler_;
  RecordingQueue* queue_ = nullptr;
};

TEST_F(SchedulerTest, LeadsAPodThroughTheStagesInTheirOrder) {
  nodes_.Remove("node2");
  b_->scores = {{"node1", 5}};
  Schedule("pod1");
  EXPECT_THAT(calls_, ElementsAre("A PreFilter", "B PreFilter",  //
                                  "A Filter node0", "B Filter node0", "A Filter node1",
                                  "B Filter node1", "A PreScore", "B PreScore",  //
                                  "A Score node0", "A Score node1", "B Score node0",
                                  "B Score node1", "A Reserve node1", "B Reserve node1",  //
                                  "A Permit node1", "B Permit node1",                     //
                                  "A PreBind node1", "B PreBind node1"));
  EXPECT_THAT(api_.bindings(), ElementsAre("pod1 -> node1"));
  EXPECT_THAT(api_.events(),
              ElementsAre("pod1 Scheduled Binding: Successfully assigned default/pod1 to node1"));
  EXPECT_THAT(api_.conditions(), IsEmpty());
  EXPECT_THAT(queue_->done, ElementsAre("uid-pod1"));
}

TEST_F(SchedulerTest, ANodeThatOnePluginRejectsIsNotAskedAboutFurther) {
  a_->rejected_nodes = {"node0", "node2"};
  Schedule("pod1");
  EXPECT_THAT(calls_, ::testing::Not(::testing::Contains("B Filter node0")));
  EXPECT_THAT(api_.bindings(), ElementsAre("pod1 -> node1"));
}

TEST_F(SchedulerTest, WithoutANodeThatFitsSaysHowManyWereRejectedForWhat) {
  a_->rejected_nodes = {"node0", "node2"};
  b_->answers["Filter"] = PluginStatus::Unschedulable("node(s) were unschedulable");
  Schedule("pod1");
  const std::string text = "0/3 nodes are available: 1 node(s) were unschedulable, 2 too small.";
  EXPECT_THAT(api_.conditions(), ElementsAre("pod1 Unschedulable: " + text));
  EXPECT_THAT(api_.events(), ElementsAre("pod1 warning FailedScheduling Scheduling: " + text));
  EXPECT_THAT(trace_.lines, ElementsAre("default/pod1: " + text));
  EXPECT_THAT(WokenBy(), ElementsAre("A", "B"));
  EXPECT_THAT(api_.bindings(), IsEmpty());
  EXPECT_THAT(queue_->done, IsEmpty());
}

TEST_F(SchedulerTest, WithoutNodesNoPluginIsToBlame) {
  for (const char* name : {"node0", "node1", "node2"}) nodes_.Remove(name);
  Schedule("pod1");
  EXPECT_THAT(api_.conditions(),
              ElementsAre("pod1 Unschedulable: no nodes available to schedule pods"));
  EXPECT_THAT(WokenBy(), IsEmpty());
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(SchedulerTest, PreFilterMayRejectAllNodes) {
  a_->answers["PreFilter"] = PluginStatus::Unschedulable("too late");
  Schedule("pod1");
  EXPECT_THAT(calls_, ElementsAre("A PreFilter"));
  EXPECT_THAT(api_.conditions(),
              ElementsAre("pod1 Unschedulable: 0/3 nodes are available: 3 too late."));
  EXPECT_THAT(WokenBy(), ElementsAre("A"));
}

TEST_F(SchedulerTest, APluginThatSkipsIsLeftOut) {
  a_->answers["PreFilter"] = PluginStatus::Skip();
  b_->answers["PreScore"] = PluginStatus::Skip();
  nodes_.Remove("node2");
  nodes_.Remove("node1");
  Schedule("pod1");
  EXPECT_THAT(calls_,
              ElementsAre("A PreFilter", "B PreFilter", "B Filter node0", "A PreScore",
                          "B PreScore", "A Score node0", "A Reserve node0", "B Reserve node0",
                          "A Permit node0", "B Permit node0", "A PreBind node0", "B PreBind node0"))
      << "of A Filter, of B Score";
}

TEST_F(SchedulerTest, APluginThatSkipsIsLeftOutAlsoWhereAnotherObjectOfItScores) {
  scorers_apart_ = true;
  b_->answers["PreScore"] = PluginStatus::Skip();
  Schedule("pod1");
  EXPECT_THAT(calls_, ::testing::Contains("A Score node0"));
  EXPECT_THAT(calls_, ::testing::Not(::testing::Contains("B Score node0")));
}

TEST_F(SchedulerTest, AddsTheScoresOfAllPlugins) {
  a_->scores = {{"node0", 6}, {"node1", 4}};
  b_->scores = {{"node1", 4}, {"node2", 7}};
  Schedule("pod1");
  EXPECT_THAT(api_.bindings(), ElementsAre("pod1 -> node1"));
}

TEST_F(SchedulerTest, ChanceDecidesAmongTheBestAlone) {
  a_->scores = {{"node0", 3}, {"node2", 3}};
  std::set<std::string> seen;
  for (int i = 0; i < 40; ++i) Schedule("pod1");
  for (const std::string& binding : api_.bindings()) seen.insert(binding);
  EXPECT_THAT(seen, ElementsAre("pod1 -> node0", "pod1 -> node2"));
}

TEST_F(SchedulerTest, WhatBrokeIsNoRejection) {
  struct Row {
    std::string stage;
    std::string condition;
  };
  for (const Row& row :
       {Row{"PreFilter", "broken"}, Row{"Filter", "broken"}, Row{"PreScore", "broken"},
        Row{"Score", "A: broken"}, Row{"Reserve", "broken"}, Row{"Permit", "broken"},
        Row{"PreBind", "broken"}}) {
    SCOPED_TRACE(row.stage);
    a_->answers = {{row.stage, PluginStatus::Error("broken")}};
    const size_t conditions = api_.conditions().size();
    Schedule("pod1");
    ASSERT_EQ(api_.conditions().size(), conditions + 1);
    EXPECT_EQ(api_.conditions().back(), "pod1 SchedulerError: " + row.condition);
    EXPECT_THAT(queue_->failed.back().unschedulable_plugins, IsEmpty());
    EXPECT_THAT(api_.bindings(), IsEmpty());
  }
}

TEST_F(SchedulerTest, UndoesReservationsInReverseOrder) {
  nodes_.Remove("node1");
  nodes_.Remove("node2");
  b_->answers["Reserve"] = PluginStatus::Unschedulable("taken");
  Schedule("pod1");
  EXPECT_THAT(
      std::vector<std::string>(calls_.end() - 4, calls_.end()),
      ElementsAre("A Reserve node0", "B Reserve node0", "B Unreserve node0", "A Unreserve node0"));
  EXPECT_THAT(api_.conditions(),
              ElementsAre("pod1 Unschedulable: 0/1 nodes are available: 1 taken."));
  EXPECT_THAT(WokenBy(), ElementsAre("B"));
}

TEST_F(SchedulerTest, PermitLetsAPodWaitWhileOthersAreBound) {
  nodes_.Remove("node1");
  nodes_.Remove("node2");
  a_->answers["Permit"] = PluginStatus::Wait("wait");
  Schedule("slow");
  EXPECT_THAT(api_.bindings(), IsEmpty());
  a_->answers.clear();
  Schedule("quick");
  EXPECT_THAT(api_.bindings(), ElementsAre("quick -> node0"));
  waiting_.Allow("uid-slow", "A");
  EXPECT_THAT(api_.bindings(), ElementsAre("quick -> node0", "slow -> node0"));
}

TEST_F(SchedulerTest, APodThatWaitsTooLongIsRejectedByThePlugin) {
  a_->answers["Permit"] = PluginStatus::Wait("wait");
  Schedule("pod1");
  timers_.Advance(seconds(10));
  EXPECT_THAT(api_.conditions(),
              ElementsAre("pod1 Unschedulable: 0/1 nodes are available: 1 rejected due to timeout "
                          "after waiting 10s at plugin A."));
  EXPECT_THAT(WokenBy(), ElementsAre("A"));
  EXPECT_THAT(calls_, ::testing::Contains(::testing::StartsWith("B Unreserve")));
}

TEST_F(SchedulerTest, APodThatIsDeletedWhileItWaitsEndsItsCycle) {
  a_->answers["Permit"] = PluginStatus::Wait("wait");
  Schedule("pod1");
  waiting_.Reject("uid-pod1", "", "the pod was deleted");
  EXPECT_THAT(api_.events(),
              ElementsAre("pod1 warning FailedScheduling Scheduling: the pod was deleted"));
  EXPECT_THAT(api_.conditions(), IsEmpty()) << "there is no pod that could have one";
  EXPECT_THAT(WokenBy(), IsEmpty());
  EXPECT_EQ(waiting_.size(), 0);
}

TEST_F(SchedulerTest, ANodeThatIsGoneBeforeTheBindingIsNotBoundTo) {
  nodes_.Remove("node1");
  nodes_.Remove("node2");
  a_->answers["Permit"] = PluginStatus::Wait("wait");
  Schedule("pod1");
  nodes_.Remove("node0");
  waiting_.Allow("uid-pod1", "A");
  EXPECT_THAT(api_.bindings(), IsEmpty());
  EXPECT_THAT(api_.events(), ElementsAre("pod1 warning FailedScheduling Scheduling: node \"node0\" "
                                         "is gone"));
  EXPECT_EQ(queue_->failed.size(), 1);
}

TEST_F(SchedulerTest, ABindingThatFailsPutsThePodBack) {
  api_.on_bind = [](const Pod&, std::string_view) { return absl::UnavailableError("away"); };
  Schedule("pod1");
  EXPECT_THAT(api_.conditions(), ElementsAre("pod1 SchedulerError: binding rejected: away"));
  EXPECT_EQ(queue_->failed.size(), 1);
  EXPECT_THAT(queue_->done, IsEmpty());
}

TEST_F(SchedulerTest, APodThatOthersBoundOrDeletedGetsNoCondition) {
  for (const absl::Status& answer :
       {absl::AbortedError("bound to node9"), absl::NotFoundError("no such pod")}) {
    api_.on_bind = [&](const Pod&, std::string_view) { return answer; };
    Schedule("pod1");
    EXPECT_THAT(api_.conditions(), IsEmpty());
    EXPECT_EQ(api_.events().back(), "pod1 warning FailedScheduling Scheduling: binding rejected: " +
                                        std::string(answer.message()));
  }
  EXPECT_EQ(queue_->failed.size(), 2) << "the queue knows whether it still wants a node";
}

TEST_F(SchedulerTest, WhereSomethingBreaksNoPluginIsToBlame) {
  a_->rejected_nodes = {"node0"};  // and others are left
  api_.on_bind = [](const Pod&, std::string_view) { return absl::UnavailableError("away"); };
  Schedule("pod1");
  EXPECT_THAT(WokenBy(), IsEmpty()) << "what A registered for would not help";
}

TEST_F(SchedulerTest, APluginThatRejectedOtherNodesIsNotToBlameForALaterStage) {
  a_->rejected_nodes = {"node0"};
  b_->answers["Reserve"] = PluginStatus::Unschedulable("taken");
  Schedule("pod1");
  EXPECT_THAT(WokenBy(), ElementsAre("B"));
}

TEST_F(SchedulerTest, APodThatIsAllowedBeforeItWaitsIsBound) {
  nodes_.Remove("node1");
  nodes_.Remove("node2");
  a_->answers["Permit"] = PluginStatus::Wait("wait");
  a_->on_permit = [this] { waiting_.Allow("uid-pod1", "A"); };
  Schedule("pod1");
  EXPECT_THAT(api_.bindings(), ElementsAre("pod1 -> node0"));
  EXPECT_EQ(waiting_.size(), 0);
}

TEST_F(SchedulerTest, TracesEachAnswerAndTheWinner) {
  nodes_.Remove("node2");
  a_->rejected_nodes = {"node0"};
  b_->scores = {{"node1", 10}};
  b_->answers["PreFilter"] = PluginStatus::Skip();
  Schedule("pod1");
  EXPECT_THAT(
      trace_.rows,
      ElementsAre("PreFilter|A||ok", "PreFilter|B||skipped", "Filter|A|node0|too small|!",
                  "Filter|A|node1|ok", "PreScore|A||ok", "PreScore|B||ok", "Score|A|node1|0",
                  "Score|B|node1|10", "Select||node1|the best, 10 points", "Reserve|A|node1|ok",
                  "Reserve|B|node1|ok", "Permit|A|node1|ok", "Permit|B|node1|ok",
                  "PreBind|A|node1|ok", "PreBind|B|node1|ok", "Bind|DefaultBinder|node1|ok"));
  EXPECT_THAT(trace_.lines, ElementsAre("default/pod1 bound to node1"));
}

}  // namespace
}  // namespace outrigger::lab
