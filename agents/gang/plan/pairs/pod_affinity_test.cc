#include "pairs_testing.h"

// Rows in substance from upstream's tests of InterPodAffinity.

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

class PodAffinity : public ::testing::TestWithParam<PairsRow> {};

TEST_P(PodAffinity, IsJudgedAsUpstream) {
  ExpectAnswers(GetParam());
}

Node InZone(std::string_view name, std::string_view zone) {
  return MakeNode(name).Label("zone", zone).Label("host", name);
}

// Three nodes: a and b in zone x, c in zone y.
std::vector<Node> Zones() {
  return {InZone("a", "x"), InZone("b", "x"), InZone("c", "y")};
}

Pod Labelled(std::string_view value) {
  return MakePod().Label("app", value);
}

Pod With(Pod pod, SelectorOperator op, std::vector<std::string> values) {
  PodAffinityTerm& term = pod.affinity.required_pod.emplace_back();
  term.topology_key = "zone";
  term.label_selector.emplace().match_expressions = {{"app", op, std::move(values)}};
  return pod;
}

std::vector<PairsRow> NearRows() {
  const Pod wants_db = MakePod().RequireNear("zone", "app", "db");
  const Pod other_namespace = MakePod().Namespace("other").Label("app", "db");
  Pod absent_selector = wants_db;
  absent_selector.affinity.required_pod[0].label_selector.reset();
  const Pod self = MakePod().Label("app", "self").RequireNear("zone", "app", "self");
  return {
      {"NobodyIsThere", Zones(), {}, wants_db, {kFar, kFar, kFar}},
      {"NearInTheWholeDomain", Zones(), {{0, Labelled("db")}}, wants_db, {kOk, kOk, kFar}},
      {"OtherPodsDoNotCount", Zones(), {{0, Labelled("web")}}, wants_db, {kFar, kFar, kFar}},
      {"OtherNamespacesDoNotCount", Zones(), {{0, other_namespace}}, wants_db, {kFar, kFar, kFar}},
      {"InOperator",
       Zones(),
       {{2, Labelled("db")}},
       With(MakePod(), SelectorOperator::kIn, {"x", "db"}),
       {kFar, kFar, kOk}},
      {"NotInOperatorMatchesOthers",
       Zones(),
       {{2, Labelled("db")}},
       With(MakePod(), SelectorOperator::kNotIn, {"x"}),
       {kFar, kFar, kOk}},
      {"NotInOperatorRefusesItsValues",
       Zones(),
       {{2, Labelled("db")}},
       With(Labelled("db"), SelectorOperator::kNotIn, {"db"}),
       {kFar, kFar, kFar}},
      {"AllTermsMustMatchOnePod",
       Zones(),
       {{0, Labelled("db")}, {0, MakePod().Label("tier", "1")}},
       MakePod().RequireNear("zone", "app", "db").RequireNear("zone", "tier", "1"),
       {kFar, kFar, kFar}},
      {"AllTermsMatchOnePod",
       Zones(),
       {{0, MakePod().Label("app", "db").Label("tier", "1")}},
       MakePod().RequireNear("zone", "app", "db").RequireNear("zone", "tier", "1"),
       {kOk, kOk, kFar}},
      {"EachTermHasItsOwnDomain",
       Zones(),
       {{0, MakePod().Label("app", "db").Label("tier", "1")}},
       MakePod().RequireNear("zone", "app", "db").RequireNear("host", "tier", "1"),
       {kOk, kFar, kFar}},
      {"NodeWithoutTheKey",
       {InZone("a", "x"), MakeNode("bare")},
       {{0, Labelled("db")}},
       wants_db,
       {kOk, kFar}},
      {"PodOnANodeWithoutTheKeyIsNowhere",
       {InZone("a", "x"), MakeNode("bare")},
       {{1, Labelled("db")}},
       wants_db,
       {kFar, kFar}},
      {"AbsentSelectorMatchesNobody",
       Zones(),
       {{0, Labelled("db")}},
       absent_selector,
       {kFar, kFar, kFar}},
      {"FirstOfItsSeries", Zones(), {}, self, {kOk, kOk, kOk}},
      {"FirstOfItsSeriesNeedsTheKey", {InZone("a", "x"), MakeNode("bare")}, {}, self, {kOk, kFar}},
      {"SecondOfItsSeries", Zones(), {{2, self}}, self, {kFar, kFar, kOk}},
      {"FirstIfTheOthersAreNowhere",
       {InZone("a", "x"), MakeNode("bare")},
       {{1, self}},
       self,
       {kOk, kFar}},
      {"FirstMustMatchAllItsTerms",
       Zones(),
       {},
       MakePod()
           .Label("app", "self")
           .RequireNear("zone", "app", "self")
           .RequireNear("zone", "b", "c"),
       {kFar, kFar, kFar}},
      {"FirstInEitherDomainOfTwoTerms",
       Zones(),
       {},
       MakePod()
           .Label("app", "s")
           .Label("b", "c")
           .RequireNear("zone", "app", "s")
           .RequireNear("host", "b", "c"),
       {kOk, kOk, kOk}},
  };
}
INSTANTIATE_TEST_SUITE_P(Near, PodAffinity, ::testing::ValuesIn(NearRows()), NameOf);

