// The reference tables, made by the original program, and what is right where it was wrong.
#include <map>

#include "agent_under_test.h"
#include "gmock/gmock.h"
#include "golden.h"
#include "safe.h"

namespace outrigger::safe {
namespace {

using nlohmann::json;
using testing::AgentUnderTest;
using testing::OwnedRequest;

// Settings under which the agent is the original: its square root of the deviation and its score
// without statistics, and the environment of the case.
AgentUnderTest Original(const json& env) {
  SettingsValues settings =
      testing::SettingsFrom(MakeFactory(), {{"sensitivity", "2"}, {"no-statistics-score", "0"}});
  for (const auto& [variable, value] : env.items()) {
    EXPECT_TRUE(
        testing::SetFromLegacyEnv(MakeFactory(), variable, value.get<std::string>(), &settings))
        << variable;
  }
  return {MakeFactory(), settings};
}

// A risk below 1e-15 is 0 or not by the last bit of 1 - CDF.
bool HasRiskAtRounding(const json& detail) {
  for (const char* resource : {"cpu", "memory"}) {
    const json& figures = detail[resource];
    if (figures.is_object() && figures["risk"].is_number() && figures["risk"] < 1e-15) return true;
  }
  return false;
}

void ExpectSameOverload(const json& detail, int expected, int actual, const std::string& where) {
  if (expected >= 9 && HasRiskAtRounding(detail)) {
    EXPECT_GE(actual, 9) << where;
  } else {
    EXPECT_EQ(actual, expected) << where;
  }
}

// Runs every case but those of `corrected`; returns the number of nodes compared.
size_t CompareTable(const char* file, const std::map<std::string, std::string>& corrected) {
  size_t compared = 0;
  const json table = testing::LoadGolden(file);
  for (const json& row : table["cases"]) {
    if (corrected.contains(row["id"].get<std::string>())) continue;
    const AgentUnderTest agent = Original(row["env"]);
    std::vector<Node> nodes;
    for (const json& node : row["nodes"]) nodes.push_back(testing::NodeFromJson(node));
    const OwnedRequest request(testing::PodFromJson(row["pod"]), nodes);
    const auto fits = agent.Fits(request);
    const auto overload = agent.Scores(request, "overload");
    const auto balance = agent.Scores(request, "balance");
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string where = row["id"].get<std::string>() + " " + nodes[i].name;
      const json& expect = row["expect"];
      EXPECT_EQ(fits[i], expect["predicate"][nodes[i].name].get<bool>()) << where;
      EXPECT_EQ(balance[i], expect["safe_balance"][nodes[i].name].get<int>()) << where;
      ExpectSameOverload(row["detail"][nodes[i].name],
                         expect["safe_overload"][nodes[i].name].get<int>(), overload[i], where);
      ++compared;
    }
  }
  return compared;
}

TEST(SafeReference, EveryNodeOfTheTableGetsTheSameDecisionAndScores) {
  EXPECT_EQ(CompareTable("safe.json", {}), 78U);
}

const std::map<std::string, std::string> kCorrected = {
    {"edge-21", "capacity 0: its balance score was NaN as an integer"},
    {"edge-24", "mean +Inf: taken as an idle node"},
    {"edge-33", "forecast NaN: its balance score was NaN as an integer"},
    {"edge-39", "underflow: accepted at a true risk of 0.51"},
    {"edge-42", "underflow: risk +Inf"},
};

TEST(SafeReference, EveryEdgeIsTheSameButThoseThatAreCorrected) {
  EXPECT_EQ(CompareTable("safe_edge.json", kCorrected), 12U);
}

struct Outcome {
  bool fits;
  int overload, balance;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

TEST(SafeReference, CorrectedEdgesAreRight) {
  const Outcome without_statistics{true, 0, 0};
  const std::map<std::string, Outcome> right = {
      {"edge-21", without_statistics}, {"edge-24", without_statistics},
      {"edge-33", without_statistics}, {"edge-39", {false, 0, 5}},  // risk 0.507
      {"edge-42", {false, 0, 5}},                                   // risk 0.425
  };
  size_t seen = 0;
  const json table = testing::LoadGolden("safe_edge.json");
  for (const json& row : table["cases"]) {
    const auto expected = right.find(row["id"].get<std::string>());
    if (expected == right.end()) continue;
    const AgentUnderTest agent = Original(row["env"]);
    const OwnedRequest request(testing::PodFromJson(row["pod"]),
                               {testing::NodeFromJson(row["nodes"][0])});
    const Outcome outcome{agent.Fits(request)[0], agent.Scores(request, "overload")[0],
                          agent.Scores(request, "balance")[0]};
    EXPECT_EQ(outcome, expected->second)
        << expected->first << ": " << kCorrected.at(expected->first);
    ++seen;
  }
  EXPECT_EQ(seen, right.size());
}

}  // namespace
}  // namespace outrigger::safe
