#include "serve/engine/explain.h"

#include "builders.h"
#include "fake_agents_testing.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = Verdict::Kind;

/// Scores by annotation and says why; has two further scorers, of which one cannot answer.
class Scores final : public Agent, public Scorer {
 public:
  explicit Scores(const NoSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().NodeAnnotations({"score"}); }
  std::vector<NamedScorer> NamedScorers() const override {
    return {{"half", &half_}, {"broken", &broken_}};
  }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (size_t i = 0; i < request.nodes.size(); ++i) {
      const double value = request.AnnotationDouble(request.nodes[i], "score").value_or(0);
      scores[i] = {value, request.Why("annotated {}", value)};
    }
    return absl::OkStatus();
  }

 private:
  class Half final : public Scorer {
    absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
      for (NodeScore& score : scores) score = {0.5, request.Why("always half")};
      return absl::OkStatus();
    }
  };
  class Broken final : public Scorer {
    absl::Status Score(const Request& /*r*/, std::span<NodeScore> /*s*/) const override {
      return absl::UnavailableError("no 100 % today");
    }
  };
  Half half_;
  Broken broken_;
};

Node MakeNode(const std::string& name, const std::map<std::string, std::string>& annotations = {}) {
  Node node;
  node.name = name;
  for (const auto& [key, value] : annotations) node.annotations.Set(key, value);
  return node;
}

class Explaining : public ::testing::Test {
 protected:
  void SetUp() override { OnlyNamed::asked.clear(); }

  void Add(AgentInfo info, double weight = 1) {
    infos_.push_back(std::make_unique<AgentInfo>(std::move(info)));
    served_.push_back({infos_.back().get(), infos_.back()->factory.settings.Defaults(), weight});
  }
  Explanation Explained(const std::vector<Node>& nodes) {
    Pod pod;
    pod.name = "p";
    auto explanation = Explain(served_, pod, nodes, &observer_);
    EXPECT_TRUE(explanation.ok()) << explanation.status();
    return explanation.ok() ? *std::move(explanation) : Explanation();
  }

  std::vector<std::unique_ptr<AgentInfo>> infos_;
  std::vector<ServedAgent> served_;
  RecordingObserver observer_;
};

std::vector<std::string> NamesOf(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const ExplainedNode& node : explanation.nodes) names.push_back(node.name);
  return names;
}

TEST_F(Explaining, GivesTheVerdictAndReasonThatTheSchedulerIsTold) {
  Add(InfoOf<ByAnnotation>("notes"));
  const Explanation explanation =
      Explained({MakeNode("a"), MakeNode("b", {{"reject", "90 % warm"}}),
                 MakeNode("c", {{"reject", "unresolvable: gone"}})});
  ASSERT_THAT(NamesOf(explanation), ElementsAre("a", "b", "c"));
  const auto& [a, b, c] =
      std::tie(explanation.nodes[0], explanation.nodes[1], explanation.nodes[2]);
  EXPECT_EQ(a.answers[0].verdict, Kind::kFits);
  EXPECT_EQ(a.answers[0].reason, "");
  EXPECT_EQ(b.answers[0].verdict, Kind::kRejected);
  EXPECT_EQ(b.answers[0].reason, "notes: 90 percent warm");
  EXPECT_EQ(c.answers[0].verdict, Kind::kUnresolvable);
  EXPECT_EQ(c.verdict, Kind::kUnresolvable);
  EXPECT_EQ(explanation.fitting, 1U);
}

TEST_F(Explaining, AsksEveryAgentAboutEveryNodeAlsoWhereAnotherRejectedIt) {
  Add(InfoOf<ByAnnotation>("notes"));
  Add(InfoOf<OnlyNamed>("names"));
  const Explanation explanation = Explained({MakeNode("b", {{"reject", "warm"}})});
  const ExplainedNode& node = explanation.nodes.at(0);
  EXPECT_EQ(node.reason, "notes: warm");
  EXPECT_EQ(node.answers[1].verdict, Kind::kRejected);
  EXPECT_EQ(node.answers[1].reason, "names: is not a");
}

TEST_F(Explaining, GivesScoresWithTheFiguresBehindThem) {
  Add(InfoOf<Scores>("scores"));
  const Explanation explanation = Explained({MakeNode("a", {{"score", "0.72"}})});
  ASSERT_THAT(explanation.agents.at(0).scorers, ElementsAre("half", "broken"));
  const ExplainedAnswer& answer = explanation.nodes.at(0).answers.at(0);
  EXPECT_FALSE(answer.verdict.has_value());
  EXPECT_EQ(answer.score->value, 0.72);
  EXPECT_EQ(answer.score->points, 7);
  EXPECT_EQ(answer.score->why, "annotated 0.72");
  ASSERT_THAT(answer.scorers, SizeIs(2));
  EXPECT_EQ(answer.scorers[0]->points, 5);
  EXPECT_EQ(answer.scorers[0]->why, "always half");
  EXPECT_FALSE(answer.scorers[1].has_value());
}

