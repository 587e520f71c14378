#include "serve/engine/engine.h"

#include "codec/json/parser.h"
#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const json& result) {
  std::vector<std::string> names;
  for (const json& item : result["Nodes"]["items"]) names.push_back(item["metadata"]["name"]);
  return names;
}

int ScoreOf(const json& list, const std::string& host) {
  for (const json& entry : list) {
    if (entry["Host"] == host) return entry["Score"];
  }
  return -1;
}

class EngineFilter : public ::testing::Test {
 protected:
  void SetUp() override {
    OnlyNamed::asked.clear();
    engine_.Add(InfoOf<ByAnnotation>("notes")).Add(InfoOf<OnlyNamed>("names"));
    ASSERT_TRUE(engine_.Make().ok());
  }
  TestEngine engine_;
};

TEST_F(EngineFilter, EchoesSurvivorsAndExplainsTheOthers) {
  const json result = engine_.CallJson(
      "/notes/filter", FullArgs({JsonNode("a"), JsonNode("b", {{"reject", "too warm"}}),
                                 JsonNode("c", {{"reject", "unresolvable: gone"}})}));
  EXPECT_THAT(NamesOf(result), ElementsAre("a"));
  EXPECT_EQ(result["FailedNodes"], json({{"b", "notes: too warm"}}));
  EXPECT_EQ(result["FailedAndUnresolvableNodes"], json({{"c", "notes: unresolvable: gone"}}));
  EXPECT_EQ(result["Error"], "");
}

TEST_F(EngineFilter, MergedFiltersIntersectAndTheFirstReasonWins) {
  const json result = engine_.CallJson(
      "/filter", FullArgs({JsonNode("a"), JsonNode("b", {{"reject", "too warm"}}), JsonNode("c")}));
  EXPECT_THAT(NamesOf(result), ElementsAre("a"));
  EXPECT_EQ(result["FailedNodes"], json({{"b", "notes: too warm"}, {"c", "names: is not a"}}));
}

TEST_F(EngineFilter, LaterFiltersAreAskedAboutSurvivorsOnly) {
  engine_.CallJson("/filter",
                   FullArgs({JsonNode("a"), JsonNode("b", {{"reject", "x"}}), JsonNode("c")}));
  EXPECT_THAT(OnlyNamed::asked, ElementsAre("a", "c"));
}

TEST_F(EngineFilter, GivesTheMemoryOfDecodersBackOnceItLiesUnused) {
  engine_.CallJson("/filter", FullArgs({JsonNode("a")}));
  (*engine_).Trim();
  EXPECT_GT(outrigger::json::KeptParserBytes(), 0U) << "it was in use since the last time";
  (*engine_).Trim();
  EXPECT_EQ(outrigger::json::KeptParserBytes(), 0U);
}

TEST_F(EngineFilter, CountsNodesAndRejectionsByClass) {
  engine_.CallJson("/filter", FullArgs({JsonNode("a"), JsonNode("b", {{"reject", "x"}}),
                                        JsonNode("c", {{"reject", "y"}}), JsonNode("d")}));
  EXPECT_EQ(engine_.observer.last_nodes, 4U);
  EXPECT_EQ(engine_.observer.last_agent, "all");
  EXPECT_EQ(engine_.observer.rejected["notes/annotated"], 2U);
  EXPECT_EQ(engine_.observer.rejected["names/name"], 1U);
}

TEST_F(EngineFilter, WritesPercentInWordsForTheSchedulerTakesItForAFormat) {
  const json result =
      engine_.CallJson("/notes/filter", FullArgs({JsonNode("a", {{"reject", "90 % used"}}),
                                                  JsonNode("b", {{"reject", "90% used, %s"}})}));
  EXPECT_EQ(result["FailedNodes"],
            json({{"a", "notes: 90 percent used"}, {"b", "notes: 90 percent used, percents"}}));
}

TEST_F(EngineFilter, NoNodesIsAnAnswerWithoutNodes) {
  const json result = engine_.CallJson("/filter", FullArgs({}));
  EXPECT_EQ(result["Nodes"]["items"], json::array());
  EXPECT_EQ(result["Error"], "");
}

TEST_F(EngineFilter, ForgetsTheReasonsOfTheCallBefore) {
  engine_.CallJson("/notes/filter", FullArgs({JsonNode("a", {{"reject", "x"}})}));
  const json result = engine_.CallJson("/notes/filter", FullArgs({JsonNode("a")}));
  EXPECT_EQ(result["FailedNodes"], json::object());
  EXPECT_THAT(NamesOf(result), ElementsAre("a"));
}

TEST(EnginePrioritize, RoundsHalvesUpAndClampsFaultyScores) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes"));
  ASSERT_TRUE(engine.Make().ok());
  const json list = engine.CallJson(
      "/notes/prioritize",
      FullArgs({JsonNode("low", {{"score", "0.449"}}), JsonNode("half", {{"score", "0.45"}}),
                JsonNode("one", {{"score", "1"}}), JsonNode("over", {{"score", "7"}}),
                JsonNode("under", {{"score", "-3"}}), JsonNode("nan", {{"score", "NaN"}})}));
  EXPECT_EQ(ScoreOf(list, "low"), 4);
  EXPECT_EQ(ScoreOf(list, "half"), 5);
  EXPECT_EQ(ScoreOf(list, "one"), 10);
  EXPECT_EQ(ScoreOf(list, "over"), 10);
  EXPECT_EQ(ScoreOf(list, "under"), 0);
  EXPECT_EQ(ScoreOf(list, "nan"), 0);
  EXPECT_EQ(engine.observer.malformed["notes/score"], 1U);
}

