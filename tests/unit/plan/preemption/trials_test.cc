#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders.h"
#include "outrigger/plan/planner.h"
#include "unit/plan/planner_cases.h"
#include "unit/plan/planner_testing.h"

// Planner::FindGains(): what evictions would give, compared with plans of clusters in which the
// pods never were.

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;
using ::testing::ElementsAre;

int Between(int from, int most) {
  return *rc::gen::inRange(from, most + 1);
}
bool OneIn(int n) {
  return Between(1, n) == 1;
}

struct GainsCase {
  PlanCase base;
  std::vector<std::pair<Pod, std::string>> running;  // beside those of the units, and where
  std::vector<Unit> units;
  PlanOptions options;
};

/// Nodes are as large as needed for what runs there.
void BuildWithout(const GainsCase& of, const std::vector<std::string>& gone, World* world) {
  for (size_t i = 0; i < of.base.nodes.size(); ++i) {
    Node node = NodeFrom(of.base, i);
    for (const auto& [pod, on] : of.running) {
      if (on == node.name) {
        for (const auto& [resource, amount] : PodRequestsOnNode(pod)) {
          Quantity more = node.allocatable.Get(resource);
          more += amount;
          node.allocatable.Set(resource, more);
        }
      }
    }
    world->AddNode(node);
  }
  BindAll(of.base, world);
  for (const auto& [pod, on] : of.running) {
    if (std::find(gone.begin(), gone.end(), pod.uid) == gone.end()) world->Bind(pod, on);
  }
}

Pod AnyRunning(size_t index) {
  Pod pod = MakePod(absl::StrCat("runs-", index))
                .Requests({{"cpu", absl::StrCat(Between(0, 3))},
                           {"memory", absl::StrCat(Between(0, 3), "Gi")}});
  if (!OneIn(3)) return pod;
  PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
  term.label_selector.emplace();
  term.label_selector->match_labels.Set("unit", absl::StrCat("u", Between(0, 2)));
  term.topology_key = OneIn(2) ? "rack" : "kubernetes.io/hostname";
  return pod;
}

// Of few kinds, so that many are alike.
Unit AnySingle(size_t index) {
  const std::string name = absl::StrCat("single-", index);
  MakeUnit unit(name);
  unit.AddMember(MakePod(name).Requests({{"cpu", absl::StrCat(Between(1, 3))}, {"memory", "1Gi"}}));
  unit.Priority(Between(0, 2));
  unit.unit().key.dialect = Dialect::kNone;
  return unit;
}

// What members had before: the places of the plan, as the desk has it, or others.
void Reserve(const Plan& plan, const PlanCase& of, std::vector<Unit>* units) {
  const bool as_planned = !OneIn(4);
  for (size_t i = 0; i < units->size(); ++i) {
    for (size_t m = 0; m < (*units)[i].members.size(); ++m) {
      Member& member = (*units)[i].members[m];
      if (as_planned && plan.units[i].fits) member.reserved = plan.units[i].nodes[m];
      const auto any = [&] {
        return absl::StrCat("n", Between(0, static_cast<int>(of.nodes.size()) - 1));
      };
      if (!as_planned && OneIn(3)) member.reserved = any();
      if (OneIn(8)) member.refused.push_back(any());
    }
  }
}

GainsCase AnyCaseWithRunning() {
  GainsCase made;
  made.base = plan::AnyCase(4, OneIn(2) ? 1 : 4, 4);
  if (made.base.nodes.empty()) made.base.nodes.push_back({{1, 1}, 0, 0});
  // Mostly full, as where pods are to be evicted.
  if (OneIn(2)) {
    for (auto& node : made.base.nodes) node.free = {Between(0, 1), Between(0, 2)};
  }
  const int running = Between(1, 6);
  for (int i = 0; i < running; ++i) {
    const int node = Between(0, static_cast<int>(made.base.nodes.size()) - 1);
    made.running.emplace_back(AnyRunning(static_cast<size_t>(i)), absl::StrCat("n", node));
  }
  made.units = UnitsOf(made.base);
  const int singles = Between(1, 8);
  for (int i = 0; i < singles; ++i) made.units.push_back(AnySingle(static_cast<size_t>(i)));
  std::stable_sort(made.units.begin(), made.units.end(),
                   [](const Unit& a, const Unit& b) { return a.rank < b.rank; });
  World world;
  BuildWithout(made, {}, &world);
  const auto any_unit = [&] {
    return made.units[static_cast<size_t>(Between(0, static_cast<int>(made.units.size()) - 1))];
  };
  if (OneIn(4)) made.options.reserve_for = any_unit().key;
  const Plan plan = world.PlanFresh(made.units, made.options);
  made.options.kept = plan.kept;
  Reserve(plan, made.base, &made.units);
  if (!OneIn(4)) return made;
  const Unit promised = any_unit();
  made.options.promise = Promise{promised.key, {}};
  for (const Member& member : promised.members) {
    made.options.promise->nodes[member.pod->uid] = made.running[0].second;
  }
  return made;
}

