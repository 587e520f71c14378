// The snapshot as agents see it: the SDK's ClusterSnapshot over what the program keeps.
#include "outrigger/agent/cluster_snapshot.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cluster_testing.h"

namespace outrigger::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class AgentsSnapshot : public ::testing::Test {
 protected:
  std::shared_ptr<const ClusterSnapshot> Take() { return cluster_.Take(); }

  static std::vector<std::string> Names(const PodRange& pods) {
    std::vector<std::string> names;
    for (const PodView pod : pods) names.emplace_back(pod.Name());
    return names;
  }
  static std::vector<std::string> Nodes(const ClusterSnapshot& snapshot) {
    std::vector<std::string> names;
    snapshot.ForEachNode([&](const NodeView& node) { names.push_back(node.Name()); });
    return names;
  }
  static std::vector<std::string> Pods(const ClusterSnapshot& snapshot) {
    std::vector<std::string> names;
    snapshot.ForEachPod([&](const PodView& pod) { names.emplace_back(pod.Name()); });
    return names;
  }
  static std::vector<std::string> PendingPods(const ClusterSnapshot& snapshot) {
    std::vector<std::string> names;
    snapshot.ForEachPendingPod([&](const PodView& pod) { names.emplace_back(pod.Name()); });
    return names;
  }

  Cluster cluster_{ClusterOptions()};
};

TEST_F(AgentsSnapshot, OfNothingIsEmpty) {
  const auto snapshot = Take();
  EXPECT_EQ(snapshot->NodeCount(), 0U);
  EXPECT_EQ(snapshot->PodCount(), 0U);
  EXPECT_EQ(snapshot->PendingPodCount(), 0U);
  EXPECT_THAT(Nodes(*snapshot), IsEmpty());
  EXPECT_FALSE(snapshot->FindNode("a").has_value());
  EXPECT_FALSE(snapshot->FindPod("default", "p").has_value());
  EXPECT_TRUE(snapshot->PodsOn("a").empty());
}

TEST_F(AgentsSnapshot, HasNodesWithWhatTheirPodsRequest) {
  cluster_.UpsertNode(testing::MakeNode("a").Label("zone", "x"));
  cluster_.UpsertNode(testing::MakeNode("b"));
  cluster_.UpsertPod(PodOn("two", "a", "1500m"));
  Pod one = testing::MakePod("one").Requests(
      {{"cpu", "500m"}, {"memory", "1Gi"}, {"example.com/gpu", "2"}});
  one.node_name = "a";
  cluster_.UpsertPod(one);
  Pod finished = PodOn("finished", "a", "64");
  finished.phase = "Succeeded";
  cluster_.UpsertPod(finished);
  const auto snapshot = Take();
  EXPECT_EQ(snapshot->NodeCount(), 2U);
  EXPECT_THAT(Nodes(*snapshot), UnorderedElementsAre("a", "b"));
  const auto node = snapshot->FindNode("a");
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->node().labels.Get("zone"), "x");
  EXPECT_EQ(node->RequestedMilliCpu(), 2000);
  EXPECT_EQ(node->RequestedMemory(), int64_t{1} << 30);
  EXPECT_EQ(node->Requested("example.com/gpu").Value(), 2);
  EXPECT_EQ(node->Requested().Get("pods").Value(), 2);
  EXPECT_EQ(node->Requested("example.com/other").Value(), 0);
  EXPECT_THAT(Names(node->Pods()), ElementsAre("one", "two"));
  EXPECT_THAT(Names(snapshot->PodsOn("b")), IsEmpty());
  EXPECT_EQ(snapshot->FindNode("b")->RequestedMilliCpu(), 0);
  EXPECT_THAT(Pods(*snapshot), UnorderedElementsAre("one", "two", "finished"));
}

