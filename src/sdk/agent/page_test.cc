#include "outrigger/agent/page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Type = PageColumn::Type;

PageSpec Queue() {
  return {.name = "queue",
          .help = "pods that wait",
          .columns = {{"pod", Type::kText}, {"waitingSeconds", Type::kInteger}}};
}

struct SpecRow {
  const char* name;
  void (*spoil)(PageSpec* spec);
  const char* fault;
};
class PageSpecFault : public ::testing::TestWithParam<SpecRow> {};

TEST_P(PageSpecFault, NamesThePageAndTheValue) {
  PageSpec spec = Queue();
  GetParam().spoil(&spec);
  EXPECT_THAT(FaultOf(spec), HasSubstr(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PageSpecFault,
    ::testing::Values(
        SpecRow{"NoName", [](PageSpec* s) { s->name = ""; }, R"(page name "" is not accepted)"},
        SpecRow{"Slash", [](PageSpec* s) { s->name = "a/b"; }, R"(page name "a/b")"},
        SpecRow{"Capital", [](PageSpec* s) { s->name = "Queue"; }, R"(page name "Queue")"},
        SpecRow{"TwoHyphens", [](PageSpec* s) { s->name = "a--b"; }, R"(page name "a--b")"},
        SpecRow{"HyphenLast", [](PageSpec* s) { s->name = "a-"; }, R"(page name "a-")"},
        SpecRow{"DigitFirst", [](PageSpec* s) { s->name = "1a"; }, R"(page name "1a")"},
        SpecRow{"Metrics", [](PageSpec* s) { s->name = "metrics"; },
                "page /metrics: the admin port"},
        SpecRow{"Livez", [](PageSpec* s) { s->name = "livez"; }, "page /livez: the admin port"},
        SpecRow{"Readyz", [](PageSpec* s) { s->name = "readyz"; }, "page /readyz: the admin port"},
        SpecRow{"Version", [](PageSpec* s) { s->name = "version"; }, "page /version: the admin"},
        SpecRow{"NoHelp", [](PageSpec* s) { s->help = ""; }, "its help is not one line"},
        SpecRow{"TwoLines", [](PageSpec* s) { s->help = "a\nb"; }, "its help is not one line"},
        SpecRow{"NoColumns", [](PageSpec* s) { s->columns.clear(); }, "page /queue has no columns"},
        SpecRow{"ColumnWithBlank", [](PageSpec* s) { s->columns[0].name = "a b"; },
                R"(column name "a b")"},
        SpecRow{"ColumnCapital", [](PageSpec* s) { s->columns[0].name = "Pod"; },
                R"(column name "Pod")"},
        SpecRow{"ColumnNoName", [](PageSpec* s) { s->columns[0].name = ""; }, R"(column name "")"},
        SpecRow{"ColumnHelpOfTwoLines", [](PageSpec* s) { s->columns[0].help = "a\nb"; },
                "page /queue: the help of column pod is not one line"},
        SpecRow{"ColumnTwice", [](PageSpec* s) { s->columns[1].name = "pod"; },
                "page /queue has two columns pod"}),
    [](const auto& row) { return row.param.name; });

TEST(PageSpecFault, IsEmptyForAPageThatCanBe) {
  EXPECT_EQ(FaultOf(Queue()), "");
  PageSpec spec = Queue();
  spec.name = "queue-2";
  spec.columns[0].name = "pod_Name2";
  EXPECT_EQ(FaultOf(spec), "");
}

TEST(PageTable, KeepsRowsUpToItsBoundAndCountsAll) {
  PageTable table(Queue().columns, 2);
  table.Add({"a", 1});
  EXPECT_FALSE(table.full());
  EXPECT_FALSE(table.truncated());
  table.Add({"b", {}});
  EXPECT_TRUE(table.full());
  EXPECT_FALSE(table.truncated());
  table.Add({"c", 3});
  table.Count(10);
  EXPECT_THAT(table.rows(), SizeIs(2));
  EXPECT_EQ(table.rows()[1], (std::vector<PageCell>{"b", {}}));
  EXPECT_EQ(table.total(), 13U);
  EXPECT_TRUE(table.truncated());
  EXPECT_EQ(table.fault(), "");
}

struct RowFault {
  const char* name;
  std::vector<PageCell> row;
  const char* fault;
};
class PageRowFault : public ::testing::TestWithParam<RowFault> {};

TEST_P(PageRowFault, NamesTheFirstWrongRow) {
  PageTable table(Queue().columns, 100);
  table.Add({"right", 1});
  table.Add(GetParam().row);
  table.Add({});
  EXPECT_EQ(table.fault(), GetParam().fault);
  EXPECT_THAT(table.rows(), SizeIs(1));
  EXPECT_EQ(table.total(), 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PageRowFault,
    ::testing::Values(
        RowFault{"TooShort", {"a"}, "row 1: 1 cells for 2 columns"},
        RowFault{"TooLong", {"a", 1, true}, "row 1: 3 cells for 2 columns"},
        RowFault{"NumberForInteger",
                 {"a", 1.0},
                 "row 1: the cell of column waitingSeconds is of another type than the column"},
        RowFault{"BooleanForText",
                 {true, 1},
                 "row 1: the cell of column pod is of another type than the column"},
        RowFault{"TextForInteger",
                 {"a", "1"},
                 "row 1: the cell of column waitingSeconds is of another type than the column"}),
    [](const auto& row) { return row.param.name; });

TEST(PageTable, ChecksRowsThatItDoesNotKeep) {
  PageTable table(Queue().columns, 0);
  table.Add({"a", true});
  EXPECT_THAT(table.fault(), HasSubstr("waitingSeconds"));
  EXPECT_THAT(table.rows(), IsEmpty());
}

}  // namespace
}  // namespace outrigger
