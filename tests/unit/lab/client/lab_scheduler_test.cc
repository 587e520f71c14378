#include "lab/client/lab_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "lab/plugins/queue_sort.h"
#include "nlohmann/json.hpp"
#include "unit/lab/client/scripted_cluster.h"

namespace outrigger::lab {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr char kBinding[] = "/api/v1/namespaces/d/pods/pod1/binding";
constexpr char kStatus[] = "/api/v1/namespaces/d/pods/pod1/status";

/// Waits for the end of one cycle.
class OneTrace final : public TraceSink {
 public:
  void Show(const CycleTrace& trace) override { promise_.set_value(trace); }
  CycleTrace Await() { return promise_.get_future().get(); }

 private:
  std::promise<CycleTrace> promise_;
};

/// A server whose calls, other than streams, hang until they are stopped.
class Hanging final : public kube::Api {
 public:
  explicit Hanging(kube::Api* streams) : streams_(*streams) {}
  absl::StatusOr<kube::ApiResponse> Call(const kube::ApiRequest& request) override {
    std::promise<void> stopped;
    const std::stop_callback on_stop(request.stop, [&] { stopped.set_value(); });
    if (request.path == kBinding) begun_.set_value();
    if (request.stop.stop_possible()) stopped.get_future().wait();
    return absl::CancelledError("stopped");
  }
  absl::Status Stream(const kube::ApiRequest& request, kube::ByteSink sink) override {
    return streams_.Stream(request, sink);
  }
  void AwaitBinding() { begun_.get_future().wait(); }

 private:
  kube::Api& streams_;
  std::promise<void> begun_;
};

class LabSchedulerTest : public ::testing::TestWithParam<int> {
 protected:
  LabSchedulerTest() { api_.Answer(kPodsPath, Listed({PodJson("pod1")})); }

  LabSchedulerOptions Options(int step) {
    LabSchedulerOptions options;
    options.step = step;
    options.seed = 1;
    options.sort = std::make_shared<ArrivalSort>();
    options.trace = &trace_;
    options.grace = std::chrono::milliseconds(0);
    return options;
  }

  kube::ScriptedPaths api_;
  OneTrace trace_;
};

TEST_P(LabSchedulerTest, BindsAPodAtEachStep) {
  api_.Answer(kNodesPath, Listed({NodeJson("node0")}));
  api_.AnswerCalls(kBinding, std::string("{}"));
  LabSchedulerOptions options = Options(GetParam());
  std::promise<size_t> ready;
  options.ready = [&](size_t nodes) { ready.set_value(nodes); };
  LabScheduler scheduler(&api_, options);
  scheduler.Start();
  EXPECT_EQ(ready.get_future().get(), 1U);
  const CycleTrace trace = trace_.Await();
  EXPECT_TRUE(trace.bound) << trace.reason;
  EXPECT_EQ(trace.node, "node0");
  scheduler.Stop();
  const Json binding = Json::parse(api_.BodyOf(kBinding));
  EXPECT_EQ(binding["target"]["name"], "node0");
  EXPECT_EQ(binding["metadata"]["uid"], "u-pod1");
}

INSTANTIATE_TEST_SUITE_P(Steps, LabSchedulerTest, ::testing::Range(kFirstStep, kLastStep + 1));

TEST_F(LabSchedulerTest, WritesWhyAPodFoundNoNode) {
  api_.Answer(kNodesPath, Listed({NodeJson("node0", R"({"unschedulable":true})")}));
  api_.AnswerCalls(kStatus, std::string(R"({"metadata":{"uid":"u-pod1"}})"));
  LabScheduler scheduler(&api_, Options(2));
  scheduler.Start();
  const CycleTrace trace = trace_.Await();
  EXPECT_EQ(trace.reason, "0/1 nodes are available: 1 node(s) were unschedulable.");
  scheduler.Stop();
  EXPECT_EQ(Json::parse(api_.BodyOf(kStatus))["status"]["conditions"][0]["message"], trace.reason);
}

TEST_F(LabSchedulerTest, NamesTheRightThatABindingWants) {
  api_.Answer(kNodesPath, Listed({NodeJson("node0")}));
  api_.AnswerCalls(kBinding, kube::ErrorOfAnswer(403, "", ""));
  LabScheduler scheduler(&api_, Options(1));
  scheduler.Start();
  EXPECT_THAT(trace_.Await().reason, HasSubstr("needs the right to create pods/binding"));
}

TEST_F(LabSchedulerTest, StopsBeforeTheServerWasThere) {
  LabSchedulerOptions options = Options(7);
  options.ready = [](size_t) { ADD_FAILURE() << "no nodes are known"; };
  LabScheduler scheduler(&api_, options);
  scheduler.Start();
  ASSERT_TRUE(api_.AwaitIdle(2));
  EXPECT_FALSE(scheduler.States().front().synced);
  scheduler.Stop();
}

// Step 1 binds on the loop's own thread, step 7 on a worker's.
TEST_F(LabSchedulerTest, StopEndsACallThatHangs) {
  for (const int step : {kFirstStep, kLastStep}) {
    kube::ScriptedPaths streams;
    streams.Answer(kPodsPath, Listed({PodJson("pod1")}));
    streams.Answer(kNodesPath, Listed({NodeJson("node0")}));
    Hanging api(&streams);
    LabSchedulerOptions options = Options(step);
    options.trace = nullptr;
    LabScheduler scheduler(&api, options);
    scheduler.Start();
    api.AwaitBinding();
    scheduler.Stop();
  }
}

// node9 lets pod9 wait for nine seconds, which holds up neither pod0 nor the stop.
TEST_F(LabSchedulerTest, StopLeavesPodsUnboundThatWaitAtPermit) {
  kube::ScriptedPaths api;
  api.Answer(kPodsPath, Listed({PodJson("pod9"), PodJson("pod0")}));
  api.Answer(kNodesPath, Listed({NodeJson("node9"), NodeJson("node0")}));
  api.AnswerCalls("/api/v1/namespaces/d/pods/pod0/binding", std::string("{}"));
  LabScheduler scheduler(&api, Options(7));
  scheduler.Start();
  EXPECT_EQ(trace_.Await().pod, "d/pod0");
  scheduler.Stop();
  EXPECT_EQ(api.BodyOf("/api/v1/namespaces/d/pods/pod9/binding"), "");
}

}  // namespace
}  // namespace outrigger::lab