std::vector<Eviction> EvictionsOf(const GainsCase& of) {
  std::map<std::string, Eviction> by_node;
  for (const auto& [pod, on] : of.running) {
    if (OneIn(3)) continue;
    by_node[on].node = on;
    by_node[on].pod_uids.push_back(pod.uid);
  }
  std::vector<Eviction> evictions;
  for (auto& [node, eviction] : by_node) evictions.push_back(std::move(eviction));
  return evictions;
}

Plan PlanWithout(const GainsCase& of, const Eviction& eviction) {
  World world;
  BuildWithout(of, eviction.pod_uids, &world);
  std::vector<Unit> units = of.units;
  for (Unit& unit : units) {
    for (Member& member : unit.members) std::erase(member.refused, eviction.node);
  }
  return world.PlanFresh(units, of.options);
}

RC_GTEST_PROP(Gains, AreThoseOfAPlanWithoutThePods, ()) {
  const GainsCase of = AnyCaseWithRunning();
  const std::vector<Eviction> evictions = EvictionsOf(of);
  World world;
  BuildWithout(of, {}, &world);
  Planner planner;
  std::vector<Plan> plans;
  for (const Eviction& eviction : evictions) plans.push_back(PlanWithout(of, eviction));
  for (size_t i = 0; i < of.units.size(); ++i) {
    for (size_t m = 0; m < of.units[i].members.size(); ++m) {
      const EvictionGains gains =
          planner.FindGains(world.Take(), of.units, i, m, evictions, of.options);
      for (size_t e = 0; e < evictions.size(); ++e) {
        const UnitPlan& plan = plans[e].units[i];
        RC_LOG() << TextOf(of.base) << "unit " << i << " member " << m << " on "
                 << evictions[e].node << ": " << TextOf(plan) << "\n";
        RC_ASSERT(gains.gives[e] == (plan.fits && plan.nodes[m] == evictions[e].node));
      }
    }
  }
}

/// Two nodes of 4 cpu, each with a pod "on-nK" that takes all of it.
class GainsTest : public ::testing::Test {
 protected:
  GainsTest() {
    for (const char* node : {"n1", "n2"}) {
      world_.AddNode(MakeNode(node).Allocatable("cpu", "4"));
      world_.Bind(MakePod(absl::StrCat("on-", node)).Requests({{"cpu", "4"}}), node);
    }
  }
  void AddSingle(const std::string& name, const std::string& cpu) {
    MakeUnit unit(name);
    unit.Members(1, cpu).unit().key.dialect = Dialect::kNone;
    units_.push_back(unit);
  }
  std::vector<bool> GivesToLast(const std::vector<Eviction>& evictions) {
    return planner_.FindGains(world_.Take(), units_, units_.size() - 1, 0, evictions).gives;
  }
  static Eviction Of(const std::string& node) { return {node, {"uid-on-" + node}}; }

  World world_;
  Planner planner_;
  std::vector<Unit> units_;  // in order
};

TEST_F(GainsTest, TheRoomIsForWhoComesFirst) {
  AddSingle("first", "4");
  AddSingle("second", "4");
  EXPECT_THAT(GivesToLast({Of("n1"), Of("n2")}), ElementsAre(false, false));
  EXPECT_TRUE(planner_.FindGains(world_.Take(), units_, 0, 0, {{Of("n1")}}).gives[0]);
}

TEST_F(GainsTest, WhatWhoComesFirstLeavesIsTheNextOnes) {
  AddSingle("first", "3");
  AddSingle("huge", "9");
  AddSingle("second", "1");
  EXPECT_THAT(GivesToLast({Of("n1")}), ElementsAre(true));
}

// An earlier pod has a place already: it needs none of what comes free.
TEST_F(GainsTest, AnEarlierPodWithAPlaceNeedsNoOther) {
  world_.AddNode(MakeNode("n3").Allocatable("cpu", "4"));
  AddSingle("first", "4");
  AddSingle("second", "4");
  units_[0].members[0].reserved = "n3";
  EXPECT_THAT(GivesToLast({Of("n1")}), ElementsAre(true));
}

TEST_F(GainsTest, WhatIsNotKnownGivesNothing) {
  AddSingle("only", "4");
  EXPECT_THAT(
      GivesToLast(
          {Of("n1"), {"n1", {"uid-on-n2"}}, {"n1", {"uid-on-n1", "uid-none"}}, {"none", {}}}),
      ElementsAre(true, false, false, false));
}

TEST_F(GainsTest, ARefusalEndsWithThePodsOnTheNode) {
  AddSingle("only", "4");
  units_[0].members[0].refused = {"n1"};
  EXPECT_THAT(GivesToLast({Of("n1")}), ElementsAre(true));
}

