// The tables that upstream's own compiler made, row by row.
#include "golden.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cases.h"
#include "cel/check/environment.h"
#include "cel/evaluator.h"
#include "nlohmann/json.hpp"

namespace outrigger::cel {
namespace {

using Json = nlohmann::json;

// Runs the rows of a table and counts those that agree.
class TableRun {
 public:
  TableRun(const Json& devices, const Environment& environment, bool lists)
      : devices_(testing::ReadDevices(devices, lists)), environment_(environment) {}

  void Run(const Json& rows) {
    for (const Json& row : rows) {
      const Json made =
          testing::MakeRow(row["expr"].get<std::string>(), environment_, devices_, evaluator_);
      ++rows_;
      if (Agrees(row, made)) ++agreeing_;
      CountCosts(row, made);
    }
  }

  size_t rows() const { return rows_; }
  size_t agreeing() const { return agreeing_; }
  size_t costs() const { return costs_; }
  size_t equal_costs() const { return equal_costs_; }

 private:
  static bool Agrees(const Json& row, const Json& made) {
    const std::string text = row["expr"].get<std::string>().substr(0, 300);
    EXPECT_EQ(made["compile"], row["compile"]) << text << "\n" << made.value("message", "");
    EXPECT_EQ(made.value("output", ""), row.value("output", "")) << text;
    const Json expected = row.value("result", Json::object());
    for (auto it = expected.begin(); it != expected.end(); ++it) {
      EXPECT_EQ(made["result"][it.key()], it.value()) << text << "\non " << it.key();
    }
    return made["compile"] == row["compile"] &&
           made.value("output", "") == row.value("output", "") &&
           made.value("result", Json::object()) == expected;
  }

  void CountCosts(const Json& row, const Json& made) {
    const Json expected = row.value("cost", Json::object());
    for (auto it = expected.begin(); it != expected.end(); ++it) {
      ++costs_;
      if (made["cost"][it.key()] == it.value()) ++equal_costs_;
    }
  }

  std::vector<testing::CaseDevice> devices_;
  const Environment& environment_;
  Evaluator evaluator_;
  size_t rows_ = 0;
  size_t agreeing_ = 0;
  size_t costs_ = 0;
  size_t equal_costs_ = 0;
};

TEST(CelGolden, EveryRowOfTheTableAgrees) {
  const Json table = outrigger::testing::LoadGolden("cel.json");
  TableRun run(table["devices"], DraEnvironment(), false);
  run.Run(table["rows"]);
  EXPECT_EQ(run.agreeing(), run.rows());
  EXPECT_EQ(run.rows(), 223U);
  // Upstream walks over maps in any order, so a loop that ends early has another cost each time.
  EXPECT_GE(run.equal_costs() + 10, run.costs());
  EXPECT_GT(run.costs(), 700U);
}

TEST(CelGolden, AttributesThatAreListsAgree) {
  const Json table = outrigger::testing::LoadGolden("cel.json")["list_attributes"];
  TableRun with(table["devices"], DraEnvironment(true), true);
  with.Run(table["rows"]);
  EXPECT_EQ(with.agreeing(), table["rows"].size());
  TableRun without(table["devices"], DraEnvironment(false), false);
  without.Run(table["rows_feature_off"]);
  EXPECT_EQ(without.agreeing(), table["rows_feature_off"].size());
}

TEST(CelGolden, GeneratedExpressionsAgree) {
  const Json devices = outrigger::testing::LoadGolden("cel.json")["devices"];
  const Json table = outrigger::testing::LoadGolden("upstream_cel.json");
  TableRun run(devices, DraEnvironment(), false);
  run.Run(table["rows"]);
  EXPECT_EQ(run.agreeing(), run.rows());
  EXPECT_EQ(run.rows(), 200U);
}

}  // namespace
}  // namespace outrigger::cel
