#pragma once

#include <deque>
#include <future>
#include <thread>

#include "agent_under_test.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::gang {

AgentFactory MakeFactory();

inline constexpr auto kPatience = std::chrono::seconds(60);

/// A pending member "<gang>-<index>" by labels.
inline Pod Member(const std::string& gang, int index, int minimum, const std::string& cpu = "3") {
  return testing::MakePod(fmt::format("{}-{}", gang, index))
      .Label("podGroup", gang)
      .Label("minAvailable", std::to_string(minimum))
      .Requests({{"cpu", cpu}});
}

/// The agent on a cluster in memory.
class GangTest : public ::testing::Test {
 protected:
  ~GangTest() override { Stop(); }

  /// Nodes of 4 cpu.
  void Nodes(int count) {
    for (int i = 0; i < count; ++i) nodes_.push_back(testing::MakeNode(fmt::format("n{}", i)));
    for (const Node& node : nodes_) cluster_.Put(node);
  }
  void Make(testing::AgentUnderTest::Texts settings = {{"scheduler-lease", "none"}}) {
    agent_ = std::make_unique<testing::AgentUnderTest>(MakeFactory(), settings, &cluster_);
  }
  void Start(testing::AgentUnderTest::Texts settings = {{"scheduler-lease", "none"}}) {
    Make(std::move(settings));
    ASSERT_TRUE(dynamic_cast<Controller&>(agent_->agent()).Start().ok());
  }
  void Stop() {
    if (agent_ != nullptr) dynamic_cast<Controller&>(agent_->agent()).Stop();
    calls_.clear();
  }
  void StartWithPlan() {
    Start();
    Await([&] { return FilterStatus(testing::MakePod("probe")).ok(); });
  }

  absl::Status FilterStatus(const Pod& pod) {
    const testing::OwnedRequest request(pod, nodes_);
    std::vector<Verdict> verdicts(nodes_.size());
    return dynamic_cast<Filterer&>(agent_->agent()).Filter(*request, verdicts);
  }
  std::vector<Verdict> Filter(const std::string& pod) {
    return agent_->Filter(testing::OwnedRequest(cluster_.Get(pod), nodes_));
  }
  /// The nodes that pass for a pod.
  std::vector<std::string> Passing(const std::string& pod) {
    std::vector<std::string> names;
    const std::vector<Verdict> verdicts = Filter(pod);
    for (size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].fits()) names.push_back(nodes_[i].name);
    }
    return names;
  }
  /// The one reason of an answer that rejects all nodes; empty if there is not just one.
  std::string Reason(const std::string& pod) {
    std::string reason;
    for (const Verdict& verdict : Filter(pod)) {
      if (verdict.fits() || (!verdict.reason().empty() && !reason.empty())) return "";
      if (!verdict.reason().empty()) reason = verdict.reason();
    }
    return reason;
  }

  /// Begins a bind call, which waits on a thread of its own.
  void Bind(const std::string& pod, const std::string& node) {
    Call& call = calls_.emplace_back();
    const std::string uid = cluster_.Get(pod).uid;
    call.result = std::async(std::launch::async, [this, pod, uid, node, &call] {
      return dynamic_cast<Binder&>(agent_->agent())
          .Bind({.pod_namespace = "default",
                 .pod_name = pod,
                 .pod_uid = uid,
                 .node = node,
                 .abandoned = call.client.get_token()});
    });
  }
  /// As the scheduler does it: filter, and a bind call for the node that passes.
  void Schedule(const std::string& pod) {
    std::vector<std::string> passing;
    Await([&] {
      passing = Passing(pod);
      return !passing.empty();
    });
    ASSERT_FALSE(passing.empty());
    Bind(pod, passing[0]);
  }
  /// Until a member's bind call waits at the barrier: then it is no victim any more.
  void AwaitAtBarrier(const std::string& pod) {
    const Pod asks = testing::MakePod("probe");
    const std::vector<NodeVictims> candidates = {{"a", {cluster_.Get(pod).uid}, 0},
                                                 {"b", {"uid-somebody"}, 0}};
    Await([&] {
      std::vector<NodeVictims> chosen;
      EXPECT_TRUE(dynamic_cast<Preempter&>(agent_->agent())
                      .Preempt({.pod = asks, .candidates = candidates}, &chosen)
                      .ok());
      return chosen.size() == 1;
    });
  }
  absl::Status Result(size_t call) {
    if (calls_[call].result.wait_for(kPatience) != std::future_status::ready) {
      return absl::DeadlineExceededError("still waits");
    }
    return calls_[call].result.get();
  }
  bool Waits(size_t call) {
    return calls_[call].result.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  }

  template <typename Condition>
  void Await(Condition condition, int line = __builtin_LINE()) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until)
          << "what line " << line << " waits for does not come true";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  struct Call {
    std::stop_source client;
    std::future<absl::Status> result;
  };
  std::vector<Node> nodes_;
  testing::FakeCluster cluster_;
  std::unique_ptr<testing::AgentUnderTest> agent_;
  std::deque<Call> calls_;
};

/// Nominated for its place, which the scheduler does not offer: its own filters refuse it.
class RefusedPlace : public GangTest {
 protected:
  void RefusePlaceOf(const std::string& pod) {
    const std::string place = Passing(pod).at(0);
    cluster_.Change(pod, [&](Pod* nominated) { nominated->nominated_node_name = place; });
    const std::vector<Node> all = nodes_;
    std::erase_if(nodes_, [&](const Node& node) { return node.name == place; });
    Passing(pod);
    nodes_ = all;
  }
};

}  // namespace outrigger::gang