TEST_F(AgentsSnapshot, FindsPodsByNamespaceAndName) {
  for (const char* space : {"team-a", "team-b"}) {
    Pod pod = PodOn("web", space == std::string("team-a") ? "n1" : "n2");
    pod.namespace_ = space;
    pod.uid = std::string("uid-") + space;
    pod.labels.Set("app", space);
    pod.annotations.Set("note", "");
    pod.priority = 7;
    pod.resource_version = "12";
    cluster_.UpsertPod(pod);
  }
  const auto snapshot = Take();
  const auto a = snapshot->FindPod("team-a", "web");
  const auto b = snapshot->FindPod("team-b", "web");
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_FALSE(snapshot->FindPod("default", "web").has_value());
  EXPECT_FALSE(*a == *b);
  EXPECT_EQ(a->Namespace(), "team-a");
  EXPECT_EQ(a->Name(), "web");
  EXPECT_EQ(a->Uid(), "uid-team-a");
  EXPECT_EQ(a->NodeName(), "n1");
  EXPECT_EQ(b->NodeName(), "n2");
  EXPECT_EQ(a->Phase(), "Running");
  EXPECT_EQ(a->Priority(), 7);
  EXPECT_EQ(a->ResourceVersion(), "12");
  EXPECT_EQ(a->Label("app"), "team-a");
  EXPECT_EQ(a->Label("none").data(), nullptr);
  EXPECT_EQ(a->Annotation("note"), "");
  EXPECT_NE(a->Annotation("note").data(), nullptr) << "empty is not absent";
  EXPECT_EQ(a->Request("cpu").MilliValue(), 1000);
  EXPECT_TRUE(a->Request("memory").IsZero());
  EXPECT_FALSE(a->IsFinished());
  EXPECT_FALSE(a->IsAssumed());
  const Pod whole = a->Unpack();
  EXPECT_EQ(whole.namespace_, "team-a");
  EXPECT_EQ(whole.labels.Get("app"), "team-a");
  ASSERT_EQ(whole.containers.size(), 1U);
  EXPECT_EQ(whole.containers[0].requests.Get("cpu").MilliValue(), 1000);
}

TEST_F(AgentsSnapshot, HasTimesAndStatesOfPods) {
  Pod pod = testing::MakePod("p").On("a").Phase("Failed");
  pod.creation_time = 100;
  pod.scheduled_time = 101;
  pod.start_time = 102;
  pod.end_time = 160;
  pod.status_reason = "Evicted";
  pod.container_states = {
      {.name = "init", .init = true, .end = ContainerEnd{0, "Completed", 103, 104}},
      {.name = "main", .restarts = 3, .last_end = ContainerEnd{137, "OOMKilled", 110, 120}}};
  cluster_.UpsertPod(pod);
  cluster_.UpsertPod(PodOn("bare", "a"));
  const auto snapshot = Take();
  const PodView view = *snapshot->FindPod("default", "p");
  EXPECT_EQ(view.CreationTime(), 100);
  EXPECT_EQ(view.ScheduledTime(), 101);
  EXPECT_EQ(view.StartTime(), 102);
  EXPECT_EQ(view.EndTime(), 160);
  EXPECT_EQ(view.StatusReason(), "Evicted");
  std::vector<ContainerState> states;
  view.ForEachContainerState([&](const ContainerState& state) { states.push_back(state); });
  EXPECT_EQ(states, pod.container_states);
  const PodView bare = *snapshot->FindPod("default", "bare");
  EXPECT_TRUE(bare.CreationTime() == 0 && bare.ScheduledTime() == 0 && bare.StartTime() == 0 &&
              bare.EndTime() == 0 && bare.StatusReason().empty());
  bare.ForEachContainerState([](const ContainerState& /*state*/) { ADD_FAILURE(); });
}

TEST_F(AgentsSnapshot, HasPendingPodsInOrder) {
  cluster_.UpsertPod(PodOn("waits", ""));
  cluster_.UpsertPod(PodOn("also", ""));
  cluster_.UpsertPod(PodOn("bound", "a"));
  Pod failed = PodOn("failed", "");
  failed.phase = "Failed";
  cluster_.UpsertPod(failed);
  const auto snapshot = Take();
  EXPECT_EQ(snapshot->PendingPodCount(), 2U);
  EXPECT_THAT(PendingPods(*snapshot), ElementsAre("also", "waits"));
  EXPECT_TRUE(snapshot->FindPod("default", "failed")->IsFinished());
}

