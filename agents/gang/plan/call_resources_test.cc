#include "gang/plan/call_resources.h"

#include "builders.h"
#include "cluster/cluster.h"
#include "gang/plan/pods.h"
#include "gang/plan/scheduler_checks.h"
#include "gmock/gmock.h"

namespace outrigger::plan {
namespace {

using testing::MakePod;
using testing::Q;

const ResourceList kBoth = {{"cpu", Q("1")},
                            {std::string(kCallResource), Q("1")},
                            {std::string(kBindCallResource), Q("1")}};
const ResourceList kCpuAlone = {{"cpu", Q("1")}};

Pod PodThatRequests(const ResourceList& requests) {
  Pod pod = MakePod("p");
  pod.containers.resize(2);
  pod.containers[1].requests = requests;
  return pod;
}

TEST(CallResources, AreFoundInRequestsAndLimitsOfAllContainers) {
  EXPECT_EQ(CallsAskedBy(MakePod("p")).Missing(), "outrigger.dev/gang and outrigger.dev/gang-bind");
  EXPECT_TRUE(CallsAskedBy(PodThatRequests(kBoth)).All());
  EXPECT_TRUE(CallsAskedBy(PodThatRequests({{std::string(kCallResource), Q("0")},
                                            {std::string(kBindCallResource), Q("0")}}))
                  .All())
      << "the name counts";
  EXPECT_EQ(CallsAskedBy(PodThatRequests(kBoth)).Missing(), "");
  Pod pod = MakePod("p");
  pod.init_containers.emplace_back().limits.Set(kCallResource, Q("1"));
  EXPECT_EQ(CallsAskedBy(pod).Missing(), "outrigger.dev/gang-bind");
  pod.init_containers.emplace_back().requests.Set(kBindCallResource, Q("1"));
  EXPECT_TRUE(CallsAskedBy(pod).All());
  pod.init_containers.erase(pod.init_containers.begin());
  EXPECT_EQ(CallsAskedBy(pod).Missing(), "outrigger.dev/gang");
}

TEST(CallResources, AreNotComparedWithWhatNodesHave) {
  Pod pod = PodThatRequests(kBoth);
  pod.qos_class = "Burstable";
  SchedulerChecks().LeaveOutOf(&pod);
  EXPECT_EQ(PodRequests(pod), kCpuAlone);
  EXPECT_TRUE(CallsAskedBy(pod).All()) << "and yet it asks";
  EXPECT_EQ(pod.containers.size(), 2U) << "nothing else is changed";
}

TEST(CallResources, AreAskedForStillWhereOtherResourcesAreLeftOut) {
  const auto checks = SchedulerChecks::Parse("example.com/score");
  Pod pod = PodThatRequests(kBoth);
  pod.containers[0].requests.Set("example.com/score", Q("3"));
  checks->LeaveOutOf(&pod);
  EXPECT_EQ(PodRequests(pod), kCpuAlone);
  EXPECT_TRUE(CallsAskedBy(pod).All());
}

TEST(CallResources, AreTakenOffAmounts) {
  ResourceList amounts = kBoth;
  LeaveCallsOutOf(&amounts);
  EXPECT_EQ(amounts, kCpuAlone);
  LeaveCallsOutOf(&amounts);
  EXPECT_EQ(amounts, kCpuAlone);
}

// Other resources of that domain are what they are.
TEST(CallResources, AreTheseTwoAlone) {
  EXPECT_FALSE(IsCallResource("outrigger.dev/gang-"));
  EXPECT_FALSE(IsCallResource("outrigger.dev/gpu"));
  EXPECT_FALSE(ProfileChecks().LeavesOut("outrigger.dev/gpu"));
  EXPECT_TRUE(ProfileChecks().LeavesOut("outrigger.dev/gang"));
}

TEST(CallResources, OfPlannedPodsAreNoRequests) {
  cluster::ClusterOptions options;
  options.indexes = {PlannedPodsIndex()};
  cluster::Cluster cluster(options);
  cluster.UpsertPod(PodThatRequests(kBoth));
  PlannedPods planned;
  const auto pods = planned.Of(*cluster.Take());
  ASSERT_EQ(pods.size(), 1U);
  EXPECT_EQ(PodRequests(*pods[0]), kCpuAlone);
  EXPECT_TRUE(CallsAskedBy(*pods[0]).All());
}

}  // namespace
}  // namespace outrigger::plan
