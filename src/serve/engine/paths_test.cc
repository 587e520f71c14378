#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using ::testing::HasSubstr;

/// Has a second scorer and the paths of an older program.
class Old final : public Agent, public Filterer, public Scorer {
 public:
  static std::vector<Alias> Aliases() {
    return {{"/scheduler/predicates/old", Alias::Verb::kFilter, ""},
            {"/scheduler/priorities/old-b", Alias::Verb::kPrioritize, "b"}};
  }
  std::vector<NamedScorer> NamedScorers() const override { return {{"b", &b_}}; }
  absl::Status Filter(const Request&, std::span<Verdict>) const override {
    return absl::OkStatus();
  }
  absl::Status Score(const Request&, std::span<NodeScore>) const override {
    return absl::OkStatus();
  }

 private:
  class Best final : public Scorer {
    absl::Status Score(const Request&, std::span<NodeScore> scores) const override {
      for (NodeScore& score : scores) score.value = 1;
      return absl::OkStatus();
    }
  };
  Best b_;
};

TEST(EnginePaths, ServeWhatTheAgentImplementsAndNothingElse) {
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes"));
  ASSERT_TRUE(engine.Make().ok());
  for (const char* path : {"/notes/filter", "/notes/prioritize", "/filter", "/prioritize"}) {
    EXPECT_TRUE(engine.Serves(path)) << path;
  }
  for (const char* path : {"/notes/bind", "/notes/preempt", "/bind", "/preempt"}) {
    EXPECT_FALSE(engine.Serves(path)) << path;
  }
}

TEST(EnginePaths, ServeNamedScorersAndAliases) {
  TestEngine engine;
  engine.Add(InfoOf<Old>("old"));
  ASSERT_TRUE(engine.Make().ok());
  EXPECT_TRUE(engine.Serves("/scheduler/predicates/old"));
  for (const char* path : {"/old/b/prioritize", "/scheduler/priorities/old-b"}) {
    EXPECT_EQ(engine.CallJson(path, FullArgs({JsonNode("a")}))[0]["Score"], 10) << path;
  }
  EXPECT_EQ(engine.CallJson("/old/prioritize", FullArgs({JsonNode("a")})), nlohmann::json::array())
      << "0 of all is left out";
}

/// No scheduler is to call it.
class Uncalled final : public Agent, public Filterer, public Scorer, public Binder {
 public:
  static bool TakesCalls(const NoSettings& /*settings*/) { return false; }
  absl::Status Filter(const Request&, std::span<Verdict> verdicts) const override {
    for (Verdict& verdict : verdicts) verdict = Verdict::Rejected("asked", "");
    return absl::OkStatus();
  }
  absl::Status Score(const Request&, std::span<NodeScore>) const override {
    return absl::OkStatus();
  }
  absl::Status Bind(const BindRequest&) override { return absl::OkStatus(); }
};

TEST(EnginePaths, AnAgentThatTakesNoCallsSaysSoAndIsNotMerged) {
  TestEngine engine;
  engine.Add(InfoOf<Old>("old")).Add(InfoOf<Uncalled>("apart"));
  ASSERT_TRUE(engine.Make().ok());
  const std::string why =
      "with its settings agent apart takes no calls of a scheduler: remove its entries from the "
      "scheduler's configuration (extenders)";
  EXPECT_EQ(engine.CallJson("/apart/filter", FullArgs({JsonNode("a")}))["Error"], why);
  EXPECT_EQ(engine.CallJson("/apart/bind", nlohmann::json::object())["Error"], why);
  const Reply scores = engine.Call("/apart/prioritize", FullArgs({JsonNode("a")}).dump());
  EXPECT_EQ(scores.http_status, 422);
  EXPECT_THAT(scores.body, HasSubstr(why));
  const nlohmann::json merged = engine.CallJson("/filter", FullArgs({JsonNode("a")}));
  EXPECT_EQ(merged["Nodes"]["items"].size(), 1U) << merged;
  EXPECT_FALSE(engine.Serves("/bind")) << "it is the only one that binds";
}

TEST(EnginePaths, NoAgentsServeNothing) {
  TestEngine engine;
  ASSERT_TRUE(engine.Make().ok());
  EXPECT_TRUE((*engine).endpoints().empty());
}

struct Refusal {
  const char* name;
  std::vector<AgentInfo> agents;
  double weight;
  const char* says;
};

TEST(EngineCreate, RefusesWhatCannotBeServed) {
  const Refusal refusals[] = {
      {"an agent twice", {InfoOf<OnlyNamed>("x"), InfoOf<OnlyNamed>("x")}, 1, "/x/filter"},
      {"two binders",
       {InfoOf<BindsEverything>("x"), InfoOf<BindsEverything>("y")},
       1,
       "agents x and y both bind"},
      {"weight zero", {InfoOf<OnlyNamed>("x")}, 0, "weight 0"},
  };
  for (const Refusal& refusal : refusals) {
    TestEngine engine;
    for (const AgentInfo& info : refusal.agents) engine.Add(info, refusal.weight);
    const absl::Status status = engine.Make();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << refusal.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(refusal.says)) << refusal.name;
  }
}

TEST(EngineCreate, RefusesAnAgentWhoseMetricsCannotBe) {
  const AgentInfo info = InfoOf<OnlyNamed>("x");
  AgentWorld world;
  world.metrics = [](const AgentInfo&) -> absl::StatusOr<AgentMetrics*> {
    return absl::InvalidArgumentError("metric \"no name\": refused");
  };
  ServedAgent served;
  served.info = &info;
  served.settings = info.factory.settings.Defaults();
  RecordingObserver observer;
  const auto engine = Engine::Create({served}, &observer, nullptr, world);
  EXPECT_EQ(engine.status(), absl::InvalidArgumentError("agent x: metric \"no name\": refused"));
}

}  // namespace
}  // namespace outrigger::engine
