#include <algorithm>

#include "agent_under_test.h"
#include "gmock/gmock.h"
#include "golden.h"

namespace outrigger::congestion {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;

constexpr const char* kFactor = "congestion-factor";

Node NodeWith(std::string_view factor) {
  return MakeNode("n").Annotation(kFactor, factor);
}

int ScoreOf(std::string_view factor, const AgentUnderTest& agent) {
  return agent.Scores(OwnedRequest(MakePod(), {NodeWith(factor)})).front();
}

TEST(CongestionScore, EqualsEveryRowOfTheReferenceTable) {
  size_t rows = 0;
  const nlohmann::json table = testing::LoadGolden("congestion.json");
  for (const auto& row : table["cases"]) {
    SettingsValues settings = MakeFactory().settings.Defaults();
    for (const auto& [variable, value] : row["env"].items()) {
      ASSERT_TRUE(
          testing::SetFromLegacyEnv(MakeFactory(), variable, value.get<std::string>(), &settings));
    }
    const AgentUnderTest agent(MakeFactory(), settings);
    for (const auto& json : row["nodes"]) {
      const Node node = testing::NodeFromJson(json);
      const OwnedRequest request(testing::PodFromJson(row["pod"]), {node});
      EXPECT_EQ(agent.Scores(request).front(), row["expect"]["congestion"][node.name].get<int>())
          << row["id"] << " " << node.name;
      ++rows;
    }
  }
  EXPECT_GE(rows, 50U);
}

TEST(CongestionScore, FallsByOneForEveryTenthOfTheMaximumAndRoundsHalvesUp) {
  const AgentUnderTest agent(MakeFactory());
  const std::pair<const char*, int> rows[] = {{"0", 10}, {"5", 10}, {"6", 9},  {"15", 9}, {"16", 8},
                                              {"50", 5}, {"95", 1}, {"96", 0}, {"100", 0}};
  for (const auto& [factor, score] : rows) EXPECT_EQ(ScoreOf(factor, agent), score) << factor;
}

TEST(CongestionScore, TakesFactorsAboveTheMaximumAsTheMaximum) {
  EXPECT_EQ(ScoreOf("11", AgentUnderTest(MakeFactory(), {{"max", "10"}})), 0);
  EXPECT_EQ(ScoreOf("9223372036854775807", AgentUnderTest(MakeFactory())), 0);
}

TEST(CongestionScore, TakesNodesWithoutAFactorAsNotCongested) {
  const AgentUnderTest agent(MakeFactory());
  OwnedRequest request(MakePod(), {MakeNode("bare"), MakeNode("unknown").Unknown()});
  EXPECT_THAT(agent.Scores(request), ElementsAre(10, 10));
  EXPECT_THAT(request.diagnostics().entries, IsEmpty());
}

// Correction: the original took such a factor for 0 in silence.
TEST(CongestionScore, ReportsFactorsThatCannotBeReadAndTakesThemAsNone) {
  const AgentUnderTest agent(MakeFactory());
  for (const char* text : {"", "50.0", " 5", "5 ", "1e1", "0x10", "99999999999999999999", "NaN"}) {
    OwnedRequest request(MakePod(), {NodeWith(text)});
    EXPECT_THAT(agent.Scores(request), ElementsAre(10)) << text;
    EXPECT_THAT(request.diagnostics().entries, ElementsAre(testing::RecordingDiagnostics::Entry{
                                                   "n", kFactor, text, "a base-10 integer"}));
  }
}

// What is remembered of a node must never be seen in an answer.
TEST(CongestionScore, FollowsTheRevisionsOfNodes) {
  const AgentUnderTest agent(MakeFactory());
  const auto node_of = [](uint64_t revision, std::string_view factor) {
    Node node = NodeWith(factor);
    node.revision = revision;
    return node;
  };
  EXPECT_THAT(agent.Scores(OwnedRequest(MakePod(), {node_of(7, "30"), node_of(8, "90")})),
              ElementsAre(7, 1));
  EXPECT_THAT(agent.Scores(OwnedRequest(MakePod(), {node_of(8, "90"), node_of(9, "50")})),
              ElementsAre(1, 5));
}

TEST(CongestionScore, SaysWhyOnlyIfSomebodyAsked) {
  const AgentUnderTest agent(MakeFactory());
  EXPECT_EQ(agent.Score(OwnedRequest(MakePod(), {NodeWith("7")}, true))[0].why.text(),
            "congestion factor 7 of 100");
  EXPECT_EQ(agent.Score(OwnedRequest(MakePod(), {NodeWith("7")}, false))[0].why.text(), "");
}

TEST(CongestionSettings, OfTheOriginalsEnvironmentTakeOnlyPositiveIntegers) {
  for (const char* text : {"0", "-5", "x", "", "1.5"}) {
    SettingsValues settings = MakeFactory().settings.Defaults();
    ASSERT_TRUE(testing::SetFromLegacyEnv(MakeFactory(), "CONGESTION_FACTOR_MAX", text, &settings));
    EXPECT_EQ(ScoreOf("50", AgentUnderTest(MakeFactory(), settings)), 5) << text;
  }
}

}  // namespace
}  // namespace outrigger::congestion
