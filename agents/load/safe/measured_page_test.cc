#include "measured_page.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent_under_test.h"
#include "burst_testing.h"
#include "gmock/gmock.h"
#include "safe.h"

namespace outrigger::safe {
namespace {

using testing::AgentUnderTest;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::SizeIs;

constexpr size_t kManyRows = 1000;

using PageRow = std::map<std::string, PageCell>;

// By name.
std::vector<std::string> NamesOfAllKinds() {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(fmt::format("a{:02}", i));
  names.insert(names.end(), {"bad", "bare", "old", "void"});
  return names;
}

class SafeMeasuredPage : public ::testing::Test {
 protected:
  AgentUnderTest Agent(AgentUnderTest::Texts settings = {}) {
    return AgentUnderTest(MakeFactory(), settings, &day_.cluster(), day_.clock());
  }
  static absl::StatusOr<PageTable> Page(const AgentUnderTest& agent, size_t most = kManyRows) {
    const auto& source = dynamic_cast<const PageSource&>(agent.agent());
    const std::vector<PageSpec> pages = source.Pages();
    EXPECT_THAT(pages, SizeIs(1));
    EXPECT_EQ(FaultOf(pages[0]), "");
    PageTable table(pages[0].columns, most);
    const absl::Status filled = source.FillPage("measured", &table);
    EXPECT_EQ(table.fault(), "");
    if (!filled.ok()) return filled;
    return table;
  }
  static std::vector<PageRow> Rows(const AgentUnderTest& agent) {
    std::vector<PageRow> rows;
    const auto table = Page(agent);
    EXPECT_TRUE(table.ok()) << table.status();
    for (const auto& cells : table->rows()) {
      PageRow& row = rows.emplace_back();
      for (size_t i = 0; i < cells.size(); ++i) row[table->columns()[i].name] = cells[i];
    }
    return rows;
  }
  static double Number(const PageRow& row, const std::string& column) {
    return std::get<double>(row.at(column));
  }
  static std::string Text(const PageRow& row, const std::string& column) {
    return std::get<std::string>(row.at(column));
  }
  static bool IsAbsent(const PageRow& row, const std::string& column) {
    return std::holds_alternative<std::monostate>(row.at(column));
  }

  /// Nodes of all kinds; the last ones are judged otherwise than by what is measured.
  void PutNodesOfAllKinds() {
    for (int i = 0; i < 40; ++i) {
      day_.cluster().Put(Measured(names_[static_cast<size_t>(i)])
                             .Annotation("mean-free-cpu", std::to_string(250 * i))
                             .Annotation("std-free-cpu", std::to_string(i * 37 % 11 * 300))
                             .Annotation("mean-free-memory", std::to_string(i * 29 % 40 * 250))
                             .Annotation("std-free-memory", std::to_string(i % 4 * 500))
                             .Annotation("forecasted-free-cpu", i % 3 == 0 ? "3000" : "N/A")
                             .Annotation(kMeasuredAnnotation, MeasuredText(0, 100)));
    }
    day_.cluster().Put(MakeNode("bare").Allocatable("cpu", "10"));
    day_.cluster().Put(Measured("bad").Annotation("mean-free-cpu", "much"));
    day_.cluster().Put(Measured("old").Annotation(kMeasuredAnnotation, MeasuredText(-900, 100)));
    day_.cluster().Put(MakeNode("void").NoAllocatable().Annotation("mean-free-cpu", "1"));
  }
  /// One pod comes each second, and each third ends at once.
  void LetPodsCome() {
    for (int i = 0; i < 30; ++i) {
      day_.Set(day_.now() + 1);
      const std::string pod = fmt::format("p{}", day_.now());
      day_.Bind(pod, names_[static_cast<size_t>(i * 7) % names_.size()], day_.now(), "900m");
      if (i % 3 == 0) day_.Finish(pod, day_.now());
    }
  }
  void ExpectTheScoresOfCalls(const AgentUnderTest& agent) {
    LetPodsCome();
    std::vector<Node> nodes;
    for (const std::string& name : names_) nodes.push_back(day_.Seen(name));
    const OwnedRequest request(MakePod(), nodes);
    const std::vector<bool> fits = agent.Fits(request);
    const auto scores = agent.Score(request);
    const auto overload = agent.Score(request, "overload");
    const auto balance = agent.Score(request, "balance");
    const std::vector<PageRow> rows = Rows(agent);
    ASSERT_THAT(rows, SizeIs(names_.size()));
    std::set<double> different;
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(Text(rows[i], "node"), names_[i]);
      EXPECT_EQ(Number(rows[i], "score"), scores[i].value * 10) << names_[i];
      EXPECT_EQ(Number(rows[i], "overload"), overload[i].value * 10) << names_[i];
      EXPECT_EQ(Number(rows[i], "balance"), balance[i].value * 10) << names_[i];
      EXPECT_EQ(std::get<bool>(rows[i].at("fits")), fits[i]) << names_[i];
      different.insert(scores[i].value);
    }
    EXPECT_GT(different.size(), 3U) << "too little is compared";
  }

