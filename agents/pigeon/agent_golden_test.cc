// The reference tables through the whole agent, with original-arithmetic: what it reads of pods,
// nodes, file and environment is what the original read.
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "agent_under_test.h"
#include "builders.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "golden.h"
#include "pigeon.h"

namespace outrigger::pigeon {
namespace {

using nlohmann::json;
using testing::AgentUnderTest;
using testing::OwnedRequest;

std::string WriteConfig(const std::string& text) {
  const std::string path = ::testing::TempDir() + fmt::format("pigeon-{}.cfg", getpid());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

AgentUnderTest Original(const json& row, const std::string& objective) {
  const bool has_file = row["cfg"].is_string();
  const std::string config = has_file ? WriteConfig(row["cfg"].get<std::string>()) : "";
  SettingsValues settings =
      testing::SettingsFrom(MakeFactory(), {{"original-arithmetic", "true"}, {"config", config}});
  const auto set = [&settings](const std::string& variable, const std::string& value) {
    EXPECT_TRUE(testing::SetFromLegacyEnv(MakeFactory(), variable, value, &settings)) << variable;
  };
  for (const auto& [variable, value] : row["env"].items()) set(variable, value);
  if (objective != "None") set("POLICY_OBJECTIVE", objective);
  AgentUnderTest agent(MakeFactory(), settings);
  std::remove(config.c_str());  // it is read once
  return agent;
}

OwnedRequest RequestOf(const json& step) {
  std::vector<Node> nodes;
  for (const json& node : step["nodes"]) nodes.push_back(testing::NodeFromJson(node));
  return OwnedRequest(testing::PodFromJson(step["pod"]), std::move(nodes));
}

size_t CompareTable(const char* file) {
  size_t compared = 0;
  const json table = testing::LoadGolden(file);
  for (const json& row : table["cases"]) {
    for (const auto& [objective, expected] : row["expect"].items()) {
      const AgentUnderTest agent = Original(row, objective);
      for (size_t i = 0; i < row["steps"].size(); ++i) {
        const OwnedRequest request = RequestOf(row["steps"][i]);
        const std::vector<bool> fits = agent.Fits(request);
        const std::vector<int> scores = agent.Scores(request);
        for (size_t n = 0; n < scores.size(); ++n) {
          const std::string& name = request->nodes[n].name;
          const std::string where =
              fmt::format("{} {} step {} {}", row["id"].get<std::string>(), objective, i, name);
          EXPECT_EQ(scores[n], expected[i]["scores"][name].get<int>()) << where;
          EXPECT_EQ(fits[n], !expected[i]["objective_value"][name].is_null()) << where;
          ++compared;
        }
      }
    }
  }
  return compared;
}

TEST(PigeonAgentReference, OriginalArithmeticScoresEveryNodeOfTheTablesAsTheOriginal) {
  EXPECT_GE(CompareTable("pigeon.json"), 600U);
  EXPECT_GE(CompareTable("pigeon_edge.json"), 140U);
}

// Correction: of a node that was offered twice the original scored one and left the other without
// a name.
TEST(PigeonAgentReference, ScoresANodeThatIsOfferedTwiceTwice) {
  const json table = testing::LoadGolden("pigeon_edge.json");
  const json& row = table["cases"][0];
  ASSERT_EQ(row["id"], "slide");
  const AgentUnderTest agent = Original(row, "A_BINPACK");
  const json& step = row["steps"][0];
  const OwnedRequest none(testing::PodFromJson(step["pod"]), {});
  EXPECT_EQ(agent.Scores(none).size(), table["extra"]["zero_nodes"].size());

  const Node master = testing::NodeFromJson(step["nodes"][0]);
  const Node worker = testing::NodeFromJson(step["nodes"][1]);
  const OwnedRequest twice(testing::PodFromJson(step["pod"]), {master, worker, worker});
  const std::vector<int> scores = agent.Scores(twice);
  const json& expected = table["extra"]["duplicate_names"];
  ASSERT_EQ(expected.size(), scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    if (expected[i]["Host"] == "") continue;
    EXPECT_EQ(twice->nodes[i].name, expected[i]["Host"].get<std::string>());
    EXPECT_EQ(scores[i], expected[i]["Score"].get<int>());
  }
  EXPECT_EQ(scores[2], scores[1]);
}

// Correction: the original took such a node for one of no capacity.
TEST(PigeonAgentReference, LeavesOutNodesOfWhichOnlyTheNameIsKnown) {
  const json row = testing::LoadGolden("pigeon_edge.json")["cases"][0];
  const json& step = row["steps"][0];
  const OwnedRequest known = RequestOf(step);
  const std::vector<int> alone = Original(row, "A_BINPACK").Scores(known);
  std::vector<Node> nodes = {testing::MakeNode("new").Unknown()};
  for (const json& node : step["nodes"]) nodes.push_back(testing::NodeFromJson(node));
  const AgentUnderTest agent = Original(row, "A_BINPACK");
  const OwnedRequest request(testing::PodFromJson(step["pod"]), nodes);
  EXPECT_TRUE(agent.Fits(request)[0]);
  std::vector<int> scores = agent.Scores(request);
  EXPECT_EQ(scores[0], 0);
  EXPECT_EQ(agent.Score(request)[0].why.text(), "the node is unknown");
  scores.erase(scores.begin());
  EXPECT_EQ(scores, alone) << "of the others as without it";
}

// Fault of the original: it counts what pods ask for only if its file says A_BINPACK, and then
// every node ties.
TEST(PigeonAgentReference, KnowsNoDemandWhereTheFileNamesAnotherObjective) {
  json row = testing::LoadGolden("pigeon_edge.json")["cases"][0];
  row["cfg"] = "policyObjective = LOAD_BALANCE\n";
  EXPECT_THAT(Original(row, "A_BINPACK").Scores(RequestOf(row["steps"][0])),
              ::testing::ElementsAre(10, 10, 10));
}

// Fault of the original: a blank after the word makes it another word, which means A_BINPACK.
TEST(PigeonAgentReference, TakesAWordWithABlankAfterItForNoObjective) {
  json row = testing::LoadGolden("pigeon_edge.json")["cases"][0];
  for (const char* text :
       {"policyObjective = LOAD_BALANCE \n", "policyObjective = LOAD_BALANCE\r\n"}) {
    row["cfg"] = text;
    AgentUnderTest agent = Original(row, "None");
    ASSERT_TRUE(dynamic_cast<Controller&>(agent.agent()).Start().ok());
    EXPECT_EQ(agent.warnings().size(), 1U);
    EXPECT_NE(agent.Score(RequestOf(row["steps"][0]))[0].why.text().find("A_BINPACK"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace outrigger::pigeon