std::vector<PairsRow> ApartRows() {
  const Pod shy = MakePod().RequireApart("zone", "app", "db");
  const Pod lonely = MakePod().Label("app", "db").RequireApart("host", "app", "db");
  const Pod both = MakePod().RequireNear("zone", "app", "db").RequireApart("host", "app", "db");
  return {
      {"NobodyIsThere", Zones(), {}, shy, {kOk, kOk, kOk}},
      {"ApartFromTheWholeDomain", Zones(), {{0, Labelled("db")}}, shy, {kApart, kApart, kOk}},
      {"OfOneThatIsThere", Zones(), {{0, shy}}, Labelled("db"), {kApart, kApart, kOk}},
      {"OfOneThatIsThereButAboutOthers", Zones(), {{0, shy}}, Labelled("web"), {kOk, kOk, kOk}},
      {"OneOnEachHost", Zones(), {{0, lonely}, {2, lonely}}, lonely, {kApart, kOk, kApart}},
      {"NodeWithoutTheKey",
       {MakeNode("bare"), InZone("a", "x")},
       {{0, Labelled("db")}},
       shy,
       {kOk, kOk}},
      {"OwnerOnANodeWithoutTheKey",
       {MakeNode("bare"), InZone("a", "x")},
       {{0, shy}},
       Labelled("db"),
       {kOk, kOk}},
      {"NearInTheZoneApartOnTheHost", Zones(), {{0, Labelled("db")}}, both, {kApart, kOk, kFar}},
      {"AnyOfTwoTerms",
       Zones(),
       {{0, Labelled("db")}, {2, Labelled("web")}},
       MakePod().RequireApart("host", "app", "db").RequireApart("host", "app", "web"),
       {kApart, kOk, kApart}},
      {"OtherNamespace",
       Zones(),
       {{0, MakePod().Namespace("other").RequireApart("zone", "app", "db")}},
       Labelled("db"),
       {kOk, kOk, kOk}},
  };
}
INSTANTIATE_TEST_SUITE_P(Apart, PodAffinity, ::testing::ValuesIn(ApartRows()), NameOf);

// The namespaces of a term, and what it makes of a pod in namespace "other".
struct NamespacesRow {
  const char* name;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> selector;
  bool near;   // it counts in affinity
  bool apart;  // it counts in anti-affinity, both ways
};

class NamespacesOfTerms : public ::testing::TestWithParam<NamespacesRow> {};

TEST_P(NamespacesOfTerms, AreThoseOfTheTerm) {
  const NamespacesRow& row = GetParam();
  const Pod other = MakePod().Namespace("other").Label("app", "db");
  Pod near = MakePod().RequireNear("zone", "app", "db");
  near.affinity.required_pod[0].namespaces = row.namespaces;
  near.affinity.required_pod[0].namespace_selector = row.selector;
  Pod apart = MakePod();
  apart.affinity.required_pod_anti = near.affinity.required_pod;
  const std::vector<Node> nodes = {InZone("a", "x")};
  ExpectAnswers({row.name, nodes, {{0, other}}, near, {row.near ? kOk : kFar}});
  ExpectAnswers({row.name, nodes, {{0, other}}, apart, {row.apart ? kApart : kOk}});
  ExpectAnswers({row.name, nodes, {{0, apart}}, other, {row.apart ? kApart : kOk}});
}

LabelSelector Namespaces(std::string_view key, std::string_view value) {
  LabelSelector selector;
  selector.match_labels.Set(key, value);
  return selector;
}

const NamespacesRow kNamespaces[] = {
    {"NoneIsItsOwn", {}, {}, false, false},
    {"Listed", {"x", "other", "x"}, {}, true, true},
    {"OthersListed", {"default", "x"}, {}, false, false},
    {"EmptySelectorIsAll", {}, LabelSelector(), true, true},
    {"SelectorByName", {}, Namespaces("kubernetes.io/metadata.name", "other"), true, true},
    {"SelectorByAnotherName", {}, Namespaces("kubernetes.io/metadata.name", "x"), false, false},
    {"ListedBesideASelectorByAnotherName",
     {"other"},
     Namespaces("kubernetes.io/metadata.name", "x"),
     true,
     true},
    {"SelectorByALabelThatIsNotKnownRefusesBothWays", {}, Namespaces("team", "a"), false, true},
    {"ListedBesideALabelThatIsNotKnown", {"other"}, Namespaces("team", "a"), true, true},
};
INSTANTIATE_TEST_SUITE_P(PodPairs, NamespacesOfTerms, ::testing::ValuesIn(kNamespaces),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(PodPairs, NobodyIsTheFirstOfASeriesInNamespacesThatAreNotKnown) {
  Pod self = MakePod().Label("app", "self").RequireNear("zone", "app", "self");
  PodAffinityTerm& term = self.affinity.required_pod[0];
  term.namespaces = {"default"};
  ExpectAnswers({"", {InZone("a", "x")}, {}, self, {kOk}});
  term.namespace_selector = Namespaces("team", "a");
  ExpectAnswers({"", {InZone("a", "x")}, {}, self, {kFar}});
}

}  // namespace
}  // namespace outrigger::plan
