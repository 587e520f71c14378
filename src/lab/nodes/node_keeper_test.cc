#include "lab/nodes/node_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "lab/nodes/nodes_testing.h"

namespace outrigger::lab {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFirst = "/api/v1/nodes/node-0000";
constexpr const char* kFirstLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0000";
constexpr const char* kRenewal =
    "PATCH /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0000";

class NodeKeeperTest : public ::testing::Test {
 protected:
  NodeKeeper& Start(std::string_view shape) {
    keeper_ = std::make_unique<NodeKeeper>(
        &scene_.api, MustNodes(shape), &scene_.queue, &scene_.scoped,
        NodeKeeperOptions{.clock = scene_.clock(), .warn = scene_.warn()});
    keeper_->Start();
    return *keeper_;
  }
  std::string RenewTime() { return scene_.api.At(kFirstLease, "/spec/renewTime"); }

  NodeScene scene_;
  std::unique_ptr<NodeKeeper> keeper_;
};

TEST_F(NodeKeeperTest, MakesNodesAndLeases) {
  const NodeKeeper& keeper = Start("2,cpu=4,racks=2");
  EXPECT_EQ(keeper.ready(), 2U);
  EXPECT_TRUE(keeper_->AwaitReady({}));
  const auto node = scene_.api.objects.At(kFirst);
  EXPECT_EQ(node["metadata"]["labels"][std::string(kRackLabel)], "rack-0");
  EXPECT_EQ(node["status"]["allocatable"]["cpu"], "4");
  EXPECT_EQ(node["status"]["capacity"]["pods"], "110");
  EXPECT_EQ(node["status"]["conditions"][3]["type"], "Ready");
  EXPECT_EQ(node["status"]["conditions"][3]["status"], "True");
  EXPECT_EQ(node["status"]["addresses"][0]["address"], "172.16.0.1");
  const auto lease = scene_.api.objects.At(kFirstLease);
  EXPECT_EQ(lease["spec"]["holderIdentity"], "node-0000");
  EXPECT_EQ(lease["spec"]["leaseDurationSeconds"], 40);
  EXPECT_EQ(lease["spec"]["renewTime"], "1970-01-01T01:00:00.000000Z");
  EXPECT_THAT(scene_.warnings, IsEmpty());
}

TEST_F(NodeKeeperTest, RenewsLeasesSpreadOverTheIntervalAndConditionsSeldom) {
  Start("10");
  const std::string second =
      "PATCH /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0005";
  const size_t at_start = scene_.api.Count(second);
  scene_.timers.Advance(seconds(10));
  EXPECT_EQ(RenewTime(), "1970-01-01T01:00:10.000000Z");
  EXPECT_EQ(scene_.api.Count(second), at_start);
  scene_.timers.Advance(seconds(5));
  EXPECT_EQ(scene_.api.Count(second), at_start + 1);
  scene_.timers.Advance(seconds(284));
  EXPECT_EQ(scene_.api.Count("PATCH /api/v1/nodes/node-0000"), 0U);
  scene_.timers.Advance(seconds(1));
  EXPECT_EQ(scene_.api.Count("PATCH /api/v1/nodes/node-0000"), 1U);
  EXPECT_EQ(RenewTime(), "1970-01-01T01:05:00.000000Z");
  const auto ready = scene_.api.At(kFirst, "/status/conditions/3");
  EXPECT_EQ(ready["lastHeartbeatTime"], "1970-01-01T01:05:00Z");
  EXPECT_EQ(ready["lastTransitionTime"], "1970-01-01T01:00:00Z");
}

TEST_F(NodeKeeperTest, TakesOverASimulatedNode) {
  scene_.api.objects.Put(
      kFirst,
      {{"metadata", {{"name", "node-0000"}, {"labels", {{"lab.outrigger.dev/simulated", "true"}}}}},
       {"spec", {{"unschedulable", true}}}});
  EXPECT_EQ(Start("1,cpu=7").ready(), 1U);
  const auto node = scene_.api.objects.At(kFirst);
  EXPECT_EQ(node["status"]["allocatable"]["cpu"], "7");
  EXPECT_EQ(node["spec"]["unschedulable"], true) << "what others wrote stays";
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"], "node-0000");
}

TEST_F(NodeKeeperTest, LeavesARealNodeAlone) {
  const kube::FakeObjects::Json real = {{"metadata", {{"name", "node-0000"}}}};
  scene_.api.objects.Put(kFirst, real);
  const NodeKeeper& keeper = Start("2");
  EXPECT_EQ(keeper.ready(), 1U);
  EXPECT_EQ(keeper.lost(), 1U);
  EXPECT_TRUE(keeper_->AwaitReady({}));
  EXPECT_FALSE(scene_.api.objects.At(kFirst).contains("status"));
  EXPECT_THAT(scene_.warnings, ElementsAre(HasSubstr("node-0000 exists")));
}

TEST_F(NodeKeeperTest, ForgetsANodeThatIsDeleted) {
  const NodeKeeper& keeper = Start("1");
  scene_.api.objects.Remove(kFirst);
  scene_.api.objects.Remove(kFirstLease);
  scene_.timers.Advance(seconds(10));
  EXPECT_EQ(keeper.ready(), 0U);
  EXPECT_EQ(keeper.lost(), 1U);
  const size_t calls = scene_.api.objects.calls().size();
  scene_.timers.Advance(seconds(1000));
  EXPECT_EQ(scene_.api.objects.calls().size(), calls);
  EXPECT_THAT(scene_.api.objects.Paths(), IsEmpty());
  EXPECT_THAT(scene_.warnings, ElementsAre("node node-0000 was deleted"));
}

TEST_F(NodeKeeperTest, MakesALeaseAnewThatIsDeleted) {
  Start("1");
  scene_.api.objects.Remove(kFirstLease);
  scene_.timers.Advance(seconds(10));
  EXPECT_EQ(RenewTime(), "1970-01-01T01:00:10.000000Z");
}

TEST_F(NodeKeeperTest, TakesAwayTheTaintOfANewNode) {
  scene_.api.taint_new_nodes = true;
  Start("1");
  EXPECT_EQ(scene_.api.At(kFirst, "/spec/taints"), nullptr);
  EXPECT_EQ(scene_.api.At(kFirst, "/metadata/name"), "node-0000");
}

TEST_F(NodeKeeperTest, TriesAgainAndSaysSoOnce) {
  bool fails = true;
  scene_.api.objects.before = [&](const kube::ApiRequest&) {
    return fails ? absl::UnavailableError("no route") : absl::OkStatus();
  };
  const NodeKeeper& keeper = Start("1");
  scene_.timers.Advance(seconds(20));
  EXPECT_EQ(keeper.ready(), 0U);
  EXPECT_THAT(scene_.warnings, ElementsAre("node node-0000 cannot be written: no route"));
  fails = false;
  scene_.timers.Advance(seconds(40));
  EXPECT_EQ(keeper.ready(), 1U);
  EXPECT_GT(scene_.api.Count(kRenewal), 0U);
}

}  // namespace
}  // namespace outrigger::lab
