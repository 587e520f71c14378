#include "pairs_testing.h"

// Rows in substance from upstream's tests of PodTopologySpread.

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

class TopologySpread : public ::testing::TestWithParam<PairsRow> {};

TEST_P(TopologySpread, IsJudgedAsUpstream) {
  ExpectAnswers(GetParam());
}

MakeNode InZone(std::string_view name, std::string_view zone) {
  return MakeNode(name).Label("zone", zone).Label("host", name);
}

// Four nodes, two in each of two zones.
std::vector<Node> Zones() {
  return {InZone("a", "1"), InZone("b", "1"), InZone("x", "2"), InZone("y", "2")};
}

MakePod Foo() {
  return MakePod().Label("foo", "");
}

// Foo in the slots.
std::vector<std::pair<size_t, Pod>> FooIn(std::initializer_list<size_t> slots) {
  std::vector<std::pair<size_t, Pod>> there;
  for (const size_t slot : slots) there.emplace_back(slot, Foo());
  return there;
}

// A pod with one constraint over Foo, as changed.
template <typename Change>
Pod Over(std::string_view key, Change change, int32_t max_skew = 1) {
  Pod pod = Foo().Spread(max_skew, key, "foo", "");
  change(&pod.topology_spread[0]);
  return pod;
}

std::vector<PairsRow> OneConstraint() {
  const Pod by_zone = Foo().Spread(1, "zone", "foo", "");
  const Pod by_host = Foo().Spread(1, "host", "foo", "");
  const Pod stranger = MakePod().Spread(1, "zone", "foo", "");
  Pod leaving = Foo();
  leaving.being_deleted = true;
  using Constraint = TopologySpreadConstraint;
  return {
      {"NoPods", Zones(), {}, by_zone, {kOk, kOk, kOk, kOk}},
      {"BothZonesAlike", Zones(), FooIn({0, 1, 2, 3}), by_zone, {kOk, kOk, kOk, kOk}},
      {"TheFullerZoneIsUneven", Zones(), FooIn({0, 1, 2}), by_zone, {kUneven, kUneven, kOk, kOk}},
      {"ByHost", Zones(), FooIn({0, 0, 1, 3}), by_host, {kUneven, kUneven, kOk, kUneven}},
      {"LargerSkew",
       Zones(),
       FooIn({0, 1, 2}),
       Foo().Spread(2, "zone", "foo", ""),
       {kOk, kOk, kOk, kOk}},
      {"ItselfDoesNotCountUnlessSelected",
       Zones(),
       FooIn({0, 1, 2}),
       stranger,
       {kOk, kOk, kOk, kOk}},
      {"NodesWithoutTheKeyAreRefusedAndNoDomain",
       {InZone("a", "1"), InZone("b", "2"), MakeNode("bare")},
       FooIn({0, 1, 2}),
       by_zone,
       {kOk, kOk, kUneven}},
      {"OtherNamespacesDoNotCount",
       Zones(),
       {{0, MakePod().Namespace("other").Label("foo", "")}},
       by_zone,
       {kOk, kOk, kOk, kOk}},
      {"PodsThatAreBeingDeletedDoNotCount",
       Zones(),
       {{0, leaving}, {1, leaving}},
       by_zone,
       {kOk, kOk, kOk, kOk}},
      {"SoftConstraintsAreNotAsked",
       Zones(),
       FooIn({0, 1, 0}),
       Over("zone", [](Constraint* c) { c->hard = false; }),
       {kOk, kOk, kOk, kOk}},
      {"AbsentSelectorCountsNobody",
       Zones(),
       FooIn({0, 1, 0}),
       Over("zone", [](Constraint* c) { c->label_selector.reset(); }),
       {kOk, kOk, kOk, kOk}},
      {"EmptySelectorCountsNobodyButThePod",
       Zones(),
       FooIn({0, 1, 0}),
       Over("zone", [](Constraint* c) { c->label_selector.emplace(); }),
       {kOk, kOk, kOk, kOk}},
      {"FewerDomainsThanAsked",
       Zones(),
       FooIn({0, 2}),
       Over("zone", [](Constraint* c) { c->min_domains = 3; }),
       {kUneven, kUneven, kUneven, kUneven}},
      {"AsManyDomainsAsAsked",
       Zones(),
       FooIn({0, 2}),
       Over("zone", [](Constraint* c) { c->min_domains = 2; }),
       {kOk, kOk, kOk, kOk}},
  };
}
INSTANTIATE_TEST_SUITE_P(One, TopologySpread, ::testing::ValuesIn(OneConstraint()), NameOf);

