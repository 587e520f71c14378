#include "kube/view/cluster_sinks.h"

#include "builders.h"
#include "kube/stream/list_page.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecordingCluster final : public ClusterSink {
 public:
  void UpsertNode(Node node) override {
    calls.push_back("node " + node.name);
    nodes.push_back(std::move(node));
  }
  void RemoveNode(std::string_view name) override {
    calls.push_back(fmt::format("no node {}", name));
  }
  void UpsertPod(const Pod& pod) override {
    calls.push_back("pod " + pod.namespace_ + "/" + pod.name);
    pods.push_back(pod);
  }
  void RemovePod(std::string_view namespace_, std::string_view name) override {
    calls.push_back(fmt::format("no pod {}/{}", namespace_, name));
  }

  std::vector<std::string> calls;
  std::vector<Node> nodes;
  std::vector<Pod> pods;
};

const auto kCountNewest = [] { return ResizeCounting::kByPod; };

void Replace(ObjectFeed* feed, const std::vector<std::string>& items) {
  feed->BeginReplace();
  ListPageReader reader;
  ASSERT_TRUE(reader
                  .Feed(List(1, items),
                        [feed](const ListItem& item) {
                          return feed->Upsert(item.head, item.object, item.document);
                        })
                  .ok());
  feed->EndReplace("1");
}

TEST(NodeSink, ReadsWhatIsNeeded) {
  RecordingCluster cluster;
  NodeSink sink(&cluster, Needs().NodeAllocatable().NodeTaints());
  ObjectFeed feed(kNodes, &sink, {});
  Replace(&feed, {R"({"kind":"Node","metadata":{"name":"n","labels":{"a":"b"}},)"
                  R"("spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},)"
                  R"("status":{"allocatable":{"cpu":"4","pods":"x"},"capacity":{"cpu":"8"}}})"});
  ASSERT_EQ(cluster.nodes.size(), 1U);
  const Node& node = cluster.nodes[0];
  EXPECT_EQ(node.name, "n");
  EXPECT_TRUE(node.labels.empty());
  EXPECT_EQ(node.taints.size(), 1U);
  EXPECT_EQ(node.allocatable.size(), 1U);
  EXPECT_TRUE(node.capacity.empty());
}

TEST(NodeSink, RemovesWhatANewListLacks) {
  RecordingCluster cluster;
  NodeSink sink(&cluster, Needs());
  ObjectFeed feed(kNodes, &sink, {});
  Replace(&feed, {R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}})"});
  cluster.calls.clear();
  Replace(&feed, {R"({"metadata":{"name":"b"}})"});
  EXPECT_THAT(cluster.calls, ElementsAre("node b", "no node a"));
}

TEST(NodeSink, TakesNoOtherKind) {
  RecordingCluster cluster;
  NodeSink sink(&cluster, Needs());
  std::vector<std::string> problems;
  ObjectFeed feed(kNodes, &sink, [&problems](const ObjectProblem& problem) {
    problems.emplace_back(problem.error);
  });
  Replace(&feed, {R"({"kind":"Pod","metadata":{"name":"a"}})"});
  EXPECT_THAT(cluster.nodes, IsEmpty());
  EXPECT_THAT(problems, ElementsAre("Node.kind: expected \"Node\", found \"Pod\""));
}

TEST(PodSink, ReadsWhatIsNeeded) {
  RecordingCluster cluster;
  PodSink sink(&cluster, Needs().PodResources(), kCountNewest);
  std::vector<std::string> problems;
  ObjectFeed feed(kPods, &sink, [&problems](const ObjectProblem& problem) {
    problems.push_back(std::string(problem.name) + " " + problem.value->field);
  });
  Replace(&feed, {R"({"metadata":{"name":"p","namespace":"shop","uid":"u","labels":{"a":"b"}},)"
                  R"("spec":{"nodeName":"n","containers":[{"name":"c","resources":{"requests":)"
                  R"({"cpu":"1","memory":"lots"}}}]}})",
                  R"({"metadata":{"name":"q","namespace":"shop"}})"});
  ASSERT_EQ(cluster.pods.size(), 2U);
  const Pod& pod = cluster.pods[0];
  EXPECT_EQ(pod.uid, "u");
  EXPECT_TRUE(pod.labels.empty());
  EXPECT_TRUE(pod.node_name.empty());
  ASSERT_EQ(pod.containers.size(), 1U);
  EXPECT_EQ(pod.containers[0].requests.size(), 1U);
  EXPECT_TRUE(cluster.pods[1].containers.empty());
  EXPECT_THAT(problems, ElementsAre("p spec.containers[0].resources.requests.memory"));
}

TEST(PodSink, RemovesWhatANewListLacks) {
  RecordingCluster cluster;
  PodSink sink(&cluster, Needs(), kCountNewest);
  ObjectFeed feed(kPods, &sink, {});
  Replace(&feed, {Json("a", 1, ""), Json("b", 1, "")});
  cluster.calls.clear();
  Replace(&feed, {Json("a", 1, "")});
  EXPECT_THAT(cluster.calls, ElementsAre("pod d/a", "no pod d/b"));
}

TEST(PodSink, AsksBeforeEachListHowResizesCount) {
  RecordingCluster cluster;
  ResizeCounting counting = ResizeCounting::kByContainer;
  PodSink sink(&cluster, Needs(), [&counting] { return counting; });
  ObjectFeed feed(kPods, &sink, {});
  Replace(&feed, {Json("a", 1, "")});
  counting = ResizeCounting::kByPod;  // the server was upgraded
  Replace(&feed, {Json("a", 2, "")});
  ASSERT_EQ(cluster.pods.size(), 2U);
  EXPECT_EQ(cluster.pods[0].resize_counting, ResizeCounting::kByContainer);
  EXPECT_EQ(cluster.pods[1].resize_counting, ResizeCounting::kByPod);
}

}  // namespace
}  // namespace outrigger::kube
