#include "lab/plugins/node_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "builders.h"
#include "lab/manual_timers_testing.h"

namespace outrigger::lab {
namespace {

using ::outrigger::testing::MakeNode;
using ::outrigger::testing::MakePod;
using std::chrono::seconds;

constexpr char kReads[] = "read the digit of the pod's name";

class NodeNumberTest : public ::testing::Test {
 protected:
  int64_t ScoreOf(const std::string& pod, const std::string& node) {
    return plugin_.Score(state_, MakePod(pod), MakeNode(node)).value();
  }

  ManualTimers timers_;
  WaitingPods waiting_{&timers_};
  NodeNumber plugin_{&timers_, &waiting_};
  CycleState state_;
};

TEST_F(NodeNumberTest, ScoresTheSameLastDigit) {
  EXPECT_EQ(ScoreOf("pod1", "node1"), 10);
  EXPECT_EQ(ScoreOf("pod1", "node2"), 0);
  EXPECT_EQ(ScoreOf("pod11", "node21"), 10) << "the last digit alone counts";
  EXPECT_EQ(ScoreOf("pod", "node"), 0) << "two names without a digit have nothing in common";
  EXPECT_EQ(ScoreOf("pod", "node1"), 0);
  EXPECT_EQ(ScoreOf("pod1", "node"), 0);
  EXPECT_EQ(ScoreOf("1pod", "node1"), 0);
}

TEST_F(NodeNumberTest, WithoutPreScoreReadsThePodsNameForEachNode) {
  for (const char* node : {"node0", "node1", "node2"}) ScoreOf("pod1", node);
  EXPECT_EQ(state_.counts().at(kReads), 3);
}

TEST_F(NodeNumberTest, WithPreScoreReadsItOnce) {
  EXPECT_TRUE(plugin_.PreScore(state_, MakePod("pod1"), {}).ok());
  EXPECT_EQ(ScoreOf("pod1", "node1"), 10);
  EXPECT_EQ(ScoreOf("pod1", "node2"), 0);
  EXPECT_EQ(state_.counts().at(kReads), 1);
}

TEST_F(NodeNumberTest, APodWithoutADigitPassesPreScoreAndScoresNothing) {
  EXPECT_TRUE(plugin_.PreScore(state_, MakePod("pod"), {}).ok());
  EXPECT_EQ(ScoreOf("pod", "node1"), 0);
  EXPECT_EQ(state_.counts().at(kReads), 1) << "that there is none is handed on, too";
}

TEST_F(NodeNumberTest, LetsAPodWaitAsManySecondsAsTheNodeSays) {
  Pod pod = MakePod("pod8");
  pod.uid = "uid";
  const PermitPlugin::Answer answer = plugin_.Permit(state_, pod, "node8");
  EXPECT_EQ(answer.status, PluginStatus::Wait("wait 8 s"));
  EXPECT_EQ(answer.timeout, seconds(10));
  std::vector<std::string> outcomes;
  waiting_.Add(pod, {{"NodeNumber", answer.timeout}},
               [&](const PluginStatus& status, const std::string& plugin) {
                 outcomes.push_back(plugin + (status.ok() ? " allows" : " rejects"));
               });
  timers_.Advance(std::chrono::milliseconds(7999));
  EXPECT_THAT(outcomes, ::testing::IsEmpty());
  timers_.Advance(std::chrono::milliseconds(1));
  EXPECT_THAT(outcomes, ::testing::ElementsAre("NodeNumber allows"));
}

TEST_F(NodeNumberTest, LetsAPodGoAtOnceToANodeWithoutSecondsToWait) {
  EXPECT_TRUE(plugin_.Permit(state_, MakePod("pod8"), "node0").status.ok());
  EXPECT_TRUE(plugin_.Permit(state_, MakePod("pod8"), "node").status.ok());
}

}  // namespace
}  // namespace outrigger::lab
