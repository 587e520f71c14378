// The examples of the SDK's headers and of the pages for authors, as they stand there, each in a
// context that has what it names. CMakeLists.txt extracts them.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent_under_test.h"
#include "fake_cluster.h"
#include "gmock/gmock.h"
#include "outrigger/agent/agent.h"
#include "outrigger/agent/node_memo.h"
#include "outrigger/agent/page.h"

// CONTRIBUTING.md: the agent and its test, which runs here.
#include "CONTRIBUTING_1.inc"
#include "CONTRIBUTING_2.inc"

namespace outrigger::examples {

#include "agent_agent_1.inc"

namespace {

using ::testing::ElementsAre;

Needs OfNeeds(){
#include "agent_needs_1.inc"
}

TEST(Examples, OfNeeds) {
  EXPECT_TRUE(OfNeeds().Has(Needs::kNodeAllocatable) && OfNeeds().Has(Needs::kPodResources));
  EXPECT_THAT(OfNeeds().annotation_keys(), ElementsAre("mean-free-cpu"));
}

TEST(Examples, OfAgent) {
  const testing::AgentUnderTest agent(MakeFactory());
  EXPECT_THAT(agent.Scores({testing::MakePod(), {testing::MakeNode("a")}}), ElementsAre(5));
}

struct OfMetrics {
#include "writing-an-agent_2.inc"
};

TEST(Examples, OfMetrics) {
  ASSERT_EQ(OfMetrics::Metrics().size(), 1U);
  EXPECT_EQ(OfMetrics::Metrics()[0].label, "cause");
}

class OfSubscription {
 public:
  explicit OfSubscription(ClusterReader* reader) { Start(reader); }
  int nudges() const { return nudges_; }

 private:
  void Start(ClusterReader* reader) {
#include "agent_subscription_1.inc"
    changes_ = std::move(changes);
  }
  void Nudge() {
    ++nudges_;
  }

  int nudges_ = 0;
  Subscription changes_;
};

TEST(Examples, OfSubscription) {
  testing::FakeCluster cluster;
  const OfSubscription example(&cluster);
  cluster.Put(testing::MakeNode("a"));
  EXPECT_EQ(example.nudges(), 1);
}

absl::Status OfSnapshot(const AgentDeps& deps, int64_t* milli_cpu) {
  int64_t used_milli_cpu = 0;
#include "agent_cluster_snapshot_2.inc"
  *milli_cpu = used_milli_cpu;
  return absl::OkStatus();
}

TEST(Examples, OfAPodOnANode) {
  using testing::FakeCluster;
  using testing::MakeNode;
  using testing::MakePod;
#include "writing-an-agent_3.inc"
  const ClusterView view = *cluster.Take();
  const auto node = view.snapshot->FindNode("a");
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->node().allocatable.Get(kCpu).MilliValue() - node->RequestedMilliCpu(), 6000);
}

std::set<std::string_view> OfPods(const ClusterSnapshot& snapshot) {
  std::set<std::string_view> names;
#include "agent_cluster_snapshot_1.inc"
  return names;
}

TEST(Examples, OfSnapshot) {
  testing::FakeCluster cluster;
  cluster.Put(testing::MakeNode("worker-1"));
  Pod pod = testing::MakePod("p").Requests({{"cpu", "2"}});
  pod.node_name = "worker-1";
  cluster.Put(pod);
  AgentDeps deps;
  deps.cluster = &cluster;
  int64_t milli_cpu = 0;
  ASSERT_TRUE(OfSnapshot(deps, &milli_cpu).ok());
  EXPECT_EQ(milli_cpu, 2000);
  const ClusterView view = *cluster.Take();
  EXPECT_THAT(OfPods(*view.snapshot), ElementsAre("p"));
}

struct WaitingPod {
  std::string name;
  int64_t seconds;
};

TEST(Examples, OfPage) {
  const std::vector<WaitingPod> waiting = {{"a", 3}, {"b", 5}};
  PageTable rows({{"pod", PageColumn::Type::kText}, {"waitingSeconds", PageColumn::Type::kInteger}},
                 1);
  PageTable* const table = &rows;
#include "agent_page_1.inc"
  EXPECT_EQ(table->total(), 2U);
  EXPECT_EQ(table->fault(), "");
}

class OfNodeMemo {
 public:
  int64_t Sum(const Request& request) {
    int64_t sum = 0;
#include "agent_node_memo_1.inc"
    return sum;
  }

 private:
  static int64_t Factor(const Request& /*request*/, const Node& node) {
    return static_cast<int64_t>(node.name.size());
  }
  NodeMemo<int64_t> memo_;
};

TEST(Examples, OfNodeMemo) {
  const testing::OwnedRequest request(testing::MakePod(),
                                      {testing::MakeNode("a"), testing::MakeNode("bc")});
  EXPECT_EQ(OfNodeMemo().Sum(*request), 3);
}

}  // namespace
}  // namespace outrigger::examples

namespace outrigger::page {
namespace {

#include "writing-an-agent_1.inc"

TEST(Examples, OfSettings) {
  const SettingsSchema schema = SettingsSchema::Of<Settings>();
  ASSERT_EQ(schema.specs().size(), 2U);
  EXPECT_EQ(schema.specs()[1].accepted, "one of strict|lenient");
}

}  // namespace
}  // namespace outrigger::page
