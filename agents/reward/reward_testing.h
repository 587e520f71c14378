#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "builders.h"
#include "common/time_testing.h"
#include "fake_cluster.h"
#include "gtest/gtest.h"
#include "keeper.h"
#include "outrigger/agent/state_store.h"
#include "rule/rule_method.h"
#include "settings.h"

// For tests of what counts: a cluster in memory, and time by hand.

namespace outrigger::reward {

class RewardTest : public ::testing::Test {
 protected:
  RewardTest() {
    for (const char* node : {"a", "b", "c"}) cluster_.Put(Node(testing::MakeNode(node)));
    Restart();
  }

  AgentDeps Deps() {
    AgentDeps deps;
    deps.name = "reward";
    deps.cluster = &cluster_;
    deps.log = [this](std::string_view line) { log_.emplace_back(line); };
    deps.warn = [this](std::string_view line) { warnings_.emplace_back(line); };
    deps.clock.wall = [this] {
      return std::chrono::system_clock::time_point(std::chrono::seconds(now_));
    };
    deps.clock.now = [this] { return Clock::TimePoint(std::chrono::seconds(steady_)); };
    return deps;
  }

  // A new process, with an empty memory.
  void Restart() {
    keeper_.reset();
    options_ = *OptionsFrom(settings_);
    store_ = *MakeStateStore(options_.store, Deps());
    method_ = std::make_unique<RuleMethod>(options_.rule, options_.filter, options_.draws,
                                           options_.type_label, &cluster_);
    keeper_ = std::make_unique<Keeper>(Deps(), method_.get(), store_.get());
    const absl::Status begun = keeper_->Begin(term_.get_token());
    EXPECT_TRUE(begun.ok()) << begun;
    Look();
  }
  // The process is over, and has stored everything.
  void End() {
    const absl::Status stored = keeper_->Store({});
    EXPECT_TRUE(stored.ok()) << stored;
  }

  void Look() { keeper_->Round(term_.get_token()); }
  void Pass(Seconds time) {
    now_ += time;
    steady_ += time;
  }

  // The pod runs on the node since now.
  void Run(const std::string& name, const std::string& node, const std::string& type = "D") {
    Pod pod = testing::MakePod(name).Label("podtype", type);
    pod.uid = "uid-" + name;
    pod.node_name = node;
    pod.phase = "Running";
    pod.start_time = now_;
    pod.images = {"web:1"};
    ContainerState& state = pod.container_states.emplace_back();
    state.name = "c";
    state.running_since = now_;
    cluster_.Put(pod);
  }
  // Its container ends now, after `ran` seconds, and runs again.
  void Fail(const std::string& name, Seconds ran, int32_t code = 1) {
    cluster_.Change(name, [&](Pod* pod) {
      ContainerState& state = pod->container_states[0];
      state.last_end = ContainerEnd{code, code == 0 ? "Completed" : "Error", now_ - ran, now_};
      state.running_since = now_;
      ++state.restarts;
    });
  }

  // Type D fails three times on a, after so many seconds, and runs well on b.
  void FailOnA(Seconds ran = 0) {
    Run("d1", "a");
    Run("d2", "b");
    Look();
    for (int i = 0; i < 3; ++i) {
      Pass(200);
      Fail("d1", ran);
      Look();
    }
  }

  // What is stored.
  ConfigMap Stored() const {
    auto map = cluster_.ReadConfigMap("kube-system", "outrigger-reward", {});
    EXPECT_TRUE(map.ok()) << map.status();
    return map.ok() ? *map : ConfigMap();
  }
  Sums SumsOf(const std::string& node, const std::string& type = "D") const {
    double successes = -1;
    double failures = -1;
    PageTable table(Columns(), 1000);
    method_->FillPage(now_, &table);
    for (const auto& row : table.rows()) {
      if (std::get<std::string>(row[1]) != type || std::get<std::string>(row[3]) != node) continue;
      successes = std::get<double>(row[6]);
      failures = std::get<double>(row[7]);
    }
    return {successes, failures};
  }
  static std::vector<PageColumn> Columns() {
    using Type = PageColumn::Type;
    return {{"namespace", Type::kText},   {"type", Type::kText},       {"image", Type::kText},
            {"node", Type::kText},        {"score", Type::kNumber},    {"value", Type::kNumber},
            {"successes", Type::kNumber}, {"failures", Type::kNumber}, {"hour", Type::kInteger},
            {"last", Type::kInteger}};
  }
  static Pod New(const std::string& type) {
    Pod pod = testing::MakePod("new").Label("podtype", type);
    pod.images = {"web:1"};
    return pod;
  }
  // Scores of a, b and c, and why.
  std::vector<NodeScore> Scores(const std::string& type = "D") const { return ScoresOf(New(type)); }
  std::vector<NodeScore> ScoresOf(const Pod& pod) const {
    const testing::OwnedRequest request(
        pod, {testing::MakeNode("a"), testing::MakeNode("b"), testing::MakeNode("c")});
    std::vector<NodeScore> scores(3);
    const absl::Status scored = method_->Score(*request, now_, scores);
    EXPECT_TRUE(scored.ok()) << scored;
    return scores;
  }

  Settings settings_;
  Options options_;
  mutable testing::FakeCluster cluster_;
  Seconds now_ = kStart;
  Seconds steady_ = 1000;
  std::stop_source term_;
  std::vector<std::string> log_;
  std::vector<std::string> warnings_;
  std::unique_ptr<StateStore> store_;
  std::unique_ptr<RuleMethod> method_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace outrigger::reward
