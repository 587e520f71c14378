// The agent as the program makes it.
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "agent_under_test.h"
#include "builders.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/state_store.h"

namespace outrigger::reward {

AgentFactory MakeFactory();

namespace {

using testing::AgentUnderTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OwnedRequest;

class RewardAgent : public ::testing::Test {
 protected:
  RewardAgent()
      : request_(testing::MakePod("new").Label("podtype", "D"),
                 {testing::MakeNode("a"), testing::MakeNode("b")}) {
    for (const char* node : {"a", "b"}) cluster_.Put(Node(testing::MakeNode(node)));
  }
  void Store(const std::string& key, const std::string& text) {
    ConfigMap map;
    map.namespace_ = "kube-system";
    map.name = "outrigger-reward";
    map.data[key] = text;
    ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  }
  // Threads of the agent do it.
  static bool Eventually(const std::function<bool()>& is_so) {
    for (int i = 0; i < 500; ++i) {
      if (is_so()) return true;
      Clock().sleep(std::chrono::milliseconds(10), {});
    }
    return false;
  }
  static std::string PairsOfNow() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    return "outrigger-reward 2\ntime " + std::to_string(seconds) +
           "\nnode a\ntype default/D - 10 3\non 0 0 3 60,50,40\n";
  }

  testing::FakeCluster cluster_;
  const OwnedRequest request_;
};

TEST_F(RewardAgent, ScoresByWhatAnotherProcessHasStored) {
  Store("pairs", PairsOfNow());
  AgentUnderTest agent(MakeFactory(), {}, &cluster_);
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  EXPECT_THAT(agent.Scores(request_), ElementsAre(10, 10));
  ASSERT_TRUE(controller->Start().ok());
  EXPECT_TRUE(Eventually([&] { return agent.Scores(request_)[0] == 4; }));
  EXPECT_THAT(agent.Score(request_)[0].why.text(),
              HasSubstr("3 failures of type D (namespace default, image -) here"));
  controller->Stop();
}

TEST_F(RewardAgent, CountsWhileItLeads) {
  AgentUnderTest agent(MakeFactory(), {}, &cluster_);
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  cluster_.elections().Give();
  ASSERT_TRUE(controller->Start().ok());
  EXPECT_EQ(cluster_.elections().claim().name, "outrigger-reward");
  EXPECT_EQ(cluster_.elections().claim().namespace_, "kube-system");
  Pod pod = testing::MakePod("d").Label("podtype", "D");
  pod.uid = "u";
  pod.node_name = "a";
  pod.phase = "Failed";
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  ContainerState& state = pod.container_states.emplace_back();
  state.name = "c";
  state.end = ContainerEnd{1, "Error", now - 5, now};
  cluster_.Put(pod);
  pod.name = "e";
  pod.uid = "v";
  pod.node_name = "b";
  pod.container_states[0].end->exit_code = 0;
  cluster_.Put(pod);
  EXPECT_TRUE(Eventually([&] { return agent.Scores(request_)[0] < 10; }));
  EXPECT_TRUE(Eventually([&] {
    return cluster_.ReadConfigMap("kube-system", "outrigger-reward", {}).ok();
  })) << "a failure is stored at once";
  controller->Stop();
}

TEST_F(RewardAgent, WithoutAClusterItNeedsAFile) {
  AgentUnderTest agent(MakeFactory());
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  EXPECT_TRUE(absl::IsFailedPrecondition(controller->Start()));
  EXPECT_THAT(agent.Scores(request_), ElementsAre(10, 10));
}

TEST_F(RewardAgent, ExplainsByItsFileWithoutBeingStarted) {
  const std::string file = ::testing::TempDir() + "/outrigger-reward-state";
  std::filesystem::remove(file);
  AgentDeps deps;
  deps.name = "under-test";  // as AgentUnderTest has it
  auto store = MakeStateStore({.namespace_ = "kube-system", .config_map = "x", .file = file}, deps);
  ASSERT_TRUE(store.ok());
  StoredState state;
  state.data["pairs"] = PairsOfNow();
  const auto there = (*store)->Load({});
  ASSERT_TRUE(there.ok());
  state.version = there->version;
  ASSERT_TRUE((*store)->Save(state, {}).ok());
  // `outrigger explain` has no cluster with --file, and one with --kubeconfig.
  for (testing::FakeCluster* cluster : {static_cast<testing::FakeCluster*>(nullptr), &cluster_}) {
    AgentUnderTest agent(MakeFactory(), {{"state", file}}, cluster);
    EXPECT_THAT(agent.Score(request_)[0].why.text(),
                HasSubstr("3 failures of type D (namespace default, image -) here"))
        << (cluster != nullptr);
    EXPECT_THAT(agent.warnings(), IsEmpty());
  }
}

TEST_F(RewardAgent, ScoresByTheOriginalsArithmeticWhereItIsSet) {
  Store("original", "/pods/D/a 0.810000\n/pods/D/b 2.0\n");
  AgentUnderTest agent(MakeFactory(), {{"original-arithmetic", "true"}}, &cluster_);
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  EXPECT_THAT(agent.Scores(request_), ElementsAre(0, 0)) << "what is not there is 0";
  ASSERT_TRUE(controller->Start().ok());
  EXPECT_TRUE(Eventually([&] { return agent.Scores(request_)[0] == 8; }));
  EXPECT_EQ(agent.Scores(request_)[1], 10) << "never more than the protocol has";
  controller->Stop();
}

TEST_F(RewardAgent, TheOriginalsArithmeticCountsEachChange) {
  AgentUnderTest agent(MakeFactory(), {{"original-arithmetic", "true"}}, &cluster_);
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  Pod pod = testing::MakePod("d").Label("podtype", "D");
  pod.uid = "u";
  pod.node_name = "a";
  pod.phase = "Failed";
  cluster_.Put(pod);
  cluster_.elections().Give();
  ASSERT_TRUE(controller->Start().ok());
  EXPECT_TRUE(Eventually([&] { return agent.Scores(request_)[1] == 10; }));
  EXPECT_EQ(agent.Scores(request_)[0], 9);
  controller->Stop();
}

TEST_F(RewardAgent, DrawsWhereItIsSet) {
  Store("pairs", PairsOfNow());
  AgentUnderTest agent(MakeFactory(), {{"thompson", "true"}}, &cluster_);
  auto* const controller = dynamic_cast<Controller*>(&agent.agent());
  ASSERT_TRUE(controller->Start().ok());
  EXPECT_TRUE(Eventually([&] {
    return agent.Score(request_)[0].why.text().find("drawn") != std::string::npos &&
           agent.Score(request_)[0].value != agent.Score(request_)[0].value;
  }));
  controller->Stop();
}

TEST(RewardSettings, RefuseNonsense) {
  for (const auto& [name, value] :
       {std::pair("namespace", "Not_A_Name"), std::pair("lease", "-"),
        std::pair("pod-namespaces", "a,,b"), std::pair("type-label", "a/b/c"),
        std::pair("pod-selector", "in in in (")}) {
    const auto agent = MakeFactory().make({.name = "reward"},
                                          testing::SettingsFrom(MakeFactory(), {{name, value}}));
    ASSERT_FALSE(agent.ok()) << name;
    EXPECT_THAT(std::string(agent.status().message()), HasSubstr(name));
  }
}

}  // namespace
}  // namespace outrigger::reward
