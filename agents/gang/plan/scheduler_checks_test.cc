#include "gang/plan/scheduler_checks.h"

#include "planner_testing.h"

#include "builders.h"
#include "gmock/gmock.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;

TEST(SchedulerChecks, ReadsResourcesGroupsAndPlugins) {
  const auto checks =
      SchedulerChecks::Parse("example.com/score, example.net/*,NodePorts,batch:TaintToleration,");
  ASSERT_TRUE(checks.ok()) << checks.status();
  EXPECT_THAT(checks->everywhere.resources, ElementsAre("example.com/score"));
  EXPECT_THAT(checks->everywhere.resource_groups, ElementsAre("example.net"));
  EXPECT_THAT(checks->everywhere.plugins, ElementsAre(FilterPlugin::kNodePorts));
  ASSERT_EQ(checks->profiles.size(), 1U);
  EXPECT_THAT(checks->profiles.at("batch").plugins,
              ElementsAre(FilterPlugin::kTaintToleration, FilterPlugin::kNodePorts))
      << "what all leave out, and its own";
  EXPECT_TRUE(SchedulerChecks::Parse("")->empty());
}

TEST(SchedulerChecks, RefusesWhatIsNone) {
  for (const char* item : {"cpu", "NodeName", "batch:", ":NodePorts", "kubernetes.io/x", "*/*",
                           "a/b/*", "requests.example.com/x", "example.com/a*"}) {
    const auto checks = SchedulerChecks::Parse(item);
    ASSERT_FALSE(checks.ok()) << item;
    EXPECT_THAT(std::string(checks.status().message()), HasSubstr("\"" + std::string(item) + "\""));
    EXPECT_THAT(std::string(checks.status().message()), HasSubstr("NodeResourcesFit"));
  }
}

TEST(SchedulerChecks, RefusesAListWithoutEnd) {
  std::string list;
  for (int i = 0; i < 2000; ++i) list += "example.com/r,";
  EXPECT_FALSE(SchedulerChecks::Parse(list).ok());
}

TEST(SchedulerChecks, LeaveOutOnlyWhatIsNamed) {
  const auto checks = SchedulerChecks::Parse("example.com/score,example.net/*");
  Pod pod = MakePod("p").Requests(
      {{"cpu", "1"}, {"example.com/score", "1"}, {"example.com/gpu", "1"}, {"example.net/a", "2"}});
  checks->LeaveOutOf(&pod);
  const ResourceList requests = PodRequests(pod);
  EXPECT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests.Get("cpu").MilliValue(), 1000);
  EXPECT_EQ(requests.Get("example.com/gpu").Value(), 1);
}

TEST(SchedulerChecks, LeaveResourcesOutOfThePodAsAWhole) {
  const auto checks = SchedulerChecks::Parse("example.com/score");
  Pod pod = MakePod("p").Requests({{"example.com/score", "1"}});
  pod.init_containers.emplace_back().requests.Set("example.com/score", testing::Q("5"));
  pod.overhead.Set("cpu", testing::Q("1"));
  pod.pod_requests.emplace().Set("memory", testing::Q("1Gi"));
  checks->LeaveOutOf(&pod);
  const ResourceList requests = PodRequests(pod);
  EXPECT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests.Get("cpu").MilliValue(), 1000);
  EXPECT_EQ(requests.Get("memory").Value(), 1 << 30);
}

TEST(SchedulerChecks, AreThoseOfThePodsProfile) {
  const auto checks = SchedulerChecks::Parse("batch:NodePorts");
  Pod pod = MakePod("p").AddHostPort(80);
  checks->LeaveOutOf(&pod);
  EXPECT_EQ(pod.host_ports.size(), 1U);
  pod.scheduler_name = "batch";
  checks->LeaveOutOf(&pod);
  EXPECT_THAT(pod.host_ports, IsEmpty());
}

TEST(SchedulerChecks, AddWhatAProfileRequiresOfNodes) {
  World world;
  world.AddNodes("n", 1, "4");
  world.AddNode(
      MakeNode("n02").Allocatable("cpu", "4").Allocatable("pods", "9").Label("pool", "batch"));
  SchedulerChecks checks;
  checks.AddToProfiles({{"batch", {{{{{"pool", SelectorOperator::kIn, {"batch"}}}, {}}}}}});
  PlanOptions options;
  options.checks = std::make_shared<const SchedulerChecks>(checks);
  Unit gang = MakeUnit("a").Members(1, "3").Members(1, "1");
  EXPECT_EQ(TextOf(world.PlanFresh({gang}, options).units[0]), "n01 n01");
  for (Member& member : gang.members) {
    Pod pod = *member.pod;
    pod.scheduler_name = "batch";
    member.pod = std::make_shared<const Pod>(pod);
  }
  EXPECT_EQ(TextOf(world.PlanFresh({gang}, options).units[0]), "n02 n02");
  gang.minimum = 3;
  gang.members.push_back(gang.members[0]);
  EXPECT_EQ(
      world.Explain({gang}, 0, options).text,
      "3 members need a place, 2 fit; 1 more node with cpu 3 free and label pool=batch would do");
  checks.profiles["batch"].plugins = {FilterPlugin::kNodeAffinity};
  options.checks = std::make_shared<const SchedulerChecks>(checks);
  EXPECT_EQ(TextOf(world.PlanFresh({gang}, options).units[0]), "n01 n01 n02");
}

TEST(SchedulerChecks, LeaveToDevicesWhatNoPluginOfTheNodeHas) {
  SchedulerChecks checks;
  checks.device_resources = {"example.com/gpu"};
  ResourceList free;
  checks.AddDevices({}, &free);
  EXPECT_EQ(free.Get("example.com/gpu").Value(), kAnyAmount);
  free.clear();
  checks.AddDevices({{"example.com/gpu", testing::Q("1")}}, &free);
  EXPECT_TRUE(free.empty()) << "a device plugin counts them";
}

}  // namespace
}  // namespace outrigger::plan
