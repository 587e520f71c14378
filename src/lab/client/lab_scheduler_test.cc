#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <future>
#include <memory>
#include <string>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "lab/client/lab_scheduler.h"
#include "lab/client/scripted_cluster_testing.h"
#include "lab/plugins/queue_sort.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using kube::ApiRequest;
using ::testing::Not;
using ::testing::StartsWith;

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

/// Answers everything alike.
class Answers final : public kube::Api {
 public:
  explicit Answers(absl::Status status) : status_(std::move(status)) {}
  absl::StatusOr<kube::ApiResponse> Call(const ApiRequest& /*request*/) override {
    if (status_.ok()) return kube::ApiResponse{200, "{}"};
    return status_;
  }
  absl::Status Stream(const ApiRequest& /*request*/, kube::ByteSink /*sink*/) override {
    return status_;
  }

 private:
  const absl::Status status_;
};

absl::Status Forbidden() {
  return kube::ErrorOfAnswer(403, R"({"kind":"Status","message":"User \"jane\" cannot"})", "");
}

struct Row {
  const char* name;
  const char* method;
  const char* path;
  bool watches;
  const char* right;
};

class NamedRight : public ::testing::TestWithParam<Row> {};

TEST_P(NamedRight, IsTheVerbAndTheResource) {
  Answers refuses(Forbidden());
  NamedRights rights(&refuses);
  ApiRequest request;
  request.method = GetParam().method;
  request.path = GetParam().path;
  if (GetParam().watches) request.query.emplace_back("watch", "true");
  const std::string begin = std::string("needs the right to ") + GetParam().right + ": ";
  const absl::Status called = rights.Call(request).status();
  EXPECT_THAT(kube::Text(called), StartsWith(begin));
  EXPECT_THAT(kube::Text(called), HasSubstr("User \"jane\" cannot"));
  EXPECT_EQ(kube::ApiErrorOf(called)->code, 403);
  EXPECT_THAT(kube::Text(rights.Stream(request, [](std::string_view) { return true; })),
              StartsWith(begin));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NamedRight,
    ::testing::Values(Row{"List", "GET", "/api/v1/nodes", false, "list nodes"},
                      Row{"Watch", "GET", "/api/v1/pods", true, "watch pods"},
                      Row{"GetOfANamespace", "GET", "/api/v1/namespaces/shop/pods/web-1", false,
                          "get pods"},
                      Row{"Namespace", "GET", "/api/v1/namespaces/shop", false, "get namespaces"},
                      Row{"Bind", "POST", "/api/v1/namespaces/shop/pods/web-1/binding", false,
                          "create pods/binding"},
                      Row{"Condition", "PATCH", "/api/v1/namespaces/shop/pods/web-1/status", false,
                          "patch pods/status"},
                      Row{"Event", "POST", "/apis/events.k8s.io/v1/namespaces/shop/events", false,
                          "create events.events.k8s.io"},
                      Row{"Update", "PUT", "/apis/apps/v1/namespaces/shop/deployments/a", false,
                          "update deployments.apps"},
                      Row{"Delete", "DELETE", "/api/v1/nodes/a", false, "delete nodes"},
                      Row{"NoResource", "GET", "/version", false, "list /version"}),
    [](const auto& row) { return row.param.name; });

TEST(NamedRights, LeavesOtherAnswersAsTheyAre) {
  ApiRequest request;
  request.path = "/api/v1/nodes";
  Answers good(absl::OkStatus());
  EXPECT_EQ(NamedRights(&good).Call(request)->body, "{}");
  Answers gone(kube::ErrorOfAnswer(404, "", ""));
  EXPECT_THAT(kube::Text(NamedRights(&gone).Call(request).status()), Not(HasSubstr("right")));
}

}  // namespace

}  // namespace outrigger::lab