TEST_F(Explaining, SortsFittingNodesFirstThenByScoreThenByName) {
  Add(InfoOf<ByAnnotation>("notes"));
  const std::vector<Node> nodes = {MakeNode("late"), MakeNode("good", {{"score", "0.9"}}),
                                   MakeNode("best-but-rejected", {{"score", "1"}, {"reject", "x"}}),
                                   MakeNode("early"),
                                   MakeNode("rejected", {{"score", "0.1"}, {"reject", "x"}})};
  const auto order = NamesOf(Explained(nodes));
  EXPECT_THAT(order, ElementsAre("good", "early", "late", "best-but-rejected", "rejected"));
  EXPECT_EQ(NamesOf(Explained({nodes.rbegin(), nodes.rend()})), order);
}

TEST_F(Explaining, CountsReasonsInTheWordsOfTheEvent) {
  Add(InfoOf<ByAnnotation>("notes"));
  const Explanation explanation =
      Explained({MakeNode("a", {{"reject", "warm"}}), MakeNode("b", {{"reject", "cold"}}),
                 MakeNode("c", {{"reject", "warm"}})});
  EXPECT_THAT(explanation.reasons,
              ElementsAre(CountedReason{"notes: warm", 2}, CountedReason{"notes: cold", 1}));
  // The scheduler sorts the counted texts.
  EXPECT_EQ(EventText(explanation), "0/3 nodes are available: 1 notes: cold, 2 notes: warm.");
}

TEST_F(Explaining, HasNoEventWhereANodeFits) {
  Add(InfoOf<ByAnnotation>("notes"));
  EXPECT_EQ(EventText(Explained({MakeNode("a"), MakeNode("b", {{"reject", "warm"}})})), "");
  EXPECT_EQ(EventText(Explained({})), "0/0 nodes are available.");
}

TEST_F(Explaining, ReportsAnAgentThatCannotAnswerBesideTheOthers) {
  Add(InfoOf<ByAnnotation>("notes"));
  Add(InfoOf<OnlyNamed>("names"));
  const Explanation explanation =
      Explained({MakeNode("a", {{"reject", "status"}, {"score", "1"}}), MakeNode("b")});
  EXPECT_TRUE(explanation.filter_failed);
  EXPECT_THAT(explanation.agents[0].faults,
              ElementsAre(AllOf(Field(&ExplainedFault::path, "/notes/filter"),
                                Field(&ExplainedFault::text, "notes: the source is gone"))));
  EXPECT_THAT(explanation.agents[1].faults, IsEmpty());
  const ExplainedNode& a = explanation.nodes.at(0);
  EXPECT_EQ(a.name, "a");
  EXPECT_FALSE(a.answers[0].verdict.has_value());
  EXPECT_EQ(a.answers[0].score->points, 10);
  EXPECT_EQ(a.answers[1].verdict, Kind::kFits);
  EXPECT_EQ(explanation.nodes.at(1).reason, "names: is not a");
  EXPECT_EQ(a.points, 10);
}

TEST_F(Explaining, HidesWhatAnAgentThrows) {
  Add(InfoOf<ByAnnotation>("notes"));
  const Explanation explanation = Explained({MakeNode("a", {{"reject", "throw"}})});
  ASSERT_THAT(explanation.agents[0].faults, SizeIs(1));
  EXPECT_EQ(explanation.agents[0].faults[0].text, "notes: internal error, see the log");
}

TEST_F(Explaining, HasNoMergedScoreWithoutAllOfItsParts) {
  class BrokenScorer final : public Agent, public Scorer {
   public:
    explicit BrokenScorer(const NoSettings& /*settings*/) {}
    absl::Status Score(const Request& /*r*/, std::span<NodeScore> /*s*/) const override {
      return absl::UnavailableError("at 100 %");
    }
  };
  Add(InfoOf<ByAnnotation>("notes"));
  Add(InfoOf<BrokenScorer>("broken"));
  const Explanation explanation = Explained({MakeNode("a", {{"score", "1"}})});
  EXPECT_FALSE(explanation.nodes.at(0).points.has_value());
  EXPECT_EQ(explanation.nodes[0].answers[0].score->points, 10);
  EXPECT_THAT(explanation.agents[1].faults,
              ElementsAre(Field(&ExplainedFault::text, "broken: at 100 percent")));
  EXPECT_FALSE(explanation.filter_failed);
}

