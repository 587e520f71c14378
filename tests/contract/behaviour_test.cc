// How an agent must answer, whatever it decides.
#include <algorithm>
#include <random>
#include <thread>

#include "acting.h"
#include "answers.h"
#include "builders.h"
#include "gmock/gmock.h"
#include "questions.h"

namespace outrigger::contract {
namespace {

using ::testing::IsEmpty;

class AgentContract : public ::testing::TestWithParam<std::string> {
 protected:
  AgentContract() {
    for (const AgentInfo& info : Registry()) {
      if (info.name != GetParam()) continue;
      AgentDeps deps;
      deps.name = info.name;
      deps.cluster = &cluster_;
      auto agent = info.factory.make(deps, info.factory.settings.Defaults());
      if (!agent.ok()) continue;
      agent_ = *std::move(agent);
      keys_ = KeysOf(info, *agent_);
    }
  }
  void SetUp() override {
    ASSERT_NE(agent_, nullptr) << "refuses its own default settings";
    PutInCharge(&cluster_);
    StartAndAwait(agent_.get());
    // An agent may learn from a pod for which it sees a place for the first time.
    for (const Pod& pod : Pods()) {
      Ask(*agent_, pod, OrdinaryNodes(keys_));
      Ask(*agent_, pod, HostileNodes(keys_));
    }
  }
  void TearDown() override { Stop(agent_.get()); }

  testing::FakeCluster cluster_;
  std::unique_ptr<Agent> agent_;
  std::vector<std::string> keys_;
};

TEST_P(AgentContract, HasNoAnswersForNoNodes) {
  for (const Pod& pod : Pods()) EXPECT_THAT(Ask(*agent_, pod, {}), IsEmpty());
}

TEST_P(AgentContract, GivesFaultlessAnswersAboutOrdinaryNodes) {
  const std::vector<Node> nodes = OrdinaryNodes(keys_);
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> answers = Ask(*agent_, pod, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(FaultOf(answers[i]), "") << pod.name << " on " << nodes[i].name;
    }
  }
}

TEST_P(AgentContract, GivesFaultlessAnswersAboutHostileNodes) {
  const std::vector<Node> nodes = HostileNodes(keys_);
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> answers = Ask(*agent_, pod, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string text = keys_.empty() ? "" : std::string(nodes[i].annotations.Get(keys_[0]));
      EXPECT_EQ(FaultOf(answers[i]), "")
          << pod.name << " on node " << i << ", " << text.substr(0, 80);
    }
  }
}

TEST_P(AgentContract, AnswersForNodesOfWhichOnlyTheNameIsKnown) {
  const std::vector<Node> nodes = {testing::MakeNode("a").Unknown(),
                                   testing::MakeNode("b").Unknown()};
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> answers = Ask(*agent_, pod, nodes);
    EXPECT_EQ(FaultOf(answers[0]), "");
    EXPECT_EQ(answers[0], answers[1]);
  }
}

TEST_P(AgentContract, AnswersTheSameQuestionAlikeWhateverWasAskedBetween) {
  const std::vector<Node> ordinary = OrdinaryNodes(keys_);
  const std::vector<Node> hostile = HostileNodes(keys_);
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> first = Ask(*agent_, pod, ordinary);
    for (const Pod& other : Pods()) Ask(*agent_, other, hostile);
    EXPECT_EQ(Ask(*agent_, pod, ordinary), first) << pod.name;
  }
}

TEST_P(AgentContract, JudgesEachNodeWhereverItStandsInTheList) {
  const std::vector<Node> nodes = OrdinaryNodes(keys_);
  std::vector<size_t> order(nodes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  std::vector<Node> shuffled;
  for (const size_t from : order) shuffled.push_back(nodes[from]);
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> answers = Ask(*agent_, pod, nodes);
    const std::vector<Answer> of_shuffled = Ask(*agent_, pod, shuffled);
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(of_shuffled[i], answers[order[i]]) << pod.name << " on " << shuffled[i].name;
    }
  }
}

// What an agent remembers of a node by its revision must not show.
TEST_P(AgentContract, AnswersAlikeForNodesWithAndWithoutRevisions) {
  const std::vector<Node> plain = OrdinaryNodes(keys_);
  std::vector<Node> known = plain;
  for (size_t i = 0; i < known.size(); ++i) known[i].revision = i + 1;
  for (const Pod& pod : Pods()) {
    const std::vector<Answer> answers = Ask(*agent_, pod, plain);
    EXPECT_EQ(Ask(*agent_, pod, known), answers) << pod.name;
    EXPECT_EQ(Ask(*agent_, pod, known), answers) << pod.name;
  }
}

TEST_P(AgentContract, AnswersSeveralThreadsAtOnceAsItAnswersOne) {
  std::vector<Node> nodes = OrdinaryNodes(keys_);
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].revision = 1000 + i;
  const std::vector<Pod> pods = Pods();
  std::vector<std::vector<Answer>> expected;
  for (const Pod& pod : pods) expected.push_back(Ask(*agent_, pod, nodes));
  std::vector<std::thread> threads;
  std::vector<std::vector<Answer>> answers(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) answers[i] = Ask(*agent_, pods[i], nodes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers, expected);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const AgentInfo& info : Registry()) names.push_back(info.name);
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, AgentContract, ::testing::ValuesIn(Names()), TestName);
// A program without agents is a valid program.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AgentContract);

}  // namespace
}  // namespace outrigger::contract