std::vector<PairsRow> SeveralConstraints() {
  const Pod both = Foo().Spread(1, "zone", "foo", "").Spread(1, "host", "foo", "");
  const Pod differing =
      Foo().Label("bar", "").Spread(1, "zone", "foo", "").Spread(1, "host", "bar", "");
  const Pod bar = MakePod().Label("bar", "");
  return {
      {"BothMustHold", Zones(), FooIn({0, 2}), both, {kUneven, kOk, kUneven, kOk}},
      {"NoNodeForBoth",
       Zones(),
       FooIn({0, 0, 0, 2, 3}),
       both,
       {kUneven, kUneven, kUneven, kUneven}},
      {"OverDifferentPods",
       Zones(),
       {{0, Foo()}, {2, bar}},
       differing,
       {kUneven, kUneven, kUneven, kOk}},
      {"NodesWithoutOneOfTheKeysDoNotCountForTheOther",
       {InZone("a", "1"), InZone("b", "2"), MakeNode("no-host").Label("zone", "1")},
       FooIn({2, 2}),
       both,
       {kOk, kOk, kUneven}},
      {"NodesWithoutOneOfTheKeysAreNoDomainForTheOther",
       {InZone("a", "1"), MakeNode("no-host").Label("zone", "2")},
       FooIn({0, 0}),
       Foo().Spread(1, "zone", "foo", "").Spread(9, "host", "foo", ""),
       {kOk, kUneven}},
  };
}
INSTANTIATE_TEST_SUITE_P(Several, TopologySpread, ::testing::ValuesIn(SeveralConstraints()),
                         NameOf);

Pod OnPool(Pod pod) {
  pod.node_selector.Set("pool", "p");
  return pod;
}

std::vector<PairsRow> Policies() {
  using Constraint = TopologySpreadConstraint;
  const auto keep = [](Constraint*) {};
  const auto ignore_affinity = [](Constraint* c) { c->honor_affinity = false; };
  const auto honor_taints = [](Constraint* c) { c->honor_taints = true; };
  const std::vector<Node> pools = {InZone("a", "1").Label("pool", "p"),
                                   InZone("b", "2").Label("pool", "p"), InZone("c", "3")};
  const std::vector<Node> tainted = {
      InZone("a", "1"), InZone("b", "2"),
      InZone("c", "3").AddTaint("t", "", TaintEffect::kNoSchedule),
      InZone("d", "2").AddTaint("t", "", TaintEffect::kPreferNoSchedule)};
  Pod tolerant = Over("zone", honor_taints);
  tolerant.tolerations = {{"t", "", true, {}}};
  Pod required = Over("zone", keep);
  required.affinity.required_node.emplace().terms = {
      {{{"pool", SelectorOperator::kExists, {}}}, {}}};
  return {
      {"OnlyNodesOfTheSelectorAreDomains",
       pools,
       FooIn({0, 1}),
       OnPool(Over("zone", keep)),
       {kOk, kOk, kOk}},
      {"OnlyNodesOfTheRequiredAffinityAreDomains", pools, FooIn({0, 1}), required, {kOk, kOk, kOk}},
      {"EveryNodeIsADomainIfAffinityIsIgnored",
       pools,
       FooIn({0, 1}),
       OnPool(Over("zone", ignore_affinity)),
       {kUneven, kUneven, kOk}},
      {"PodsOnOtherNodesDoNotCount",
       pools,
       FooIn({0, 1, 2, 2}),
       OnPool(Over("zone", keep)),
       {kOk, kOk, kOk}},
      {"TaintedNodesAreDomains",
       tainted,
       FooIn({0, 1}),
       Over("zone", keep),
       {kUneven, kUneven, kOk, kUneven}},
      {"TaintedNodesAreNoneIfTaintsAreHonoured",
       tainted,
       FooIn({0, 1}),
       Over("zone", honor_taints),
       {kOk, kOk, kOk, kOk}},
      {"ToleratedOnesAreDomainsIfTaintsAreHonoured",
       tainted,
       FooIn({0, 1}),
       tolerant,
       {kUneven, kUneven, kOk, kUneven}},
  };
}
INSTANTIATE_TEST_SUITE_P(Policies, TopologySpread, ::testing::ValuesIn(Policies()), NameOf);

std::vector<PairsRow> LabelKeys() {
  const auto keys = [](TopologySpreadConstraint* c) { c->match_label_keys = {"hash", "none"}; };
  const auto revision = [](Pod pod, std::string_view hash) {
    pod.labels.Set("hash", hash);
    return pod;
  };
  const auto no_selector = [keys](TopologySpreadConstraint* c) {
    keys(c);
    c->label_selector.reset();
  };
  const auto empty_selector = [keys](TopologySpreadConstraint* c) {
    keys(c);
    c->label_selector.emplace();
  };
  const std::vector<std::pair<size_t, Pod>> there = {
      {0, revision(Foo(), "1")}, {2, revision(Foo(), "1")}, {2, revision(Foo(), "2")}};
  return {
      {"PodsOfTheSameValueCount",
       Zones(),
       there,
       revision(Over("zone", keys), "2"),
       {kOk, kOk, kUneven, kUneven}},
      {"PodsOfAnotherValueDoNot",
       Zones(),
       there,
       revision(Over("zone", keys), "1"),
       {kOk, kOk, kOk, kOk}},
      {"AKeyThatThePodLacksIsNotAsked",
       Zones(),
       there,
       Over("zone", keys),
       {kOk, kOk, kUneven, kUneven}},
      {"WithoutASelectorNobodyCounts",
       Zones(),
       there,
       revision(Over("zone", no_selector), "2"),
       {kOk, kOk, kOk, kOk}},
      {"WithAnEmptySelectorTheyAreAll",
       Zones(),
       there,
       revision(Over("zone", empty_selector), "2"),
       {kOk, kOk, kUneven, kUneven}},
  };
}
INSTANTIATE_TEST_SUITE_P(LabelKeys, TopologySpread, ::testing::ValuesIn(LabelKeys()), NameOf);

}  // namespace
}  // namespace outrigger::plan