TEST_F(Explaining, KeepsWhatAgentsCouldNotReadOnce) {
  Add(InfoOf<Scores>("scores"));
  const Explanation explanation =
      Explained({MakeNode("a", {{"score", "high"}}), MakeNode("b", {{"score", "high"}})});
  ASSERT_THAT(explanation.malformed, SizeIs(2));
  EXPECT_EQ(explanation.malformed[0].agent, "scores");
  EXPECT_EQ(explanation.malformed[0].node, "a");
  EXPECT_EQ(explanation.malformed[0].field, "score");
  EXPECT_EQ(explanation.malformed[0].value, "high");
}

TEST_F(Explaining, TakesAgentsThatBindThoughTwoOfThemCannotBeServedTogether) {
  Add(InfoOf<BindsEverything>("one"));
  Add(InfoOf<BindsEverything>("two"));
  EXPECT_THAT(Explained({MakeNode("a")}).agents, SizeIs(2));
}

TEST_F(Explaining, RefusesWhatTheEngineRefuses) {
  Add(InfoOf<ByAnnotation>("notes"), 0);
  const auto explanation = Explain(served_, Pod(), std::vector<Node>(), &observer_);
  EXPECT_TRUE(absl::IsInvalidArgument(explanation.status()));
  EXPECT_THAT(std::string(explanation.status().message()), HasSubstr("weight 0 is not accepted"));
}

// The explanation in the form of the protocol's answers, for one agent or for all merged
// (SIZE_MAX).
struct Said {
  std::map<std::string, std::string> rejected, unresolvable;
  std::map<std::string, int> points;
  std::vector<std::string> fitting;
};

Said SaidBy(const Explanation& explanation, size_t agent) {
  Said said;
  for (const ExplainedNode& node : explanation.nodes) {
    const bool merged = agent == SIZE_MAX;
    const Kind kind = merged ? node.verdict : *node.answers[agent].verdict;
    const std::string& reason = merged ? node.reason : node.answers[agent].reason;
    if (kind == Kind::kFits) said.fitting.push_back(node.name);
    if (kind == Kind::kRejected) said.rejected[node.name] = reason;
    if (kind == Kind::kUnresolvable) said.unresolvable[node.name] = reason;
    said.points[node.name] = merged ? *node.points : node.answers[agent].score->points;
  }
  std::sort(said.fitting.begin(), said.fitting.end());
  return said;
}

Said SaidBy(TestEngine& engine, const std::string& prefix, const json& call) {
  const json filtered = engine.CallJson(prefix + "/filter", call);
  Said said;
  said.rejected = filtered["FailedNodes"];
  said.unresolvable = filtered["FailedAndUnresolvableNodes"];
  for (const json& item : filtered["Nodes"]["items"]) {
    said.fitting.push_back(item["metadata"]["name"]);
  }
  std::sort(said.fitting.begin(), said.fitting.end());
  for (const json& entry : engine.CallJson(prefix + "/prioritize", call)) {
    said.points[entry["Host"]] = entry["Score"];
  }
  return said;
}

TEST_F(Explaining, AgreesWithWhatTheEngineAnswersForTheSamePodAndNodes) {
  Add(InfoOf<ByAnnotation>("notes"), 3);
  Add(InfoOf<OnlyNamed>("names"), 0.5);
  TestEngine engine;
  engine.Add(InfoOf<ByAnnotation>("notes"), 3).Add(InfoOf<OnlyNamed>("names"), 0.5);
  ASSERT_TRUE(engine.Make().ok());
  const std::map<std::string, std::map<std::string, std::string>> cluster = {
      {"a", {{"score", "0.349"}}},
      {"b", {{"reject", "90 % warm"}, {"score", "0.95"}}},
      {"c", {{"reject", "unresolvable: gone"}, {"score", "-4"}}},
      {"d", {{"score", "0.65"}}},
      {"e", {{"reject", "90 % warm"}, {"score", "NaN"}}}};
  std::vector<Node> nodes;
  std::vector<json> items;
  for (const auto& [name, annotations] : cluster) {
    nodes.push_back(MakeNode(name, annotations));
    items.push_back(JsonNode(name, annotations));
  }
  const Explanation explanation = Explained(nodes);
  for (const ExplainedNode& node : explanation.nodes) {
    EXPECT_EQ(std::floor(node.value * 10 + 0.5), *node.points) << node.name;
  }
  const std::pair<std::string, size_t> paths[] = {{"/notes", 0}, {"/names", 1}, {"", SIZE_MAX}};
  for (const auto& [prefix, agent] : paths) {
    SCOPED_TRACE(prefix);
    const Said explained = SaidBy(explanation, agent);
    const Said answered = SaidBy(engine, prefix, FullArgs(items));
    EXPECT_EQ(explained.fitting, answered.fitting);
    EXPECT_EQ(explained.rejected, answered.rejected);
    EXPECT_EQ(explained.unresolvable, answered.unresolvable);
    EXPECT_EQ(explained.points, answered.points);
  }
}

