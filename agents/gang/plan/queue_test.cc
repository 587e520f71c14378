#include "gang/plan/queue.h"

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
  const PageTable table =
      Filled({{&low.key, &low.rank, true, ""}, {&high.key, &high.rank, false, "cpu"}});
  EXPECT_THAT(Column(table, "position"), ElementsAre(int64_t{1}, int64_t{2}));
  EXPECT_THAT(Column(table, "unit"), ElementsAre("ns/high", "ns/low"));
  EXPECT_THAT(Column(table, "kind"), ElementsAre("gang", "pod"));
  EXPECT_THAT(Column(table, "groupPriority"), ElementsAre(int64_t{9}, int64_t{1}));
  EXPECT_THAT(Column(table, "state"), ElementsAre("waits", "has a place"));
  EXPECT_THAT(Column(table, "after"), ElementsAre(PageCell(), "ns/high"));
  EXPECT_THAT(Column(table, "lacks"), ElementsAre("cpu", PageCell()));
}

TEST(QueuePage, CountsUnitsOverItsBound) {
  const Known first = Make("first", 3);
  const Known second = Make("second", 2);
  const Known third = Make("third", 1);
  const PageTable table = Filled({{&third.key, &third.rank, true, ""},
                                  {&first.key, &first.rank, true, ""},
                                  {&second.key, &second.rank, true, ""}},
                                 1);
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
  const PageTable table = Filled({{&known.key, &known.rank, true, ""}});
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

}  // namespace
}  // namespace outrigger::plan
