#include "lab/client/api_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/fake_objects_testing.h"
#include "kube/kube_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using Json = nlohmann::json;

constexpr char kPodPath[] = "/api/v1/namespaces/shop/pods/web-1";
constexpr char kEventsPath[] = "/apis/events.k8s.io/v1/namespaces/shop/events";

Pod Web() {
  Pod pod;
  pod.namespace_ = "shop";
  pod.name = "web-1";
  pod.uid = "uid-1";
  pod.resource_version = "7";
  return pod;
}

Pod Other() {
  Pod pod = Web();
  pod.namespace_ = "other";
  return pod;
}

class ApiClientTest : public ::testing::Test {
 protected:
  ApiClientTest() {
    server_.Put(std::string(kPodPath) + "/status", {{"metadata", {{"uid", "uid-1"}}}});
  }
  ApiClientOptions Options() {
    return {.scheduler_name = "small", .host = "laptop", .warn = {}, .clock = time_.clock()};
  }

  kube::FakeTime time_;
  kube::FakeObjects server_;
};

TEST_F(ApiClientTest, Binds) {
  bool rate_limited = true;
  server_.before = [&](const kube::ApiRequest& request) {
    rate_limited = request.rate_limited;
    return absl::OkStatus();
  };
  ApiClient client(&server_, Options());
  EXPECT_TRUE(client.Bind(Web(), "node1").ok());
  EXPECT_THAT(server_.calls(), ElementsAre("POST " + std::string(kPodPath) + "/binding"));
  EXPECT_FALSE(rate_limited);
}

TEST_F(ApiClientTest, WritesTheConditionAtTheClocksTime) {
  ApiClient client(&server_, Options());
  ASSERT_TRUE(client.WriteUnscheduled(Web(), "Unschedulable", "0/9 nodes").ok());
  const Json condition = server_.At(std::string(kPodPath) + "/status")["status"]["conditions"][0];
  EXPECT_EQ(condition["message"], "0/9 nodes");
  EXPECT_EQ(condition["lastTransitionTime"], "1970-02-11T16:00:00Z");
}

TEST_F(ApiClientTest, WritesEventsAsKubeSchedulerDoes) {
  {
    ApiClient client(&server_, Options());
    client.RecordEvent(Web(), /*warning=*/true, "FailedScheduling", "Scheduling", "0/9 nodes");
  }  // writes what waits
  const std::vector<std::string> paths = server_.Paths();
  ASSERT_THAT(paths, SizeIs(2));
  const Json event = server_.At(paths[1]);
  EXPECT_EQ(paths[1].substr(0, sizeof kEventsPath - 1), kEventsPath);
  EXPECT_EQ(event["type"], "Warning");
  EXPECT_EQ(event["reason"], "FailedScheduling");
  EXPECT_EQ(event["action"], "Scheduling");
  EXPECT_EQ(event["note"], "0/9 nodes");
  EXPECT_EQ(event["reportingController"], "small");
  EXPECT_EQ(event["reportingInstance"], "small-laptop");
  EXPECT_EQ(event["regarding"], Json::parse(R"({"apiVersion":"v1","kind":"Pod",
    "namespace":"shop","name":"web-1","uid":"uid-1","resourceVersion":"7"})"));
}

TEST_F(ApiClientTest, HandsOnThatItIsCancelled) {
  std::vector<bool> stopped;
  server_.before = [&](const kube::ApiRequest& request) {
    stopped.push_back(request.stop.stop_requested());
    return absl::OkStatus();
  };
  ApiClient client(&server_, Options());
  EXPECT_TRUE(client.Bind(Web(), "node1").ok());
  client.Cancel();
  client.Bind(Other(), "node1").IgnoreError();
  client.WriteUnscheduled(Web(), "Unschedulable", "0/9 nodes").IgnoreError();
  EXPECT_THAT(stopped, ElementsAre(false, true, true));
}

}  // namespace
}  // namespace outrigger::lab
