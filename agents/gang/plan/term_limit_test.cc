#include "gang/plan/terms.h"

#include <algorithm>
#include <functional>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "planner_testing.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TopologySpreadConstraint Spread(const std::string& key) {
  TopologySpreadConstraint constraint;
  constraint.topology_key = key;
  constraint.hard = true;
  constraint.label_selector.emplace().match_labels.Set("app", "a");
  return constraint;
}

PodAffinityTerm Term(const std::string& app) {
  PodAffinityTerm term;
  term.label_selector.emplace().match_labels.Set("app", app);
  term.topology_key = "zone";
  return term;
}

// A gang of one whose terms no other one of another name has: `count` of each of the given kinds.
Unit Unlike(const std::string& name, int spreads, int apart = 0, int near = 0) {
  Pod pod = testing::MakePod(name);
  for (int i = 0; i < spreads; ++i) {
    pod.topology_spread.push_back(Spread(fmt::format("{}-{}", name, i)));
  }
  for (int i = 0; i < apart; ++i) {
    pod.affinity.required_pod_anti.push_back(Term(fmt::format("{}-{}", name, i)));
  }
  for (int i = 0; i < near; ++i) {
    pod.affinity.required_pod.push_back(Term(fmt::format("{}-{}", name, i)));
  }
  return MakeUnit(name).AddMember(pod);
}

std::vector<std::string> NamesOf(const std::vector<Unit>& units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.push_back(unit.key.name);
  return names;
}

class TermLimitTest : public ::testing::Test {
 protected:
  std::vector<std::string> TakeOut(std::vector<Unit> units) {
    std::vector<std::string> out = NamesOf(limit_.TakeOut(&units));
    stay_ = NamesOf(units);
    return out;
  }
  TermLimit limit_;
  std::vector<std::string> stay_;
};

TEST_F(TermLimitTest, ThoseThatComeFirstStay) {
  EXPECT_THAT(TakeOut({Unlike("a", 1000), Unlike("b", 25), Unlike("c", 24), Unlike("d", 1),
                       MakeUnit("plain").Members(3, "1")}),
              ElementsAre("b", "d"));
  EXPECT_THAT(stay_, ElementsAre("a", "c", "plain"));
}

Unit In(const std::string& ns, Unit unit) {
  unit.key.namespace_ = ns;
  return unit;
}

// 16 pods with 64 unlike constraints each, which stay pending, and come before all others.
std::vector<Unit> Flood(const std::string& ns) {
  std::vector<Unit> units;
  for (int i = 0; i < 16; ++i) units.push_back(In(ns, Unlike(fmt::format("{}-{}", ns, i), 64)));
  return units;
}

TEST_F(TermLimitTest, ANamespaceTakesNothingFromTheShareOfAnother) {
  std::vector<Unit> units = Flood("flood");
  for (int i = 0; i < 8; ++i) units.push_back(In("team", Unlike(fmt::format("t{}", i), 64)));
  EXPECT_THAT(TakeOut(units), ElementsAre("flood-8", "flood-9", "flood-10", "flood-11", "flood-12",
                                          "flood-13", "flood-14", "flood-15"));
}

TEST_F(TermLimitTest, NamespacesThatAskForTooMuchHaveTheSame) {
  std::vector<Unit> units = Flood("a");
  for (const Unit& unit : Flood("b")) units.push_back(unit);
  TakeOut(units);
  const auto of_b = [](const std::string& name) { return name.starts_with("b"); };
  EXPECT_EQ(std::count_if(stay_.begin(), stay_.end(), of_b), 8);
  EXPECT_THAT(stay_, SizeIs(16));
}

TEST_F(TermLimitTest, WhatANamespaceDoesNotAskForIsForOthers) {
  std::vector<Unit> units = Flood("flood");
  units.push_back(In("team", Unlike("small", 1)));
  EXPECT_THAT(TakeOut(units), ElementsAre("flood-15"));
}