TEST_F(GainsTest, OfManyAlikeAFewArePlannedAgain) {
  for (int i = 0; i < 1000; ++i) AddSingle(absl::StrCat("alike-", i), "2");
  const EvictionGains second =
      planner_.FindGains(world_.Take(), units_, 1, 0, std::vector{Of("n1")});
  EXPECT_THAT(second.gives, ElementsAre(true));
  const EvictionGains last =
      planner_.FindGains(world_.Take(), units_, 999, 0, std::vector{Of("n1"), Of("n2")});
  EXPECT_THAT(last.gives, ElementsAre(false, false));
  EXPECT_EQ(last.units_planned, 6U);  // two that fit on the node, and the last one; twice
}

/// "n1" has 2 cpu free and a pod "uid-on-n1" of 2, "n2" has 5 free.
class GainsAfterAMoveTest : public GainsTest {
 protected:
  GainsAfterAMoveTest() {
    world_ = World();
    world_.AddNode(MakeNode("n1").Allocatable("cpu", "4").Label("number", "1"));
    world_.AddNode(MakeNode("n2").Allocatable("cpu", "5").Label("number", "2"));
    world_.Bind(MakePod("on-n1").Requests({{"cpu", "2"}}), "n1");
  }
  void AddOnFirstNodeAlone(const std::string& name, const std::string& cpu) {
    Pod pod = MakePod(name).Requests({{"cpu", cpu}});
    pod.node_selector = {{"number", "1"}};
    MakeUnit unit(name);
    unit.AddMember(pod);
    units_.push_back(unit);
  }
};

// A gang loses a place on the node to a pod before it, and so all others: a pod that had no use for
// the node takes one of them, and the last one the rest of the node.
TEST_F(GainsAfterAMoveTest, WhatAGangLosesIsForOthers) {
  AddOnFirstNodeAlone("taller", "3");
  units_.push_back(MakeUnit("gang").Members(1, "2").Members(1, "5"));
  units_[1].members[0].reserved = "n1";
  units_[1].members[1].reserved = "n2";
  AddSingle("tallest", "5");
  AddSingle("last", "1");
  units_[3].members[0].reserved = "n2";
  EXPECT_THAT(GivesToLast({Of("n1")}), ElementsAre(true));
}

// What the node adds to the sum lets a pod start that goes elsewhere.
TEST_F(GainsAfterAMoveTest, WhoWaitsForASumMayGoElsewhere) {
  units_.push_back(MakeUnit("sum").Members(1, "5").MinResources("cpu", "8"));
  AddSingle("last", "1");
  units_[1].members[0].reserved = "n2";
  EXPECT_THAT(GivesToLast({Of("n1")}), ElementsAre(true));
}

// What was promised to a pod that fits now is free.
TEST_F(GainsAfterAMoveTest, WhatWasPromisedIsForOthers) {
  AddOnFirstNodeAlone("promised", "3");
  AddSingle("tallest", "5");
  AddSingle("last", "1");
  PlanOptions options;
  options.promise = Promise{units_[0].key, {{units_[0].members[0].pod->uid, "n2"}}};
  units_[2].members[0].reserved = "n2";
  EXPECT_THAT(planner_.FindGains(world_.Take(), units_, 2, 0, {{Of("n1")}}, options).gives,
              ElementsAre(true));
}

TEST_F(GainsTest, WhoIsNotTriedInTimeGetsNothing) {
  AddSingle("only", "4");
  int left = 2;  // for the plan of what is there, and one more
  const auto gains = planner_.FindGains(world_.Take(), units_, 0, 0, {{Of("n1"), Of("n2")}}, {},
                                        [&] { return left-- > 0; });
  EXPECT_THAT(gains.gives, ElementsAre(true, false));
}

// Each call makes several plans of the same pods.
TEST_F(GainsTest, PodsThatHaveGoneAreForgottenAfterTheNextCall) {
  std::vector<std::weak_ptr<const Pod>> asked;
  const auto take_others = [&] {
    units_.clear();
    // A shape may keep the first pod that has it.
    for (const char* name : {"first", "second"}) {
      AddSingle(absl::StrCat(name, asked.size()), "4");
    }
    asked.push_back(units_[1].members[0].pod);
  };
  const auto kept = [&] {
    return std::count_if(asked.begin(), asked.end(),
                         [](const auto& pod) { return !pod.expired(); });
  };
  for (int call = 0; call < 3; ++call) {
    take_others();
    const std::vector<Eviction> evictions = {Of("n1"), Of("n2")};
    EXPECT_THAT(planner_.FindGains(world_.Take(), units_, 0, 0, evictions).gives,
                ElementsAre(true, true));
  }
  EXPECT_EQ(kept(), 1);
  for (int call = 0; call < 3; ++call) {
    take_others();
    EXPECT_EQ(planner_.Explain(world_.Take(), units_, 1).nodes.size(), 2U);
  }
  EXPECT_EQ(kept(), 1);
  for (int call = 0; call < 3; ++call) {
    take_others();
    planner_.Run(world_.Take(), units_);
  }
  EXPECT_EQ(kept(), 1);
}

}  // namespace
}  // namespace outrigger::plan
