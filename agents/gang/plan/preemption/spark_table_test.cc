#include "story_testing.h"

// The tables of the Spark scheduler's TestScheduler, TestDynamicAllocationScheduling and
// TestMinimalFragmentation (Palantir, internal/extender/resource_test.go): an application is a gang
// of its driver and the executors that it reserves places for, two nodes have 8 cpu each, and every
// pod asks for one. What is a "soft reservation" there is a member over the minimum here.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// A pod of the application; `minimum` counts the driver.
class OfApp {
 public:
  OfApp(const std::string& name, std::string_view minimum, const std::string& app = "app")
      : pod_(MakePod(app == "app" ? name : app + "-" + name)
                 .Label(kPodGroupLabel, app)
                 .Label(kMinAvailableLabel, minimum)
                 .Requests({{"cpu", "1"}})) {}
  OfApp& On(std::string_view node) { return pod_.node_name = node, *this; }
  OfApp& Started(std::string_view with) { return pod_.annotations.Set(kStartedWith, with), *this; }
  OfApp& Died() { return pod_.phase = "Failed", *this; }
  OfApp& OnFewNodes() { return pod_.annotations.Set(kTopologyPreferred, kHostname), *this; }
  OfApp& InOneZone() { return pod_.annotations.Set(kTopologyRequired, kZone), *this; }
  operator PodPtr() const {  // NOLINT(google-explicit-constructor)
    return std::make_shared<const Pod>(pod_);
  }

 private:
  Pod pod_;
};

/// Another pod that leaves so much of a node.
PodPtr Leaving(int cpu, const std::string& node) {
  Pod pod = MakePod("full-" + node).Requests({{"cpu", std::to_string(8 - cpu)}});
  pod.node_name = node;
  return std::make_shared<const Pod>(pod);
}

// Two executors are asked for, so the minimum is 3.
std::vector<Tale> StaticAllocation() {
  const Pods app = {OfApp("driver", "3"), OfApp("exec-0", "3"), OfApp("exec-1", "3")};
  const PodPtr one_more = OfApp("newly-requested-exec", "3");
  return {
      {"ThereIsEnoughCapacityForTheFullApplication",
       {{.come = app, .stands = "node1(driver exec-0 exec-1)"}}},
      {"ANewExecutorReplacesOneThatIsTerminated",
       {{.come = {Leaving(3, "node1"), Leaving(0, "node2")},
         .stands = "node1(full-node1) node2(full-node2)"},
        {.come = app, .stands = "node1(driver exec-0 exec-1 full-node1) node2(full-node2)"},
        {.come = {one_more},
         .stands = "node1(driver exec-0 exec-1 full-node1) node2(full-node2) "
                   "waits(newly-requested-exec)"},
        {.come = {OfApp("exec-0", "3").On("node1").Died()},
         .stands = "node1(driver exec-1 full-node1 newly-requested-exec) node2(full-node2)"}}},
      // Differs: there it fails, since an application has no more places than it said. A gang has a
      // minimum and no maximum: what comes over it goes where room is left.
      {"ANewExecutorMayComeOnTopWhileThereIsRoom",
       {{.come = app, .stands = "node1(driver exec-0 exec-1)"},
        {.come = {one_more}, .stands = "node1(driver exec-0 exec-1 newly-requested-exec)"}}},
      // What the test is about: a driver has no place as long as its executors would have none.
      {"ADriverWaitsUntilThereIsRoomForTheExecutors",
       {{.come = {Leaving(2, "node1"), Leaving(0, "node2")},
         .stands = "node1(full-node1) node2(full-node2)"},
        {.come = app, .stands = "node1(full-node1) node2(full-node2) waits(app: cpu)"},
        {.go = {"full-node2"}, .stands = "node1(driver exec-0 full-node1) node2(exec-1)"}}},
  };
}

// One executor at least, three at most: the minimum is 2.
std::vector<Tale> DynamicAllocation() {
  const PodPtr driver = OfApp("driver", "2");
  const PodPtr exec0 = OfApp("exec-0", "2");
  const PodPtr exec1 = OfApp("exec-1", "2");
  const PodPtr exec2 = OfApp("exec-2", "2");
  return {
      {"UnderTheMinExecutorCountThereIsAPlaceForEach",
       {{.come = {driver}, .stands = "waits(app: members)"},
        {.come = {exec0}, .stands = "node1(driver exec-0)"}}},
      {"AnExecutorOverTheMinGetsAPlaceWhereRoomIsLeft",
       {{.come = {driver, exec0, exec1}, .stands = "node1(driver exec-0 exec-1)"}}},
      {"AnExecutorOverTheMinHoldsUpNobody",
       {{.come = {Leaving(2, "node1"), Leaving(0, "node2"), driver, exec0, exec1},
         .stands = "node1(driver exec-0 full-node1) node2(full-node2) waits(exec-1)"}}},
      {"ExecutorsOverTheMinGoToFullNodesFirst",
       {{.come = {OfApp("driver", "2").On("node2"), OfApp("exec-0", "2").On("node2"), exec1},
         .stands = "node2(driver exec-0 exec-1)"}}},
      // As there, a pod that is asked about again has one place only; what is over the max is up to
      // Spark, which does not ask for it.
      {"AnExecutorThatIsThereAlreadyGetsNoSecondPlace",
       {{.come = {driver, exec0, exec1, exec2}, .stands = "node1(driver exec-0 exec-1 exec-2)"},
        {.come = {OfApp("exec-2", "2").On("node1")},
         .stands = "node1(driver exec-0 exec-1 exec-2)"}}},
  };
}