TEST(EnginePrioritize, MergedScoresAreTheWeightedMean) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes"), 3).Add(InfoOf<OnlyNamed>("names"), 1);
  ASSERT_TRUE(engine.Make().ok());
  const json list = engine.CallJson("/prioritize", FullArgs({JsonNode("a", {{"score", "0.2"}}),
                                                             JsonNode("b", {{"score", "1"}})}));
  EXPECT_EQ(ScoreOf(list, "a"), 4);  // (3 * 0.2 + 1 * 1) / 4
  EXPECT_EQ(ScoreOf(list, "b"), 8);  // (3 * 1 + 1 * 0) / 4 = 7.5
}

TEST(EngineNamesOnly, AnswersFromTheNodeSource) {
  Node warm;
  warm.name = "b";
  warm.annotations.Set("reject", "too warm");
  Node cool;
  cool.name = "a";
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes")).Nodes({warm, cool});
  ASSERT_TRUE(engine.Make().ok());
  const json result = engine.CallJson("/notes/filter", NamesArgs({"a", "b", "stranger"}));
  EXPECT_EQ(result["NodeNames"], json({"a", "stranger"}));
  EXPECT_EQ(result["Nodes"], nullptr);
  EXPECT_EQ(result["FailedNodes"], json({{"b", "notes: too warm"}}));
  EXPECT_EQ(engine.observer.unknown, 1U);
}

// Known or not, looked up or not.
TEST(EngineNamesOnly, ANodeThatIsNamedTwiceOrNotAtAllIsRefused) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes")).Add(InfoOf<OnlyNamed>("names"));
  Node known;
  known.name = "a";
  engine.Nodes({known});
  ASSERT_TRUE(engine.Make().ok());
  for (const char* path : {"/notes/filter", "/names/filter"}) {
    SCOPED_TRACE(path);
    const auto error = [&](std::vector<std::string> names) {
      return engine.CallJson(path, NamesArgs(std::move(names)))["Error"].get<std::string>();
    };
    EXPECT_EQ(error({"a", "b"}), "");
    EXPECT_EQ(error({"a", "a"}), "NodeNames[1]: node \"a\" is given twice");
    EXPECT_EQ(error({"b", "a", "b"}), "NodeNames[2]: node \"b\" is given twice");
    EXPECT_EQ(error({"a", ""}), "NodeNames[1]: the node has no name");
    EXPECT_EQ(engine.observer.last_error, ErrorKind::kUnanswerable);
  }
}

TEST(EngineNamesOnly, WithoutASourceSaysWhatWouldHelp) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes"));
  ASSERT_TRUE(engine.Make().ok());
  const json result = engine.CallJson("/notes/filter", NamesArgs({"a"}));
  EXPECT_THAT(result["Error"].get<std::string>(), HasSubstr("nodeCacheCapable: false"));
  EXPECT_EQ(engine.observer.last_error, ErrorKind::kUnanswerable);
}

/// A source that has lost the API server.
class StaleNodes final : public NodeSource {
 public:
  absl::StatusOr<std::shared_ptr<const NodeView>> Pin() const override {
    return absl::UnavailableError("nodes are older than 90s: connection refused");
  }
};

TEST(EngineNamesOnly, AStaleSourceIsAnErrorThatSaysWhatIsBehind) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes")).From(std::make_unique<StaleNodes>());
  ASSERT_TRUE(engine.Make().ok());
  const json filtered = engine.CallJson("/notes/filter", NamesArgs({"a"}));
  EXPECT_EQ(filtered["Error"], "notes: nodes are older than 90s: connection refused");
  EXPECT_EQ(engine.Call("/notes/prioritize", NamesArgs({"a"}).dump()).http_status, 422);
  EXPECT_EQ(engine.observer.last_error, ErrorKind::kUnanswerable);
}

TEST(EngineNamesOnly, AStaleSourceDoesNotConcernCallsWithWholeNodes) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes")).From(std::make_unique<StaleNodes>());
  ASSERT_TRUE(engine.Make().ok());
  EXPECT_EQ(engine.CallJson("/notes/filter", FullArgs({JsonNode("a")}))["Error"], "");
}

TEST(Engine, SaysWhatAllItsAgentsTogetherRead) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes")).Add(InfoOf<OnlyNamed>("names"));
  ASSERT_TRUE(engine.Make().ok());
  EXPECT_TRUE((*engine).needs().AnyOfNode());
}

TEST(EngineNamesOnly, NeedsNoSourceWhereNamesAreAllThatIsRead) {
  TestEngine engine;
  engine.Add(InfoOf<OnlyNamed>("names"));
  ASSERT_TRUE(engine.Make().ok());
  const json result = engine.CallJson("/names/filter", NamesArgs({"a", "b"}));
  EXPECT_EQ(result["NodeNames"], json({"a"}));
}

}  // namespace
}  // namespace outrigger::engine
