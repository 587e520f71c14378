#include "gang/plan/claims.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner_testing.h"

// Members whose volumes or devices may be used on some nodes only.

namespace outrigger::plan {
namespace {

using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using ::testing::SizeIs;

NodeSelector On(const std::string& node) {
  NodeSelector selector;
  selector.terms.emplace_back().match_fields.push_back(
      {"metadata.name", SelectorOperator::kIn, {node}});
  return selector;
}

Pod Claiming(const std::string& name, std::vector<std::string> volumes,
             std::vector<std::string> devices = {}, std::string_view cpu = "1") {
  Pod pod = MakePod(name).Requests({{"cpu", cpu}});
  pod.claims = std::move(volumes);
  pod.resource_claims = std::move(devices);
  return pod;
}

// A gang of two, of which the second has a volume on `node`.
Unit GangWithAVolumeOn(const std::string& node) {
  ClaimTable claims;
  claims.volumes[{"default", "data"}].nodes = {On(node)};
  Unit unit = MakeUnit("train").AddMember(Claiming("a", {})).AddMember(Claiming("b", {"data"}));
  PinToClaims(claims, {&unit, 1});
  return unit;
}

TEST(Claims, PinMembersWithWhatEachAsks) {
  ClaimTable claims;
  claims.volumes[{"default", "data"}].nodes = {On("n1")};
  claims.volumes[{"other", "logs"}].nodes = {On("n2")};
  claims.devices[{"default", "gpu"}].nodes = {On("n3")};
  Unit unit = MakeUnit("train")
                  .AddMember(Claiming("none", {}))
                  .AddMember(Claiming("both", {"data", "logs"}, {"gpu"}))
                  .AddMember(Claiming("device", {}, {"gpu", "unknown"}));
  PinToClaims(claims, {&unit, 1});
  EXPECT_THAT(unit.members[0].pinned, IsEmpty());
  EXPECT_THAT(unit.members[1].pinned, SizeIs(2)) << "the claim of another namespace is another one";
  EXPECT_THAT(unit.members[2].pinned, SizeIs(1));
  EXPECT_FALSE(unit.has_open_claims);
}

TEST(Claims, ThatAreOpenAreKnownOfTheUnit) {
  for (const bool device : {false, true}) {
    ClaimTable claims;
    (device ? claims.devices : claims.volumes)[{"default", "data"}].open = true;
    Unit unit =
        MakeUnit("train").AddMember(device ? Claiming("a", {}, {"data"}) : Claiming("a", {"data"}));
    PinToClaims(claims, {&unit, 1});
    EXPECT_TRUE(unit.has_open_claims) << device;
    EXPECT_THAT(unit.members[0].pinned, IsEmpty());
  }
}

TEST(Claims, AMemberGoesWhereItsVolumeIs) {
  World world;
  world.AddNodes("n", 3, "4");
  for (const char* node : {"n01", "n02", "n03"}) {
    const Plan plan = world.PlanFresh({GangWithAVolumeOn(node)});
    ASSERT_TRUE(plan.units[0].fits) << node;
    EXPECT_EQ(plan.units[0].nodes[1], node);
  }
}

TEST(Claims, OthersLeaveTheOnlyNodeOfAVolumeToItsMember) {
  World world;
  world.AddNodes("n", 2, "1");
  EXPECT_EQ(TextOf(world.PlanFresh({GangWithAVolumeOn("n01")}).units[0]), "n02 n01");
  EXPECT_EQ(TextOf(world.PlanFresh({GangWithAVolumeOn("n02")}).units[0]), "n01 n02");
}

TEST(Claims, AGangWaitsForTheNodeOfAVolume) {
  World world;
  world.AddNodes("n", 3, "4").Bind(MakePod("old").Requests({{"cpu", "4"}}), "n02");
  const std::vector<Unit> units = {GangWithAVolumeOn("n02")};
  EXPECT_EQ(TextOf(world.PlanFresh(units).units[0]), "waits: cpu on nodes of volumes and claims");
  EXPECT_EQ(world.Explain(units, 0).text,
            "2 members need a place, 1 fits; missing: cpu on nodes of volumes and claims");
}

TEST(Claims, NoNewNodeIsNamedForALocalVolume) {
  World world;
  world.AddNode(MakeNode("n1").Label("kubernetes.io/hostname", "n1").Allocatable("cpu", "0"));
  ClaimTable claims;
  claims.volumes[{"default", "data"}].nodes.emplace_back().terms.emplace_back().match_expressions =
      {{"kubernetes.io/hostname", SelectorOperator::kIn, {"n1"}}};
  std::vector<Unit> units = {MakeUnit("train").AddMember(Claiming("a", {"data"}))};
  PinToClaims(claims, units);
  const Shortfall shortfall = world.Explain(units, 0);
  EXPECT_THAT(shortfall.nodes, IsEmpty());
  EXPECT_EQ(shortfall.text,
            "1 pod needs cpu 1, 0 fit; missing: cpu on nodes of volumes and claims");
}

TEST(Claims, AVolumeThatIsBeingMadeHoldsItsMemberButNotThoseThatShareIt) {
  ClaimTable claims;
  claims.volumes[{"default", "own"}] = {.open = true, .nodes = {}, .made_for = "n01"};
  claims.volumes[{"default", "shared"}] = {.open = true, .nodes = {}, .made_for = "n02"};
  World world;
  world.AddNodes("n", 3, "1");
  std::vector<Unit> units = {MakeUnit("train")
                                 .AddMember(Claiming("a", {"own"}))
                                 .AddMember(Claiming("b", {"shared"}))
                                 .AddMember(Claiming("c", {"shared"}))};
  PinToClaims(claims, units);
  EXPECT_TRUE(world.PlanFresh(units).units[0].fits);
  EXPECT_EQ(world.PlanFresh(units).units[0].nodes[0], "n01");
  EXPECT_THAT(units[0].members[0].pinned, SizeIs(1));
  EXPECT_THAT(units[0].members[1].pinned, IsEmpty());
}

TEST(Claims, AGangSaysThatNodesOfVolumesTakeNoPods) {
  World world;
  world.AddNodes("n", 2, "4").AddNode(MakeNode("closed").Unschedulable());
  const std::vector<Unit> units = {GangWithAVolumeOn("closed")};
  EXPECT_EQ(TextOf(world.PlanFresh(units).units[0]), "waits: nodes of volumes and claims");
  EXPECT_EQ(TextOf(world.PlanFresh({GangWithAVolumeOn("gone")}).units[0]),
            "waits: nodes of volumes and claims");
  EXPECT_EQ(world.Explain(units, 0).text,
            "2 members need a place, 1 fits; missing: nodes of volumes and claims; not counted: 1 "
            "node with room, cordoned");
}

TEST(Claims, APlaceIsLeftOnceAVolumeIsElsewhere) {
  World world;
  world.AddNodes("n", 3, "4");
  Planner planner;
  std::vector<Unit> units = {GangWithAVolumeOn("n01")};
  EXPECT_EQ(planner.Run(world.Take(), units).units[0].nodes[1], "n01");
  units = {GangWithAVolumeOn("n03")};
  units[0].members[1].reserved = "n01";
  EXPECT_EQ(planner.Run(world.Take(), units).units[0].nodes[1], "n03");
}

}  // namespace
}  // namespace outrigger::plan
