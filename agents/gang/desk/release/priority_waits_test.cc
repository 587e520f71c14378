#include "gang/desk/release/priority_waits.h"

#include <string>
#include <vector>

#include "board_testing.h"
#include "gmock/gmock.h"

namespace outrigger::desk {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;

/// Single pods with places, in the order in which they are added, on nodes of 4 cpu.
class PriorityWaitsTest : public ::testing::Test {
 protected:
  PriorityWaitsTest() {
    for (const char* node : {"n1", "n2"}) cluster_.Put(MakeNode(node));
  }
  void Add(const std::string& name, int32_t priority, const std::string& node,
           std::vector<std::string> gates = {}, std::string_view cpu = "1") {
    Pod pod = MakePod(name).Requests({{"cpu", cpu}});
    pod.priority = priority;
    pod.scheduling_gates = std::move(gates);
    plan::Unit& unit = units_.emplace_back();
    unit.key = {plan::Dialect::kNone, "default", name, pod.uid};
    unit.rank.priority = priority;
    unit.rank.name = name;
    unit.members.emplace_back().pod = std::make_shared<const Pod>(pod);
    plan::UnitPlan& planned = plan_.units.emplace_back();
    planned.fits = !node.empty();
    planned.nodes = {node};
  }
  /// The names of those that wait.
  std::vector<std::string> Waiting(seconds after = seconds(0), bool asked = true) {
    plan::Plan plan = plan_;
    waits_.OnPlan(units_, *cluster_.Take()->snapshot, nullptr, asked, kBegin + after, &plan);
    std::vector<std::string> names;
    for (size_t i = 0; i < units_.size(); ++i) {
      if (plan_.units[i].fits && !plan.units[i].fits) names.push_back(units_[i].key.name);
    }
    last_ = plan;
    return names;
  }

  testing::FakeCluster cluster_;
  PriorityWaits waits_;
  std::vector<plan::Unit> units_;
  plan::Plan plan_;
  plan::Plan last_;
};

TEST_F(PriorityWaitsTest, APodWaitsForOneOfALowerPriorityBeforeIt) {
  Add("low", 0, "n1");
  Add("equal", 0, "n2");
  Add("high", 1, "n2");
  EXPECT_THAT(Waiting(), ElementsAre("high"));
}

TEST_F(PriorityWaitsTest, APodThatNeedsMoreThanTheirNodesHaveDoesNotWait) {
  Pod runs = MakePod("runs").Requests({{"cpu", "2"}});
  runs.node_name = "n1";
  cluster_.Put(runs);
  Add("low", 0, "n1");
  Add("large", 1, "n2", {}, "3");
  Add("small", 1, "n2", {}, "2");
  EXPECT_THAT(Waiting(), ElementsAre("small"));
}

TEST_F(PriorityWaitsTest, WhatIsNotLetGoKeepsNoneWaiting) {
  Add("without a place", 0, "");
  Add("gated", 0, "n1", {std::string(plan::kQueueGate)});
  Add("high", 1, "n2");
  EXPECT_THAT(Waiting(), IsEmpty());
}

TEST_F(PriorityWaitsTest, WhereNoCallComesOnlyPodsWithTheGateWait) {
  Add("low", 0, "n1");
  Add("free", 1, "n2");
  Add("gated", 1, "n2", {std::string(plan::kQueueGate)});
  EXPECT_THAT(Waiting(seconds(0), /*asked=*/false), ElementsAre("gated"));
}

TEST_F(PriorityWaitsTest, APodThatIsNotBoundKeepsOthersWaitingForHalfAMinute) {
  Add("low", 0, "n1");
  Add("high", 1, "n2");
  EXPECT_THAT(Waiting(), ElementsAre("high"));
  EXPECT_EQ(waits_.next_look(), kBegin + seconds(30));
  EXPECT_THAT(Waiting(seconds(29)), ElementsAre("high"));
  EXPECT_THAT(Waiting(seconds(30)), IsEmpty());
}

TEST_F(PriorityWaitsTest, APodWaitsForHalfAMinuteHoweverManyAreLetGoBeforeItAndKeepsItsPlace) {
  Add("low", 0, "n1");
  Add("high", 1, "n2");
  EXPECT_THAT(Waiting(), ElementsAre("high"));
  EXPECT_THAT(last_.units[1].promised, ElementsAre("n2"));
  units_[0].key.uid = "a younger one";
  EXPECT_THAT(Waiting(seconds(29)), ElementsAre("high"));
  EXPECT_THAT(Waiting(seconds(30)), IsEmpty());
}

TEST_F(PriorityWaitsTest, APodThatIsNeverHeldDoesNotWait) {
  Add("low", 0, "n1");
  Add("critical", 2'000'000'000, "n2");
  EXPECT_THAT(Waiting(), IsEmpty());
}

}  // namespace
}  // namespace outrigger::desk