/// A single pod that asks for one cpu, and comes before the application.
PodPtr Single(int32_t priority) {
  Pod pod = MakePod("a-single").Requests({{"cpu", "1"}});
  pod.priority = priority;
  return std::make_shared<const Pod>(pod);
}

// "Replaces a dead executor's resource reservation before adding a new soft reservation": places
// are nobody's by name here. What counts is whether so many are left as the application needs.
std::vector<Tale> DeadExecutors() {
  const PodPtr full = Leaving(0, "node2");
  const PodPtr driver = OfApp("driver", "2").On("node1").Started("2");
  const PodPtr dead = OfApp("exec-0", "2").On("node1").Died();
  const PodPtr second = OfApp("exec-1", "2").On("node1");
  const PodPtr third = OfApp("exec-2", "2");
  return {
      {"ADeadExecutorWithoutWhichTooFewAreLeftIsReplacedBeforeOthersOfItsPriority",
       {{.come = {full, Leaving(2, "node1"), driver, dead, third, Single(0)},
         .stands = "node1(driver exec-2 full-node1) node2(full-node2) waits(a-single: cpu)"}}},
      // Differs: there it has the dead one's place.
      {"ADeadExecutorIsReplacedAfterPodsOfHigherPriority",
       {{.come = {full, Leaving(2, "node1"), driver, dead, third, Single(1000)},
         .stands = "node1(a-single driver full-node1) node2(full-node2) waits(app: cpu)"}}},
      // Differs: there the third executor has the dead one's place whoever else asks.
      {"ADeadExecutorWithoutWhichEnoughAreLeftIsReplacedInItsTurn",
       {{.come = {full, Leaving(3, "node1"), driver, dead, second, third, Single(1000)},
         .stands = "node1(a-single driver exec-1 full-node1) node2(full-node2) waits(exec-2)"}}},
  };
}

// An application of which nothing but the driver is needed, in zone2, while zone1 is fuller.
std::vector<Tale> Zones() {
  const Pods elsewhere = {OfApp("driver", "2", "static").On("node1"),
                          OfApp("exec-0", "2", "static").On("node1")};
  const auto with = [&](Pods pods) {
    pods.insert(pods.end(), elsewhere.begin(), elsewhere.end());
    return pods;
  };
  const auto in_zone = [](const std::string& name) { return OfApp(name, "1").InOneZone(); };
  return {
      {"AnExecutorGoesOnlyToTheSameZoneAsTheApplication",
       {{.come = with({in_zone("driver").On("node2"), in_zone("exec-0"), in_zone("exec-1")}),
         .stands = "node1(static-driver static-exec-0) node2(driver exec-0 exec-1)"}}},
      {"AnExecutorGoesToTheFullestZoneIfNoneIsRequired",
       {{.come = with({OfApp("driver", "1").On("node2"), OfApp("exec-0", "1")}),
         .stands = "node1(exec-0 static-driver static-exec-0) node2(driver)"}}},
  };
}

// TestMinimalFragmentation: an executor is drawn to the node of the others. Differs: that is a wish
// of the gang, for its minimum; else members go to the fullest node, so that large holes stay.
std::vector<Tale> Fragmentation() {
  const PodPtr other = Leaving(5, "node1");
  return {
      {"AnExecutorIsDrawnToTheNodeOfTheOthersIfThatIsPreferred",
       {{.come = {other, OfApp("driver", "3").OnFewNodes().On("node2"),
                  OfApp("exec-0", "3").OnFewNodes().On("node2"), OfApp("exec-1", "3").OnFewNodes()},
         .stands = "node1(full-node1) node2(driver exec-0 exec-1)"}}},
      {"AnExecutorIsDrawnToTheFullestNode",
       {{.come = {other, OfApp("driver", "2").On("node2"), OfApp("exec-0", "2").On("node2"),
                  OfApp("exec-1", "2")},
         .stands = "node1(exec-1 full-node1) node2(driver exec-0)"}}},
  };
}

class SparkApplications : public ::testing::TestWithParam<Tale> {};

TEST_P(SparkApplications, AreGangs) {
  Story story(
      {MakeNode("node1").Label(kZone, "zone1").Label(kHostname, "node1").Allocatable("cpu", "8"),
       MakeNode("node2").Label(kZone, "zone2").Label(kHostname, "node2").Allocatable("cpu", "8")});
  for (size_t i = 0; i < GetParam().steps.size(); ++i) {
    const Step& step = GetParam().steps[i];
    EXPECT_EQ(story.Take(step), step.stands) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Static, SparkApplications, ::testing::ValuesIn(StaticAllocation()),
                         kTaleName);
INSTANTIATE_TEST_SUITE_P(Dynamic, SparkApplications, ::testing::ValuesIn(DynamicAllocation()),
                         kTaleName);
INSTANTIATE_TEST_SUITE_P(Dead, SparkApplications, ::testing::ValuesIn(DeadExecutors()), kTaleName);
INSTANTIATE_TEST_SUITE_P(Fragmentation, SparkApplications, ::testing::ValuesIn(Fragmentation()),
                         kTaleName);
INSTANTIATE_TEST_SUITE_P(Zones, SparkApplications, ::testing::ValuesIn(Zones()), kTaleName);

}  // namespace
}  // namespace outrigger::plan