// Each namespace may have 341, which units of 171 do not fill.
TEST_F(TermLimitTest, WhatNoUnitFillsIsForTheFirstThatItTakes) {
  std::vector<Unit> units;
  for (const std::string ns : {"a", "b", "c"}) {
    for (int i = 0; i < 2; ++i) units.push_back(In(ns, Unlike(fmt::format("{}{}", ns, i), 171)));
  }
  EXPECT_THAT(TakeOut(units), ElementsAre("c1"));
}

TEST_F(TermLimitTest, UnitsThatHaveBegunComeFirst) {
  Unit bound = Unlike("bound", 600);
  bound.bound = 1;
  EXPECT_THAT(TakeOut({Unlike("first", 600), bound}), ElementsAre("first"));
  Unit waits = Unlike("waits", 600);
  waits.members[0].waits_on = "n";
  EXPECT_THAT(TakeOut({Unlike("first", 600), waits}), ElementsAre("first"));
  EXPECT_THAT(stay_, ElementsAre("waits"));
}

// A member with spec.nodeName is enough to have begun.
TEST_F(TermLimitTest, HavingBegunTakesNothingFromTheShareOfAnotherNamespace) {
  std::vector<Unit> units = Flood("flood");
  for (Unit& unit : units) unit.bound = 1;
  units.push_back(In("team", Unlike("gang", 64)));
  EXPECT_THAT(TakeOut(units), ElementsAre("flood-15"));
}

TEST_F(TermLimitTest, IsOfOneRound) {
  EXPECT_THAT(TakeOut({Unlike("a", 1024), Unlike("b", 1)}), ElementsAre("b"));
  EXPECT_THAT(TakeOut({Unlike("b", 1), Unlike("a", 1023)}), IsEmpty());
}

TEST_F(TermLimitTest, CountsAllKindsOfTerms) {
  EXPECT_THAT(
      TakeOut({Unlike("a", 500, 500, 24), Unlike("s", 1), Unlike("f", 0, 1), Unlike("n", 0, 0, 1)}),
      ElementsAre("s", "f", "n"));
}

TEST_F(TermLimitTest, SoftConstraintsAreNotCounted) {
  Pod pod = testing::MakePod("soft");
  pod.topology_spread.assign(2000, Spread("zone"));
  for (size_t i = 0; i < 2000; ++i) {
    pod.topology_spread[i].topology_key = fmt::format("k{}", i);
    pod.topology_spread[i].hard = false;
  }
  EXPECT_THAT(TakeOut({MakeUnit("soft").AddMember(pod)}), IsEmpty());
}

// What a second pod may differ in, and whether its terms are others then.
struct OtherRow {
  const char* name;
  std::function<void(Pod*)> change;
  bool differs = true;
};

TEST_F(TermLimitTest, TermsThatPodsShareCountOnce) {
  const OtherRow rows[] = {
      {"nothing", [](Pod*) {}, false},
      {"labels", [](Pod* pod) { pod->labels.Set("index", "2"); }, false},
      {"max_skew", [](Pod* pod) { pod->topology_spread[0].max_skew = 7; }, false},
      {"namespace", [](Pod* pod) { pod->namespace_ = "other"; }},
      {"another constraint", [](Pod* pod) { pod->topology_spread.push_back(Spread("rack")); }},
      {"nodeSelector", [](Pod* pod) { pod->node_selector.Set("gpu", "a"); }},
      {"nodeSelector that is ignored",
       [](Pod* pod) {
         pod->node_selector.Set("gpu", "a");
         for (auto& constraint : pod->topology_spread) constraint.honor_affinity = false;
       }},
      {"tolerations",
       [](Pod* pod) {
         pod->tolerations = {{"gpu", "", true, {}}};
       },
       false},
  };
  for (const OtherRow& row : rows) {
    Pod one = testing::MakePod("one");
    for (int i = 0; i < 1024; ++i) one.topology_spread.push_back(Spread(fmt::format("k{}", i)));
    Pod other = one;
    row.change(&other);
    EXPECT_EQ(
        !TakeOut({MakeUnit("one").AddMember(one), MakeUnit("other").AddMember(other)}).empty(),
        row.differs)
        << row.name;
  }
}

}  // namespace
}  // namespace outrigger::plan