/// Answers from what it works out while it serves.
class Pipelines final : public Agent, public Filterer, public Controller {
 public:
  explicit Pipelines(const NoSettings& /*settings*/) {}
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> /*v*/) const override {
    return absl::UnavailableError("the first pipeline is not made yet");
  }
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
};

TEST_F(Explaining, LeavesOutWhoFiltersByWhatItWorksOutWhileItServes) {
  Add(InfoOf<Pipelines>("pipelines"));
  Add(InfoOf<Scores>("scores"));
  const Explanation explanation = Explained({MakeNode("a", {{"score", "1"}})});
  EXPECT_THAT(explanation.left_out, ElementsAre("pipelines"));
  ASSERT_THAT(explanation.agents, SizeIs(1));
  EXPECT_EQ(explanation.agents[0].name, "scores");
  EXPECT_FALSE(explanation.filter_failed);
  EXPECT_EQ(explanation.fitting, 1U);
  EXPECT_THAT(explanation.nodes.at(0).answers, SizeIs(1));
}

/// Has something to do while it serves, and needs none of it for an answer.
class Bookkeeper final : public Agent, public Filterer, public Controller {
 public:
  explicit Bookkeeper(const NoSettings& /*settings*/) {}
  absl::Status Filter(const Request& /*r*/, std::span<Verdict> verdicts) const override {
    for (Verdict& verdict : verdicts) verdict = Verdict::Rejected("books", "the books say no");
    return absl::OkStatus();
  }
  absl::Status Start() override { return absl::OkStatus(); }
  void Stop() override {}
  bool IsNeededToAnswer() const override { return false; }
};

TEST_F(Explaining, AsksAFilterThatAnswersWithoutItsController) {
  Add(InfoOf<Bookkeeper>("bookkeeper"));
  const Explanation explanation = Explained({MakeNode("a", {{"score", "1"}})});
  EXPECT_THAT(explanation.left_out, ElementsAre());
  ASSERT_THAT(explanation.agents, SizeIs(1));
  EXPECT_EQ(explanation.fitting, 0U);
}

/// Says how many pods the cluster has.
class Counts final : public Agent, public Scorer {
 public:
  Counts(const NoSettings& /*settings*/, const AgentDeps& deps) : cluster_(deps.cluster) {}
  Needs Reads() const override { return Needs().ClusterPods(); }
  absl::Status Score(const Request& request, std::span<NodeScore> scores) const override {
    for (NodeScore& score : scores) {
      score.why = cluster_ == nullptr
                      ? "no cluster"
                      : request.Why("{} pods", cluster_->Take()->snapshot->PodCount());
    }
    return absl::OkStatus();
  }

 private:
  ClusterAccess* const cluster_;
};

/// Needs no pods.
class CountsNone final : public Agent, public Scorer {
 public:
  CountsNone(const NoSettings& /*settings*/, const AgentDeps& deps)
      : why_(deps.cluster == nullptr ? "no cluster" : "a cluster") {}
  absl::Status Score(const Request& /*r*/, std::span<NodeScore> scores) const override {
    for (NodeScore& score : scores) score.why = why_;
    return absl::OkStatus();
  }

 private:
  const std::string why_;
};

TEST_F(Explaining, ShowsTheClusterToAgentsThatReadItsPods) {
  Add(InfoOf<Counts>("counts"));
  Add(InfoOf<CountsNone>("none"));
  testing::FakeCluster cluster;
  cluster.Put(testing::MakePod("a"));
  cluster.Put(testing::MakePod("b"));
  const std::vector<Node> nodes = {MakeNode("n")};
  const auto explanation = Explain(served_, testing::MakePod("p"), nodes, &observer_, &cluster);
  ASSERT_TRUE(explanation.ok());
  EXPECT_EQ(explanation->nodes[0].answers[0].score->why, "2 pods");
  EXPECT_EQ(explanation->nodes[0].answers[1].score->why, "no cluster");
  EXPECT_EQ(Explained(nodes).nodes[0].answers[0].score->why, "no cluster");
}

}  // namespace
}  // namespace outrigger::engine
