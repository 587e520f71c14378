#include "safe.h"

#include <set>

#include "agent_under_test.h"
#include "gmock/gmock.h"

namespace outrigger::safe {
namespace {

using testing::AgentUnderTest;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::SizeIs;

// A node of 2 cpu and 2000 bytes of memory.
MakeNode Small(std::string_view name) {
  return MakeNode(name).Allocatable("cpu", "2").Allocatable("memory", "2000");
}
MakeNode Cpu(std::string_view name, std::string_view free, std::string_view deviation) {
  return Small(name).Annotation("mean-free-cpu", free).Annotation("std-free-cpu", deviation);
}
MakePod Pod200m() {
  return MakePod("p").Requests({{"cpu", "200m"}});
}

// The example of the original's slides: risks 0.0011, 0 and 4e-11.
std::vector<Node> SlideNodes() {
  return {Cpu("master", "900", "200"), Cpu("worker-1", "1600", "50"),
          Cpu("worker-2", "1700", "200")};
}

std::string ReasonFor(const Pod& pod, const Node& node, AgentUnderTest::Texts settings = {}) {
  return AgentUnderTest(MakeFactory(), settings).Filter(OwnedRequest(pod, {node}))[0].reason();
}

TEST(SafeAgentFilter, AcceptsTheNodesOfTheWorkedExample) {
  const AgentUnderTest agent(MakeFactory());
  EXPECT_THAT(agent.Fits(OwnedRequest(Pod200m(), SlideNodes())), Each(true));
}

TEST(SafeAgentFilter, RejectsNodeAboveRiskLimit) {
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(Pod200m(), {Cpu("n", "350", "300")});
  const Verdict verdict = agent.Filter(request)[0];
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kRejected);
  EXPECT_EQ(verdict.reason_class(), "cpu-risk");
  EXPECT_EQ(
      verdict.reason(),
      "cpu: risk 0.79 > 0.30 of exceeding 90 percent utilization; a smaller request or less load "
      "would help");
}

TEST(SafeAgentFilter, NamesEveryResourceAboveTheLimit) {
  const Node node =
      Cpu("n", "0", "0").Annotation("mean-free-memory", "100").Annotation("std-free-memory", "0");
  const AgentUnderTest agent(MakeFactory());
  const Verdict verdict = agent.Filter(OwnedRequest(MakePod(), {node}))[0];
  EXPECT_EQ(verdict.reason_class(), "cpu-and-memory-risk");
  EXPECT_EQ(
      verdict.reason(),
      "cpu: risk 1.00 > 0.30, memory: risk 1.00 > 0.30 of exceeding 90 percent utilization; less "
      "load would help");
}

TEST(SafeAgentFilter, RejectsForMemoryAlone) {
  const Node node = Cpu("n", "2000", "0").Annotation("mean-free-memory", "1");
  const AgentUnderTest agent(MakeFactory());
  EXPECT_EQ(agent.Filter(OwnedRequest(MakePod(), {node}))[0].reason_class(), "memory-risk");
}

TEST(SafeAgentFilter, ShowsAsManyDecimalsAsTheDifferenceNeeds) {
  EXPECT_THAT(ReasonFor(MakePod(), Cpu("n", "400", "0"), {{"utilization", "0.799"}}),
              ::testing::HasSubstr("79.9 percent"));
  EXPECT_THAT(ReasonFor(Pod200m(), Cpu("n", "350", "300"), {{"max-risk", "0.791"}}),
              ::testing::StartsWith("cpu: risk 0.79105 > 0.79100 of"));
}

TEST(SafeAgentFilter, AcceptsNodesWithoutStatistics) {
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(Pod200m(), {Small("bare"), MakeNode("gone").Unknown(),
                                         Cpu("no capacity", "1", "1").NoAllocatable()});
  EXPECT_THAT(agent.Fits(request), Each(true));
}

TEST(SafeAgentFilter, AtLimitZeroAcceptsOnlyWhereThereIsNoRisk) {
  const AgentUnderTest agent(MakeFactory(), {{"max-risk", "0"}});
  EXPECT_THAT(agent.Fits(OwnedRequest(Pod200m(), SlideNodes())), ElementsAre(false, true, false));
}

TEST(SafeAgentOverload, ScoresTheNodesOfTheWorkedExample) {
  const AgentUnderTest agent(MakeFactory());
  EXPECT_THAT(agent.Scores(OwnedRequest(Pod200m(), SlideNodes()), "overload"),
              ElementsAre(9, 10, 9));
}

// Correction: 0/0 was a score of -2^63 in the original.
TEST(SafeAgentOverload, AtLimitZeroScoresTenAtRiskZeroOnly) {
  const AgentUnderTest agent(MakeFactory(), {{"max-risk", "0"}});
  EXPECT_THAT(agent.Scores(OwnedRequest(Pod200m(), SlideNodes()), "overload"),
              ElementsAre(0, 10, 0));
}

// Correction: safe-balance counts the deviation, not its square root.
TEST(SafeAgentBalance, IsHalfTheMeanAndHalfTheDeviation) {
  const AgentUnderTest agent(MakeFactory());
  EXPECT_THAT(agent.Score(OwnedRequest(Pod200m(), SlideNodes()), "balance")[0].value,
              DoubleNear(1 - (0.65 + 0.1) / 2, 1e-12));
}

TEST(SafeAgentBalance, CountsDeviationsByMarginAndSensitivity) {
  const OwnedRequest request(Pod200m(), SlideNodes());
  const std::tuple<const char*, const char*, double> rows[] = {
      {"2", "1", 1 - (0.65 + 0.2) / 2},   {"1", "2", 1 - (0.65 + std::sqrt(0.1)) / 2},
      {"0", "1", 1 - 0.65 / 2},           {"1", "4", 1 - (0.65 + std::pow(0.1, 0.25)) / 2},
      {"100", "1", 1 - (0.65 + 1.0) / 2}, {"1", "0", 1 - 0.65 / 2},
  };
  for (const auto& [margin, sensitivity, score] : rows) {
    const AgentUnderTest agent(MakeFactory(), {{"margin", margin}, {"sensitivity", sensitivity}});
    EXPECT_THAT(agent.Score(request, "balance")[0].value, DoubleNear(score, 1e-12))
        << margin << " " << sensitivity;
  }
}

TEST(SafeAgentScore, IsThatOfTheWorseResource) {
  const Node node = Cpu("n", "1600", "50")
                        .Annotation("mean-free-memory", "500")
                        .Annotation("std-free-memory", "100");
  const AgentUnderTest agent(MakeFactory());
  const OwnedRequest request(Pod200m(), {node});
  EXPECT_THAT(agent.Score(request, "balance")[0].value, DoubleNear(1 - (0.75 + 0.05) / 2, 1e-12));
  EXPECT_LT(agent.Scores(request, "overload")[0], 10);
}

// Correction: the original punished a node of which nothing is known with the worst score.
TEST(SafeAgentScore, WithoutStatisticsIsNeutralOrAsSet) {
  const OwnedRequest request(Pod200m(), {Small("bare"), MakeNode("gone").Unknown()});
  for (const char* scorer : {"", "overload", "balance"}) {
    EXPECT_THAT(AgentUnderTest(MakeFactory()).Scores(request, scorer), ElementsAre(5, 5));
    EXPECT_THAT(
        AgentUnderTest(MakeFactory(), {{"no-statistics-score", "0"}}).Scores(request, scorer),
        ElementsAre(0, 0));
  }
}

TEST(SafeAgentScore, IsTheWeightedMeanOfOverloadAndBalance) {
  const OwnedRequest request(Pod200m(), SlideNodes());
  const double balance = 1 - (0.65 + 0.1) / 2;
  const auto score = [&](AgentUnderTest::Texts settings) {
    return AgentUnderTest(MakeFactory(), settings).Score(request)[0].value;
  };
  EXPECT_THAT(score({}), DoubleNear((0.9 + balance) / 2, 1e-12));
  EXPECT_THAT(score({{"balance-weight", "0"}}), DoubleNear(0.9, 1e-12));
  EXPECT_THAT(score({{"overload-weight", "0"}}), DoubleNear(balance, 1e-12));
  EXPECT_THAT(score({{"overload-weight", "3"}}), DoubleNear((3 * 0.9 + balance) / 4, 1e-12));
}

TEST(SafeAgentScore, ExplainsItsFiguresOnlyIfSomebodyAsked) {
  const AgentUnderTest agent(MakeFactory());
  EXPECT_EQ(
      agent.Score(OwnedRequest(Pod200m(), SlideNodes(), true))[0].why.text(),
      "cpu: use 65.0 % +- 10.0 %, alpha 14.1, beta 7.61, risk 0.0011, balance 0.62; memory: no "
      "statistics");
  EXPECT_EQ(agent.Score(OwnedRequest(Pod200m(), SlideNodes(), false))[0].why.text(), "");
}

TEST(SafeAgentPrintTable, LogsTheFiguresOfEveryNode) {
  const OwnedRequest request(Pod200m(), SlideNodes(), /*explaining=*/false);
  const AgentUnderTest agent(MakeFactory(), {{"print-table", "true"}});
  agent.Scores(request, "overload");
  ASSERT_THAT(agent.log(), SizeIs(3));
  EXPECT_EQ(
      agent.log()[0],
      "pod=default/p node=master cpu: use 65.0 % +- 10.0 %, alpha 14.1, beta 7.61, risk 0.0011, "
      "balance 0.62; memory: no statistics; score 0.90");
  const AgentUnderTest quiet(MakeFactory());
  quiet.Scores(request, "overload");
  EXPECT_THAT(quiet.log(), IsEmpty());
}

TEST(SafeAgentSettings, TakeTheOriginalsEnvironmentAsItDid) {
  const std::tuple<const char*, const char*, double> rows[] = {
      {"SAFEUTILIZATION", "80", 0.8},  {"SAFEUTILIZATION", "0.8", 0.9},
      {"SAFEUTILIZATION", "101", 0.9}, {"SAFEUTILIZATION", " 20", 0.9},
      {"SAFEUTILIZATION", "+40", 0.4}, {"SAFEUTILIZATION", "", 0.9},
  };
  for (const auto& [variable, text, value] : rows) {
    SettingsValues settings = MakeFactory().settings.Defaults();
    ASSERT_TRUE(testing::SetFromLegacyEnv(MakeFactory(), variable, text, &settings));
    EXPECT_EQ(settings.As<Settings>().utilization, value) << text;
  }
}

TEST(SafeAgentSettings, PrintATableOnlyForExactlyTrue) {
  for (const auto& [text, expected] :
       {std::pair{"true", true}, {"TRUE", false}, {"1", false}, {"", false}}) {
    SettingsValues settings = MakeFactory().settings.Defaults();
    ASSERT_TRUE(testing::SetFromLegacyEnv(MakeFactory(), "SAFEPRINTTABLE", text, &settings));
    EXPECT_EQ(settings.As<Settings>().print_table, expected) << text;
  }
}

TEST(SafeAgentSettings, AreRefusedIfADefaultIsNoAmount) {
  for (const char* name : {"default-cpu", "default-memory"}) {
    for (const char* text : {"", "much", "-1", "100 m"}) {
      const auto settings = testing::SettingsFrom(MakeFactory(), {{name, text}});
      const auto agent = MakeFactory().make({.name = "safe"}, settings);
      EXPECT_EQ(agent.status().code(), absl::StatusCode::kInvalidArgument) << name << " " << text;
      EXPECT_THAT(std::string(agent.status().message()), ::testing::HasSubstr(name));
    }
  }
}

TEST(SafeAgentSettings, SayWhetherPodsAreFollowed) {
  const auto reads_pods = [](const char* estimate) {
    AgentUnderTest agent(MakeFactory(), {{"estimate", estimate}});
    return agent.agent().Reads().Has(Needs::kClusterPods);
  };
  EXPECT_TRUE(reads_pods("requests"));
  EXPECT_TRUE(reads_pods("limits"));
  EXPECT_FALSE(reads_pods("none"));
}

TEST(SafeAgentSettings, AreRefusedIfBothWeightsAreZero) {
  const auto settings =
      testing::SettingsFrom(MakeFactory(), {{"overload-weight", "0"}, {"balance-weight", "0"}});
  const auto agent = MakeFactory().make({.name = "safe"}, settings);
  EXPECT_EQ(agent.status().code(), absl::StatusCode::kInvalidArgument);
}

// More texts of rejections than are remembered.
TEST(SafeAgentCache, AnswersLikeAnAgentWithoutItWhereTextsAreMany) {
  std::vector<Node> nodes;
  for (int cpu = 0; cpu < 75; ++cpu) {
    for (int memory = 0; memory < 75; ++memory) {
      nodes.push_back(Cpu("n", std::to_string(cpu * 6), "200")
                          .Annotation("mean-free-memory", std::to_string(memory * 6))
                          .Annotation("std-free-memory", "200"));
    }
  }
  const OwnedRequest fresh(MakePod(), nodes);
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].revision = 1 + i;
  const OwnedRequest known(MakePod(), nodes);
  const std::vector<Verdict> expected =
      AgentUnderTest(MakeFactory(), {{"max-risk", "0.1"}}).Filter(fresh);
  const AgentUnderTest cached(MakeFactory(), {{"max-risk", "0.1"}});
  std::set<std::string> texts;
  for (int call = 0; call < 3; ++call) {
    const std::vector<Verdict> verdicts = cached.Filter(known);
    for (size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(verdicts[i].reason(), expected[i].reason()) << call << " " << i;
      texts.insert(verdicts[i].reason());
    }
  }
  EXPECT_GT(texts.size(), Rejections::kMost);
}

