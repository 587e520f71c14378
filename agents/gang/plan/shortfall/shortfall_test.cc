#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gang/plan/planner_testing.h"

namespace outrigger::plan {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;

constexpr TaintEffect kNoSchedule = TaintEffect::kNoSchedule;

TEST(Shortfall, NamesTheNodesThatWouldDo) {
  World world;
  world.AddNodes("n", 13, "16");
  EXPECT_EQ(world.Explain({MakeUnit("train").Members(30, "8")}, 0).text,
            "30 members need cpu 8 each, 26 fit; 4 more nodes with cpu 8 free would do");
}

TEST(Shortfall, NamesTheTaintThatTurnsMembersAwayFromNodesWithRoom) {
  World world;
  world.AddNode(MakeNode("a").Allocatable("cpu", "2"));
  world.AddNode(MakeNode("full").Allocatable("cpu", "1").AddTaint("full", "", kNoSchedule));
  world.AddNode(MakeNode("b").Allocatable("cpu", "8").AddTaint("gpu", "a100", kNoSchedule));
  world.AddNode(MakeNode("c").Allocatable("cpu", "8").AddTaint("gpu", "a100", kNoSchedule));
  world.AddNode(MakeNode("d").Allocatable("cpu", "8").Unschedulable());
  EXPECT_EQ(
      world.Explain({MakeUnit("train").Members(2, "2")}, 0).text,
      "2 members need cpu 2 each, 1 fits; 1 more node with cpu 2 free would do; not "
      "counted: 2 nodes with room, with taint gpu=a100:NoSchedule, which no toleration covers");
}

TEST(Shortfall, NamesTheCordonOfNodesWithRoom) {
  World world;
  world.AddNode(MakeNode("e").Allocatable("cpu", "1").Unschedulable());
  world.AddNode(MakeNode("d").Allocatable("cpu", "8").Unschedulable());
  EXPECT_EQ(world.Explain({MakeUnit("train").Members(1, "2")}, 0).text,
            "1 pod needs cpu 2, 0 fit; 1 more node with cpu 2 free would do; not counted: 1 node "
            "with room, cordoned");
}

TEST(Shortfall, OfAUnitThatFitsIsNothing) {
  World world;
  world.AddNodes("n", 1, "4");
  const Shortfall shortfall = world.Explain({MakeUnit("a").Members(1, "4")}, 0);
  EXPECT_EQ(shortfall.cause.kind, Cause::Class::kNone);
  EXPECT_EQ(shortfall.text, "");
}

TEST(Shortfall, SaysHowManyMembersExist) {
  World world;
  const Shortfall shortfall =
      world.Explain({MakeUnit("a").Members(10, "1").Minimum(16).Bound(2)}, 0);
  EXPECT_EQ(shortfall.text, "12 of 16 members exist");
  EXPECT_EQ(shortfall.members, 4);
}

TEST(Shortfall, NamesTheBestDomain) {
  World world;
  for (const auto& [name, rack] :
       {std::pair{"a1", "r1"}, {"a2", "r1"}, {"b1", "r7"}, {"b2", "r7"}, {"b3", "r7"}}) {
    world.AddNode(MakeNode(name).Allocatable("cpu", "2").Label("rack", rack));
  }
  EXPECT_EQ(world.Explain({MakeUnit("a").Members(5, "2").Required({"rack"})}, 0).text,
            "5 members need cpu 2 each, 3 fit in rack r7; 2 more nodes in rack r7 with cpu 2 free "
            "would do");
}

TEST(Shortfall, NamesTheDomainWhereMembersAreBoundThoughAnotherHasMoreRoom) {
  World world;
  world.AddNode(MakeNode("a1").Allocatable("cpu", "2").Label("rack", "r1"));
  world.AddNode(MakeNode("b1").Allocatable("cpu", "4").Label("rack", "r7"));
  Unit unit = MakeUnit("a").Members(2, "2").Required({"rack"}).Minimum(4).Bound(2, {"a1"});
  world.Bind(MakePod("bound").Requests({{"cpu", "2"}}), "a1");
  EXPECT_EQ(world.Explain({unit}, 0).text,
            "4 members need cpu 2 each, 2 fit in rack r1; 2 more nodes in rack r1 with cpu 2 free "
            "would do");
}

TEST(Shortfall, CountsWhatUnitsBeforeItWouldTake) {
  // With one or two nodes more the first gang still waits, and the second would be glad of one.
  World world;
  world.AddNodes("n", 1, "2");
  const std::vector<Unit> units = {MakeUnit("a").Members(2, "2"), MakeUnit("b").Members(1, "2")};
  EXPECT_EQ(TextOf(world.PlanFresh(units).units[1]), "n01");
  const std::vector<Unit> both = {MakeUnit("a").Members(2, "2"), MakeUnit("b").Members(3, "1")};
  // One more node with cpu 1 would go to b; its room is not what a waits for.
  EXPECT_EQ(world.Explain(both, 1).text,
            "3 members need cpu 1 each, 2 fit; 1 more node with cpu 1 free would do");
}

// n01 is free, n02 is being freed: neither is one of the nodes that are short for it.
TEST(Shortfall, CountsWhatIsKeptForTheUnit) {
  World world;
  world.AddNodes("n", 2, "2");
  world.Bind(MakePod("going").Requests({{"cpu", "2"}}), "n02");
  const std::vector<Unit> units = {MakeUnit("a").Members(2, "2")};
  const char* const text =
      "2 members need cpu 2 each, 1 fits; 1 more node with cpu 2 free would do";
  PlanOptions promised;
  promised.promise = Promise{
      units[0].key, {{units[0].members[0].pod->uid, "n01"}, {units[0].members[1].pod->uid, "n02"}}};
  EXPECT_EQ(world.Explain(units, 0, promised).text, text);
  PlanOptions reserved;
  reserved.reserve_for = units[0].key;
  EXPECT_EQ(world.Explain(units, 0, reserved).text, text);
}

TEST(Shortfall, NamesALabelThatNoNodeHas) {
  World world;
  world.AddNodes("n", 1, "4");
  Pod pod = MakePod("p").Requests({{"cpu", "1"}, {"nvidia.com/gpu", "2"}});
  pod.node_selector.Set("gpu", "a100");
  MakeUnit unit("a");
  unit.AddMember(pod);
  EXPECT_EQ(world.Explain({unit}, 0).text,
            "1 pod needs cpu 1, nvidia.com/gpu 2, 0 fit; 1 more node with cpu 1, nvidia.com/gpu 2 "
            "free and label gpu=a100 would do");
}

TEST(Shortfall, OfUnlikeMembersNamesEachKindOfNode) {
  World world;
  world.AddNodes("n", 1, "4");
  EXPECT_EQ(world.Explain({MakeUnit("a").Members(1, "16").Members(3, "4")}, 0).text,
            "4 members need a place, 1 fits; 1 more node with cpu 16 free and 2 more nodes with "
            "cpu 4 free would do");
}

// Two zones of a node each, which have room left.
World TwoZones() {
  World world;
  world.AddNode(MakeNode("a").Label("zone", "a").Allocatable("cpu", "9"));
  world.AddNode(MakeNode("b").Label("zone", "b").Allocatable("cpu", "9"));
  return world;
}

Unit Members(int count, const Pod& pod) {
  MakeUnit unit("train");
  for (int i = 0; i < count; ++i) unit.AddMember(pod);
  return unit;
}

TEST(Shortfall, NamesTheZoneInWhichRoomIsShortForASpread) {
  World world = TwoZones();
  world.Bind(MakePod("old").Requests({{"cpu", "7"}}), "b");
  const MakePod pod =
      MakePod("m").Label("app", "x").Requests({{"cpu", "2"}}).Spread(1, "zone", "app", "x");
  const std::vector<Unit> units = {Members(5, pod)};
  EXPECT_EQ(
      world.Explain(units, 0).text,
      "5 members need cpu 2 each, 3 fit; 1 more node with cpu 2 free and label zone=b would do");
}

TEST(Shortfall, NamesANewZoneForMembersThatKeepApart) {
  World world = TwoZones();
  const MakePod pod =
      MakePod("m").Label("app", "x").Requests({{"cpu", "2"}}).RequireApart("zone", "app", "x");
  const std::vector<Unit> units = {Members(3, pod)};
  EXPECT_EQ(world.Explain(units, 0).text,
            "3 members need cpu 2 each, 2 fit; 1 more node with cpu 2 free and label zone=(a new "
            "one) would "
            "do");
}

TEST(Shortfall, NamesTheZoneOfThePodsThatMembersWantToBeNear) {
  World world = TwoZones();
  world.Bind(MakePod("db").Label("app", "db").Requests({{"cpu", "8"}}), "b");
  const MakePod pod = MakePod("m").Requests({{"cpu", "1"}}).RequireNear("zone", "app", "db");
  const std::vector<Unit> units = {Members(3, pod)};
  EXPECT_EQ(
      world.Explain(units, 0).text,
      "3 members need cpu 1 each, 1 fits; 2 more nodes with cpu 1 free and label zone=b would "
      "do");
}

TEST(Shortfall, TriesZonesAndNotHostsHoweverManyThereAre) {
  World world;
  for (char host = 'a'; host < 'o'; ++host) {
    const std::string name(1, host);
    world.AddNode(MakeNode(name)
                      .Label("zone", host < 'n' ? "far" : "near")
                      .Label("kubernetes.io/hostname", name)
                      .Allocatable("cpu", "1"));
  }
  world.Bind(MakePod("db").Label("app", "db").Requests({{"cpu", "1"}}), "n");
  const Pod pod = MakePod("m")
                      .Label("app", "x")
                      .Requests({{"cpu", "1"}})
                      .RequireApart("kubernetes.io/hostname", "app", "x")
                      .RequireNear("zone", "app", "db");
  const std::vector<Unit> units = {Members(2, pod)};
  EXPECT_EQ(world.Explain(units, 0).text,
            "2 members need cpu 1 each, 0 fit; 2 more nodes with cpu 1 free and label zone=near "
            "would do");
}

TEST(Shortfall, NamesNodesForHostPorts) {
  World world;
  world.AddNodes("n", 2, "9");
  const MakePod pod = MakePod("m").Requests({{"cpu", "1"}}).AddHostPort(80);
  const std::vector<Unit> units = {Members(3, pod)};
  EXPECT_EQ(world.Explain(units, 0).text,
            "3 members need cpu 1 each, 2 fit; 1 more node with cpu 1 free would do");
}

// A pod that looks at others in one of five ways.
Pod Neighbourly(int way, int cpu) {
  MakePod pod("m");
  pod.Label("app", "x").Requests({{"cpu", std::to_string(cpu)}});
  switch (way) {
    case 0:
      return pod.Spread(1, "zone", "app", "x");
    case 1:
      return pod.RequireApart("zone", "app", "x");
    case 2:
      return pod.RequireApart("kubernetes.io/hostname", "app", "x");
    case 3:
      return pod.RequireNear("zone", "app", "x");
    default:
      return pod.AddHostPort(80);
  }
}

// Where it names nodes the unit fits with them, and not with one less.
RC_GTEST_PROP(EveryShortfallAmongNeighbours, IsTrueWhereItNamesNodes, ()) {
  const auto number = [](int from, int to) { return *rc::gen::inRange(from, to + 1); };
  std::vector<std::pair<int, int>> nodes(static_cast<size_t>(number(1, 4)));  // zone and cpu
  for (auto& [zone, cpu] : nodes) {
    zone = number(0, 2);
    cpu = number(1, 4);
  }
  const Pod pod = Neighbourly(number(0, 4), number(1, 2));
  const bool has_old = number(0, 1) == 1;
  const std::vector<Unit> units = {Members(number(2, 4), pod)};
  const auto build = [&](World* world, const std::vector<Node>& more, size_t less) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      world->AddNode(MakeNode(name)
                         .Allocatable("cpu", std::to_string(nodes[i].second))
                         .Label("zone", std::to_string(nodes[i].first))
                         .Label("kubernetes.io/hostname", name));
    }
    if (has_old) world->Bind(MakePod("old").Label("app", "x"), "n0");
    for (size_t i = 0; i < more.size(); ++i) {
      if (i != less) world->AddNode(more[i]);
    }
  };
  World world;
  build(&world, {}, 0);
  RC_PRE(!world.PlanFresh(units).units[0].fits);
  const Shortfall shortfall = world.Explain(units, 0);
  RC_LOG() << shortfall.text << "\n";
  RC_TAG(shortfall.nodes.empty() ? "names none" : "names nodes");
  for (size_t less = 0; less <= shortfall.nodes.size(); ++less) {
    World helped;
    build(&helped, shortfall.nodes, less);
    const bool all = less == shortfall.nodes.size() && !shortfall.nodes.empty();
    RC_ASSERT(helped.PlanFresh(units).units[0].fits == all);
  }
}

TEST(Shortfall, NamesNoNodeWhereNoneWouldDo) {
  World world = TwoZones();
  world.Bind(MakePod("db").Label("app", "db").Requests({{"cpu", "8"}}), "b");
  const MakePod pod =
      MakePod("m").Requests({{"cpu", "1"}}).RequireNear("kubernetes.io/hostname", "app", "db");
  const std::vector<Unit> units = {Members(3, pod)};
  EXPECT_EQ(world.Explain(units, 0).text,
            "3 members need cpu 1 each, 0 fit; missing: pod affinity");
}

TEST(Shortfall, SaysWhoseLostPlaceItIs) {
  World world;
  world.AddNodes("n", 1, "4");
  Unit unit = MakeUnit("a").Members(2, "1");
  unit.members[0].waits_on = "gone";
  const Shortfall shortfall = world.Explain({unit}, 0);
  EXPECT_EQ(shortfall.cause.kind, Cause::Class::kWaiter);
  EXPECT_TRUE(shortfall.nodes.empty());
}

}  // namespace
}  // namespace outrigger::plan
