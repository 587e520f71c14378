#include "gang/plan/queue.h"

#include "builders.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::plan {
namespace {

using ::testing::ElementsAre;

struct Known {
  UnitKey key;
  Rank rank;
};

Known Make(const std::string& name, int64_t group_priority, Dialect dialect = Dialect::kNone) {
  Known known{{dialect, "ns", name, ""}, {}};
  known.rank.group_priority = group_priority;
  known.rank.name = name;
  return known;
}

QueueEntry Entry(const Known& known, bool fits = true, std::string_view lacks = "") {
  return {.key = &known.key, .rank = &known.rank, .fits = fits, .lacks = lacks};
}

PageTable Filled(const std::vector<QueueEntry>& entries, size_t max_rows = 100) {
  PageTable table(QueuePage().columns, max_rows);
  FillQueuePage(entries, &table);
  EXPECT_EQ(table.fault(), "");
  return table;
}

std::vector<PageCell> Column(const PageTable& table, const std::string& name) {
  std::vector<PageCell> cells;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    if (table.columns()[i].name != name) continue;
    for (const auto& row : table.rows()) cells.push_back(row[i]);
  }
  return cells;
}

TEST(QueuePage, IsAPageThatTheProgramTakes) {
  EXPECT_EQ(FaultOf(QueuePage()), "");
}

TEST(QueuePage, SortsUnitsByRankAndNamesTheOneBeforeEach) {
  const Known low = Make("low", 1);
  const Known high = Make("high", 9, Dialect::kLabels);
  const PageTable table = Filled({Entry(low), Entry(high, false, "cpu")});
  EXPECT_THAT(Column(table, "position"), ElementsAre(int64_t{1}, int64_t{2}));
  EXPECT_THAT(Column(table, "unit"), ElementsAre("ns/high", "ns/low"));
  EXPECT_THAT(Column(table, "kind"), ElementsAre("gang", "pod"));
  EXPECT_THAT(Column(table, "groupPriority"), ElementsAre(int64_t{9}, int64_t{1}));
  EXPECT_THAT(Column(table, "state"), ElementsAre("waits", "has a place"));
  EXPECT_THAT(Column(table, "after"), ElementsAre(PageCell(), "ns/high"));
  EXPECT_THAT(Column(table, "lacks"), ElementsAre("cpu", PageCell()));
  EXPECT_THAT(Column(table, "why"), ElementsAre("cpu", PageCell()));
}

TEST(QueuePage, CountsUnitsOverItsBound) {
  const Known first = Make("first", 3);
  const Known second = Make("second", 2);
  const Known third = Make("third", 1);
  const PageTable table = Filled({Entry(third), Entry(first), Entry(second)}, 1);
  EXPECT_THAT(Column(table, "unit"), ElementsAre("ns/first"));
  EXPECT_EQ(table.total(), 3U);
  EXPECT_TRUE(table.truncated());
}

struct CellRow {
  std::string name;
  std::string column;
  void (*set)(Rank*);
  PageCell expected;
};

class QueuePageCell : public ::testing::TestWithParam<CellRow> {};