// The cache of assessments must never be seen in an answer.
TEST(SafeAgentCache, AnswersLikeAnAgentWithoutIt) {
  const AgentUnderTest cached(MakeFactory());
  const auto answers = [](const AgentUnderTest& agent, const OwnedRequest& request) {
    std::vector<std::string> texts;
    for (const Verdict& verdict : agent.Filter(request)) texts.push_back(verdict.reason());
    for (const NodeScore& score : agent.Score(request)) {
      texts.push_back(fmt::format("{}", score.value));
    }
    return texts;
  };
  for (const uint64_t generation : {uint64_t{1}, uint64_t{2}}) {
    for (const char* cpu : {"0", "200m", "700m", "200m"}) {
      std::vector<Node> nodes;
      for (int i = 0; i < 100; ++i) {
        Node node = Cpu("n", std::to_string(i * 20 * static_cast<int>(generation)), "200");
        nodes.push_back(node);
      }
      const OwnedRequest fresh(MakePod().Requests({{"cpu", cpu}}), nodes);
      for (size_t i = 0; i < nodes.size(); ++i) nodes[i].revision = generation * 1000 + i;
      const OwnedRequest known(MakePod().Requests({{"cpu", cpu}}), nodes);
      EXPECT_EQ(answers(cached, known), answers(AgentUnderTest(MakeFactory()), fresh))
          << generation << " " << cpu;
    }
  }
}

}  // namespace
}  // namespace outrigger::safe