  const std::vector<std::string> names_ = NamesOfAllKinds();
  Day day_;
};

TEST_F(SafeMeasuredPage, HasTheScoresThatCallsGet) {
  PutNodesOfAllKinds();
  ExpectTheScoresOfCalls(Agent());
  ExpectTheScoresOfCalls(Agent({{"max-risk", "0"}, {"overload-weight", "3"}}));
  ExpectTheScoresOfCalls(Agent({{"sensitivity", "2"}, {"balance-weight", "0"}}));
  ExpectTheScoresOfCalls(Agent({{"no-statistics-score", "2"}, {"estimate", "none"}}));
  ExpectTheScoresOfCalls(Agent({{"utilization", "0.6"}, {"max-age", "1000"}}));
}

TEST_F(SafeMeasuredPage, HasThePartsOfTheScore) {
  day_.cluster().Put(Measured("a")
                         .Annotation("mean-free-cpu", "6000")
                         .Annotation("std-free-cpu", "1000")
                         .Annotation(kMeasuredAnnotation, MeasuredText(0, 100)));
  const AgentUnderTest agent = Agent({{"max-risk", "0.2"}});
  day_.Set(30);
  day_.Bind("p", "a", 25, "4");
  const std::vector<PageRow> rows = Rows(agent);
  ASSERT_THAT(rows, SizeIs(1));
  const PageRow& row = rows[0];
  EXPECT_EQ(Text(row, "state"), "measured");
  EXPECT_EQ(std::get<int64_t>(row.at("measuredSecondsAgo")), 30);
  EXPECT_EQ(Number(row, "windowSeconds"), 100);
  EXPECT_EQ(Number(row, "cpuMean"), 0.4);
  EXPECT_EQ(Number(row, "cpuDeviation"), 0.1);
  EXPECT_EQ(Number(row, "cpuExpected"), 0.34) << "85 percent of 4 cpu";
  EXPECT_THAT(Number(row, "cpuRisk"), DoubleNear(0.0336, 1e-4)) << "0.74 +- 0.1 above 0.9";
  EXPECT_EQ(Number(row, "maxRisk"), 0.2);
  EXPECT_EQ(Number(row, "overload"), std::trunc((1 - std::sqrt(0.0336 / 0.2)) * 10));
  EXPECT_THAT(Number(row, "balance"), DoubleNear(10 * (1 - (0.74 + 0.1) / 2), 1e-12));
  for (const char* column : {"memoryMean", "memoryDeviation", "memoryExpected", "memoryRisk"}) {
    EXPECT_TRUE(IsAbsent(row, column)) << column;
  }
}

TEST_F(SafeMeasuredPage, SaysWhichNodesAreNotJudgedByTheirUse) {
  PutNodesOfAllKinds();
  std::map<std::string, std::string> states;
  for (const PageRow& row : Rows(Agent())) {
    states[Text(row, "node")] = Text(row, "state");
    if (Text(row, "state") == "measured") continue;
    EXPECT_EQ(Number(row, "score"), 5);
    EXPECT_TRUE(IsAbsent(row, "cpuMean"));
    EXPECT_EQ(IsAbsent(row, "measuredSecondsAgo"), Text(row, "node") != "old");
  }
  EXPECT_EQ(states["a00"], "measured");
  EXPECT_EQ(states["bad"], "malformed");
  EXPECT_EQ(states["bare"], "not measured");
  EXPECT_EQ(states["void"], "not measured") << "nothing is allocatable";
  EXPECT_EQ(states["old"], "too old");
}

TEST_F(SafeMeasuredPage, CountsTheNodesThatItHasNoRoomFor) {
  PutNodesOfAllKinds();
  const auto table = Page(Agent(), 3);
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(table->rows(), SizeIs(3));
  EXPECT_EQ(table->total(), 44U);
}

TEST_F(SafeMeasuredPage, IsNotThereWithoutAViewOfTheCluster) {
  const AgentUnderTest alone(MakeFactory(), {}, nullptr, day_.clock());
  const absl::Status unknown = Page(alone).status();
  EXPECT_TRUE(absl::IsUnavailable(unknown));
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("leave out --watch=false"));
  day_.cluster().SetUsable(absl::UnavailableError("nodes: no word for 90 s"));
  EXPECT_EQ(Page(Agent()).status(), absl::UnavailableError("nodes: no word for 90 s"));
}

TEST_F(SafeMeasuredPage, SaysAboveWhichUseANodeIsAtRisk) {
  Settings settings;
  settings.utilization = 0.755;
  std::map<std::string, std::string> help;
  for (const PageColumn& column : MeasuredPage(settings).columns) help[column.name] = column.help;
  EXPECT_THAT(help["cpuRisk"], HasSubstr("exceeds 75.5 percent"));
}

}  // namespace
}  // namespace outrigger::safe