TEST_P(QueuePageCell, ComesOfTheRank) {
  Known known = Make("a", 0);
  GetParam().set(&known.rank);
  const PageTable table = Filled({Entry(known)});
  EXPECT_THAT(Column(table, GetParam().column), ElementsAre(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, QueuePageCell,
    ::testing::Values(
        CellRow{"Guaranteed", "class", [](Rank* rank) { rank->qos = QosClass::kGuaranteed; },
                "Guaranteed"},
        CellRow{"Burstable", "class", [](Rank* rank) { rank->qos = QosClass::kBurstable; },
                "Burstable"},
        CellRow{"BestEffort", "class", [](Rank* rank) { rank->qos = QosClass::kBestEffort; },
                "BestEffort"},
        CellRow{"Priority", "priority", [](Rank* rank) { rank->priority = -5; }, int64_t{-5}},
        CellRow{"PriorityThatDoesNotOrder", "priority",
                [](Rank* rank) {
                  rank->priority = 7;
                  rank->by_priority = false;
                },
                int64_t{7}},
        CellRow{"Since", "since", [](Rank* rank) { rank->created = 1'700'000'000; },
                "2023-11-14T22:13:20Z"},
        CellRow{"SinceUnknown", "since", [](Rank* rank) { rank->created = 0; }, PageCell()}),
    [](const auto& row) { return row.param.name; });

using Class = Cause::Class;

struct WhyRow {
  std::string name;
  Cause cause;
  std::string of_pod;
  std::string of_gang = {};  // of 5 members, of which 2 are bound; empty: the same
  std::string lacks = {};
};

class QueueWhy : public ::testing::TestWithParam<WhyRow> {};

TEST_P(QueueWhy, IsASentence) {
  const WhyRow& row = GetParam();
  const Known single = Make("p", 0);
  const Pod pod = testing::MakePod("p").Requests({{"cpu", "8"}, {"x.com/gpu", "2"}});
  QueueEntry of_pod = Entry(single, false, row.lacks);
  of_pod.cause = &row.cause;
  of_pod.first = &pod;
  EXPECT_EQ(WhyText(of_pod), row.of_pod);
  const Known gang = Make("g", 0, Dialect::kLabels);
  QueueEntry of_gang = Entry(gang, false, row.lacks);
  of_gang.cause = &row.cause;
  of_gang.bound = 2;
  of_gang.minimum = 5;
  EXPECT_EQ(WhyText(of_gang), row.of_gang.empty() ? row.of_pod : row.of_gang);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, QueueWhy,
    ::testing::Values(
        WhyRow{"Resource",
               {Class::kResource, "cpu"},
               "too little cpu is left on the nodes that take it; it asks for 8",
               "too little cpu is left for 3 members at once"},
        WhyRow{"Device",
               {Class::kResource, "x.com/gpu"},
               "too little x.com/gpu is left on the nodes that take it; it asks for 2",
               "too little x.com/gpu is left for 3 members at once"},
        WhyRow{"Nodes",
               {Class::kNodes, ""},
               "too few nodes suit it: compare node selector, node affinity, tolerations and sizes "
               "of nodes",
               "too few nodes suit 3 members at once: compare node selector, node affinity, "
               "tolerations and sizes of nodes"},
        WhyRow{
            "Claims", {Class::kClaims, ""}, "no node that its volumes and claims allow takes it"},
        WhyRow{"ClaimsAndCpu",
               {Class::kClaims, "cpu"},
               "short on the nodes that its volumes and claims allow: cpu"},
        WhyRow{"Members",
               {Class::kMembers, ""},
               "fewer members exist than its minimum of 1",
               "fewer members exist than its minimum of 5"},
        WhyRow{"Role",
               {Class::kRole, "worker"},
               "fewer members of role worker exist than the role needs"},
        WhyRow{"MinResources",
               {Class::kMinResources, "cpu"},
               "less cpu is free in the cluster than its minResources ask for"},
        WhyRow{"Pods",
               {Class::kPods, ""},
               "the nodes that take it hold as many pods as they may",
               "the nodes that take 3 members at once hold as many pods as they may"},
        WhyRow{"Topology",
               {Class::kTopology, "rack"},
               "no group of nodes with one rack has room for it",
               "no group of nodes with one rack has room for 3 members at once"},
        WhyRow{"Affinity",
               {Class::kAffinity, ""},
               "its required pod affinity rules out nodes that have room"},
        WhyRow{"Spread",
               {Class::kSpread, ""},
               "its topology spread constraints rule out nodes that have room"},
        WhyRow{"Waiter",
               {Class::kWaiter, "p-1"},
               "its member p-1 waits to be bound and has lost its place"},
        WhyRow{"Refused",
               {Class::kRefused, ""},
               "kube-scheduler refused the nodes that have room for it",
               "",
               "refused by kube-scheduler"},
        WhyRow{"RefusedWithItsWords",
               {Class::kRefused, ""},
               "refused by kube-scheduler: node(s) had a taint",
               "",
               "refused by kube-scheduler: node(s) had a taint"},
        WhyRow{"RestsForAnotherReason",
               {Class::kRefused, ""},
               "exceeds a limit",
               "",
               "exceeds a limit"},
        WhyRow{"Turn",
               {Class::kTurn, ""},
               "it has a place, and waits until one before it in the queue is bound"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::plan