TEST_F(AgentsSnapshot, CountsAssumedPods) {
  cluster_.UpsertNode(testing::MakeNode("a"));
  Pod pod = PodOn("p", "", "2");
  pod.uid = "u";
  cluster_.UpsertPod(pod);
  const auto before = Take();
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "u", "a").ok());
  const auto after = Take();
  EXPECT_LT(before->Generation(), after->Generation());
  EXPECT_EQ(after->FindNode("a")->RequestedMilliCpu(), 2000);
  EXPECT_THAT(Names(after->PodsOn("a")), ElementsAre("p"));
  EXPECT_TRUE(after->PodsOn("a")[0].IsAssumed());
  EXPECT_EQ(after->FindPod("default", "p")->NodeName(), "a");
  EXPECT_EQ(after->FindPod("default", "p")->Unpack().node_name, "a");
  EXPECT_THAT(PendingPods(*after), IsEmpty());
  cluster_.ForgetPod("default", "p", "u");
  EXPECT_THAT(PendingPods(*Take()), ElementsAre("p"));
}

TEST_F(AgentsSnapshot, OfARemovedNodeHasItsPodsWithoutIt) {
  cluster_.UpsertNode(testing::MakeNode("a"));
  cluster_.UpsertNode(testing::MakeNode("b"));
  cluster_.UpsertPod(PodOn("p", "a"));
  cluster_.RemoveNode("a");
  const auto snapshot = Take();
  EXPECT_EQ(snapshot->NodeCount(), 1U);
  EXPECT_THAT(Nodes(*snapshot), ElementsAre("b")) << "not the empty slot";
  EXPECT_FALSE(snapshot->FindNode("a").has_value());
  EXPECT_TRUE(snapshot->PodsOn("a").empty());
  EXPECT_EQ(snapshot->FindPod("default", "p")->NodeName(), "a");
  EXPECT_THAT(PendingPods(*snapshot), IsEmpty());
}

TEST_F(AgentsSnapshot, AndItsViewsStayAsTheyAreWhileItIsHeld) {
  cluster_.UpsertNode(testing::MakeNode("a").Label("zone", "x"));
  cluster_.UpsertPod(PodOn("p", "a"));
  const auto held = Take();
  const NodeView node = *held->FindNode("a");
  const PodView pod = node.Pods()[0];
  const std::string_view name = pod.Name();
  for (int i = 0; i < 100; ++i) {
    cluster_.UpsertNode(testing::MakeNode("a").Label("zone", std::to_string(i)));
    cluster_.UpsertPod(PodOn("p", "a", std::to_string(i + 2)));
    (void)Take();
  }
  cluster_.RemovePod("default", "p");
  cluster_.RemoveNode("a");
  EXPECT_EQ(Take()->NodeCount(), 0U);
  EXPECT_EQ(node.node().labels.Get("zone"), "x");
  EXPECT_EQ(node.RequestedMilliCpu(), 1000);
  EXPECT_EQ(name, "p");
  EXPECT_EQ(pod.Unpack().node_name, "a");
  EXPECT_THAT(Names(held->PodsOn("a")), ElementsAre("p"));
}

TEST_F(AgentsSnapshot, OutlivesTheClusterThatMadeIt) {
  auto cluster = std::make_unique<Cluster>(ClusterOptions());
  cluster->UpsertPod(PodOn("p", "a"));
  const std::shared_ptr<const ClusterSnapshot> snapshot = cluster->Take();
  cluster.reset();
  EXPECT_EQ(snapshot->FindPod("default", "p")->NodeName(), "a");
}

TEST_F(AgentsSnapshot, HasTheSamePodWhereItHasNotChanged) {
  cluster_.UpsertPod(PodOn("p", "a"));
  cluster_.UpsertPod(PodOn("q", "a"));
  const auto before = Take();
  cluster_.UpsertPod(PodOn("q", "a", "3"));
  const auto after = Take();
  EXPECT_TRUE(*before->FindPod("default", "p") == *after->FindPod("default", "p"));
  EXPECT_FALSE(*before->FindPod("default", "q") == *after->FindPod("default", "q"));
}

TEST(Snapshot, FindsIndexesByType) {
  struct Colour {};
  Cluster cluster({.indexes = {LabelIndex("app"),
                               {.name = "colour",
                                .key = [](const PodRecord& pod) { return pod.Label("colour"); },
                                .type = typeid(Colour)}}});
  EXPECT_EQ(cluster.Take()->FindIndex(typeid(Colour)), 1U);
  EXPECT_EQ(cluster.Take()->FindIndex(typeid(int)), std::nullopt);
}

}  // namespace
}  // namespace outrigger::cluster
