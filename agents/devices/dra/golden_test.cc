// The tables that upstream's own allocator made: dra.json by v0.36, upstream_dra.json by v0.37.
#include "golden.h"

#include <gtest/gtest.h>

#include <string>

#include "dra_cases.h"
#include "nlohmann/json.hpp"

namespace outrigger::dra {
namespace {

using Json = nlohmann::json;

// Errors are equal whatever their texts and scopes are.
Json Comparable(Json answer) {
  if (answer.contains("error")) return "error";
  for (Json& allocation : answer["allocations"]) {
    for (Json& result : allocation["devices"]["results"]) {
      result.erase("tolerations");
      result.erase("bindingConditions");
      result.erase("bindingFailureConditions");
    }
  }
  return answer;
}

struct Counts {
  int differences = 0;
  int unsure = 0;
};

Counts Compare(const std::string& table, const std::string& but) {
  Counts counts;
  const Json golden = outrigger::testing::LoadGolden(table);
  for (const Json& row : golden.at("cases")) {
    const Json answers = testing::AnswersTo(row);
    for (const auto& [node, expected] : row["expect"].items()) {
      const std::string id = row["id"].get<std::string>() + " " + node;
      if (answers.at(node).contains("unsure")) {
        ++counts.unsure;
        continue;
      }
      if (id == but || Comparable(answers.at(node)) == Comparable(expected)) continue;
      ADD_FAILURE() << id << "\nwant " << expected.dump() << "\ngot  " << answers.at(node).dump();
      ++counts.differences;
    }
  }
  return counts;
}

TEST(DraGolden, AnswersAreThoseOfUpstreamsAllocator) {
  const Counts counts = Compare("upstream_dra.json", "");
  EXPECT_EQ(counts.differences, 0);
  EXPECT_LE(counts.unsure, 6);
}

// Since 0.37 a slice of counters of another node makes no pool invalid here.
TEST(DraGolden, AnswersOfTheVersionBeforeAreTheSameButForOne) {
  const Counts counts = Compare("dra.json", "counters-duplicate-set n2");
  EXPECT_EQ(counts.differences, 0);
  EXPECT_EQ(counts.unsure, 0);
}

}  // namespace
}  // namespace outrigger::dra
