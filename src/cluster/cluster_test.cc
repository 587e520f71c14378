#include "cluster/cluster.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>

#include "cluster_testing.h"
#include "equality.h"
#include "fmt/format.h"

namespace outrigger::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;

TEST(Cluster, BoundPodsAreSummedOnTheirNode) {
  Cluster cluster({});
  cluster.UpsertNode(MakeNode("a"));
  cluster.UpsertPod(PodOn("two", "a", "2"));
  cluster.UpsertPod(PodOn("one", "a", "500m"));
  cluster.UpsertPod(PodOn("pending", ""));
  const auto snapshot = cluster.Take();
  EXPECT_THAT(PodsOn(*snapshot, "a"), ElementsAre("one", "two"));
  EXPECT_EQ(RequestedOf(*snapshot, "a"), "cpu 2500m, pods 2");
  EXPECT_THAT(Pending(*snapshot), ElementsAre("pending"));
  EXPECT_EQ(snapshot->pod_count(), 3U);
}

TEST(Snapshot, WithoutSomePodsIsAsIfTheyWereGoneFromTheirNodes) {
  Cluster cluster({});
  cluster.UpsertNode(MakeNode("a"));
  cluster.UpsertNode(MakeNode("b"));
  for (const char* name : {"one", "two"}) cluster.UpsertPod(PodOn(name, "a", "2"));
  cluster.UpsertPod(PodOn("other", "b", "1"));
  cluster.UpsertPod(PodOn("lost", "c", "1"));
  cluster.UpsertPod(PodOn("pending", ""));
  const auto snapshot = cluster.Take();
  const auto without = snapshot->Without(std::array{snapshot->FindPod("default", "one"),
                                                    snapshot->FindPod("default", "lost"),
                                                    snapshot->FindPod("default", "pending")});
  EXPECT_EQ(RequestedOf(*without, "a"), "cpu 2, pods 1");
  EXPECT_THAT(PodsOn(*without, "a"), ElementsAre("two"));
  EXPECT_EQ(without->NodeAt(without->FindNode("b")->index), snapshot->FindNode("b")) << "shared";
  const auto fewer = without->Without(std::array{snapshot->FindPod("default", "two")});
  EXPECT_EQ(RequestedOf(*fewer, "a"), "");
  EXPECT_EQ(RequestedOf(*without, "a"), "cpu 2, pods 1") << "what was taken stays";
  EXPECT_EQ(RequestedOf(*snapshot, "a"), "cpu 4, pods 2");
  cluster.RemovePod("default", "two");
  EXPECT_EQ(RequestedOf(*cluster.Take(), "a"), "cpu 2, pods 1");
  EXPECT_EQ(RequestedOf(*without, "a"), "cpu 2, pods 1");
}

struct Transition {
  std::string name;
  std::function<void(Cluster& cluster)> change;
  std::string on_a, on_b;  // what is requested afterwards
  std::vector<std::string> pending;
};

/// Nodes a and b; pod "bound" on a with 2 cpu, pod "waiting" on none.
class Transitions : public ::testing::TestWithParam<Transition> {};

TEST_P(Transitions, AreFollowed) {
  Cluster cluster({});
  cluster.UpsertNode(MakeNode("a"));
  cluster.UpsertNode(MakeNode("b"));
  cluster.UpsertPod(PodOn("bound", "a", "2"));
  cluster.UpsertPod(PodOn("waiting", ""));
  const auto before = cluster.Take();
  GetParam().change(cluster);
  const auto after = cluster.Take();
  EXPECT_EQ(RequestedOf(*after, "a"), GetParam().on_a);
  EXPECT_EQ(RequestedOf(*after, "b"), GetParam().on_b);
  EXPECT_EQ(Pending(*after), GetParam().pending);
  EXPECT_GT(after->generation(), before->generation());
  EXPECT_EQ(RequestedOf(*before, "a"), "cpu 2, pods 1");
  EXPECT_THAT(Pending(*before), ElementsAre("waiting"));
}

Pod Finished(std::string_view name, std::string_view node, std::string_view phase) {
  Pod pod = PodOn(name, node, "2");
  pod.phase = phase;
  return pod;
}

Pod Recreated(std::string_view node, std::string_view cpu) {
  Pod pod = PodOn("bound", node, cpu);
  pod.uid = "another";
  return pod;
}

Pod Resized() {
  Pod pod = PodOn("bound", "a", "2");
  pod.container_statuses.emplace_back().name = "main";
  pod.container_statuses[0].requests.emplace().Set("cpu", testing::Q("3"));
  return pod;
}

INSTANTIATE_TEST_SUITE_P(
    Pods, Transitions,
    ::testing::Values(
        Transition{"Bound",
                   [](Cluster& c) { c.UpsertPod(PodOn("waiting", "b")); },
                   "cpu 2, pods 1",
                   "cpu 1, pods 1",
                   {}},
        Transition{"Succeeded",
                   [](Cluster& c) { c.UpsertPod(Finished("bound", "a", "Succeeded")); },
                   "",
                   "",
                   {"waiting"}},
        Transition{"Failed",
                   [](Cluster& c) { c.UpsertPod(Finished("bound", "a", "Failed")); },
                   "",
                   "",
                   {"waiting"}},
        Transition{"FailedWithoutNode",
                   [](Cluster& c) { c.UpsertPod(Finished("waiting", "", "Failed")); },
                   "cpu 2, pods 1",
                   "",
                   {}},
        Transition{
            "Removed", [](Cluster& c) { c.RemovePod("default", "bound"); }, "", "", {"waiting"}},
        Transition{"Resized",
                   [](Cluster& c) { c.UpsertPod(Resized()); },
                   "cpu 3, pods 1",
                   "",
                   {"waiting"}},
        Transition{"MovedToAnotherNode",
                   [](Cluster& c) { c.UpsertPod(PodOn("bound", "b", "3")); },
                   "",
                   "cpu 3, pods 1",
                   {"waiting"}},
        Transition{"RecreatedElsewhere",
                   [](Cluster& c) { c.UpsertPod(Recreated("b", "1")); },
                   "",
                   "cpu 1, pods 1",
                   {"waiting"}},
        Transition{"RecreatedWithoutNode",
                   [](Cluster& c) { c.UpsertPod(Recreated("", "1")); },
                   "",
                   "",
                   {"bound", "waiting"}},
        Transition{
            "NodeRemoved", [](Cluster& c) { c.RemoveNode("a"); }, "no such node", "", {"waiting"}},
        Transition{"NodeCameBack",
                   [](Cluster& c) {
                     c.RemoveNode("a");
                     c.UpsertPod(PodOn("waiting", "a"));
                     c.UpsertNode(MakeNode("a"));
                   },
                   "cpu 3, pods 2",
                   "",
                   {}},
        Transition{"PodWentWhileItsNodeWasAway",
                   [](Cluster& c) {
                     c.RemoveNode("a");
                     c.RemovePod("default", "bound");
                     c.UpsertNode(MakeNode("a"));
                   },
                   "",
                   "",
                   {"waiting"}}),
    [](const auto& row) { return row.param.name; });

TEST(Cluster, PodsThatComeBeforeTheirNodeAreCountedOnceItIsThere) {
  Cluster cluster({});
  cluster.UpsertPod(PodOn("early", "a"));
  EXPECT_EQ(cluster.Take()->pod_count(), 1U);
  EXPECT_THAT(Pending(*cluster.Take()), IsEmpty());
  cluster.UpsertNode(MakeNode("a"));
  EXPECT_EQ(RequestedOf(*cluster.Take(), "a"), "cpu 1, pods 1");
}

void ExpectFoundAsEach(const Snapshot& snapshot, const std::vector<std::string>& texts) {
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const Node other = MakeNode("other");
  std::vector<NodeRef> found(names.size(), NodeRef(other));  // of an earlier call
  EXPECT_TRUE(snapshot.FindNodes(names, found));
  for (size_t i = 0; i < names.size(); ++i) {
    const NodeState* state = snapshot.FindNode(names[i]);
    ASSERT_EQ(found[i].node, state == nullptr ? nullptr : state->node.get()) << names[i];
    ASSERT_EQ(found[i].revision, state == nullptr ? 0 : state->node->revision) << names[i];
  }
}

TEST(Snapshot, FindsManyNodesAsItFindsEach) {
  Cluster cluster({});
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) {
    names.push_back(fmt::format("n{}", i));
    if (i % 7 != 0) cluster.UpsertNode(MakeNode(names.back()));
  }
  ExpectFoundAsEach(*cluster.Take(), {});
  const auto before = cluster.Take();
  // Every way in which a node changes.
  cluster.RemoveNode("n1");
  cluster.RemoveNode("n2");
  cluster.UpsertNode(MakeNode("n0"));  // in the slot of one that went
  cluster.UpsertNode(MakeNode("n3").Label("k", "v"));
  Node newer = MakeNode("n4");
  newer.resource_version = "2";
  cluster.UpsertNode(newer);
  cluster.RemoveNode("n499");
  ExpectFoundAsEach(*cluster.Take(), names);
  ExpectFoundAsEach(*before, names);
}

TEST(Cluster, SlotsStayWhileNodesExistAndAreUsedAgain) {
  Cluster cluster({});
  for (const char* name : {"a", "b", "c"}) cluster.UpsertNode(MakeNode(name));
  EXPECT_EQ(cluster.Take()->FindNode("b")->index, 1U);
  cluster.RemoveNode("a");
  auto snapshot = cluster.Take();
  EXPECT_EQ(snapshot->NodeAt(0), nullptr);
  EXPECT_EQ(snapshot->NodeAt(1)->node->name, "b");
  EXPECT_EQ(snapshot->node_slots(), 3U);
  EXPECT_EQ(snapshot->node_count(), 2U);
  cluster.UpsertNode(MakeNode("d"));
  EXPECT_EQ(cluster.Take()->FindNode("d")->index, 0U);
  cluster.RemoveNode("b");
  cluster.RemoveNode("c");
  snapshot = cluster.Take();
  EXPECT_EQ(snapshot->node_slots(), 1U);
  EXPECT_EQ(snapshot->NodeAt(2), nullptr);
}

TEST(Cluster, UpdateThatChangesNothingKeepsGenerationAndRevision) {
  Cluster cluster({});
  Node node = MakeNode("a").Label("zone", "x");
  Pod pod = PodOn("p", "a");
  cluster.UpsertNode(node);
  cluster.UpsertPod(pod);
  const auto before = cluster.Take();
  cluster.UpsertNode(node);
  cluster.UpsertPod(pod);
  EXPECT_EQ(cluster.Take(), before);
  node.resource_version = "2";  // a heartbeat
  pod.resource_version = "2";
  cluster.UpsertNode(node);
  cluster.UpsertPod(pod);
  const auto after = cluster.Take();
  EXPECT_EQ(after->generation(), before->generation());
  EXPECT_EQ(after->FindNode("a")->node->revision, before->FindNode("a")->node->revision);
  EXPECT_EQ(after->FindNode("a")->node->resource_version, "2");
  EXPECT_EQ(after->FindNode("a")->pods[0]->resource_version(), "2");
  EXPECT_EQ(after->FindPod("default", "p")->resource_version(), "2");
  EXPECT_EQ(before->FindNode("a")->node->resource_version, "");
}

TEST(Cluster, ChangedNodesGetRevisionsOfTheirOwn) {
  Cluster cluster({});
  Cluster other({});
  cluster.UpsertNode(MakeNode("a"));
  other.UpsertNode(MakeNode("a"));
  const uint64_t first = cluster.Take()->FindNode("a")->node->revision;
  EXPECT_NE(first, 0U);
  EXPECT_NE(other.Take()->FindNode("a")->node->revision, first);
  cluster.UpsertNode(MakeNode("a").Annotation("mean-free-cpu", "1"));
  const uint64_t second = cluster.Take()->FindNode("a")->node->revision;
  EXPECT_NE(second, first);
  cluster.UpsertPod(PodOn("p", "a"));  // changes what is on it, not the node
  EXPECT_EQ(cluster.Take()->FindNode("a")->node->revision, second);
}

TEST(Cluster, IndexFilesPodsPerNamespaceInOrder) {
  Cluster cluster({.indexes = {LabelIndex("group")}});
  cluster.UpsertPod(MakePod("z").Label("group", "g"));
  cluster.UpsertPod(MakePod("a").Label("group", "g"));
  cluster.UpsertPod(MakePod("m").Namespace("other").Label("group", "g"));
  cluster.UpsertPod(MakePod("n"));
  const auto before = cluster.Take();
  EXPECT_THAT(PodsOf(*before, "default/g"), ElementsAre("a", "z"));
  EXPECT_THAT(PodsOf(*before, "other/g"), ElementsAre("m"));
  EXPECT_THAT(PodsOf(*before, "g"), IsEmpty());
  cluster.UpsertPod(MakePod("z").Label("group", "h"));
  cluster.RemovePod("other", "m");
  EXPECT_THAT(PodsOf(*cluster.Take(), "default/g"), ElementsAre("a"));
  EXPECT_THAT(PodsOf(*cluster.Take(), "default/h"), ElementsAre("z"));
  EXPECT_THAT(PodsOf(*cluster.Take(), "other/g"), IsEmpty());
  EXPECT_THAT(PodsOf(*before, "default/g"), ElementsAre("a", "z"));
}

// 10^30 and a billionth do not fit one number: taking away would leave a rest.
TEST(Cluster, AbsurdAmountsLeaveNothingBehind) {
  Cluster cluster({});
  cluster.UpsertNode(MakeNode("a"));
  cluster.UpsertPod(PodOn("small", "a", "1n"));
  cluster.UpsertPod(PodOn("huge", "a", "1000000000000000000000000000000"));
  cluster.RemovePod("default", "huge");
  EXPECT_EQ(RequestedOf(*cluster.Take(), "a"), "cpu 1n, pods 1");
  cluster.RemovePod("default", "small");
  EXPECT_EQ(RequestedOf(*cluster.Take(), "a"), "");
}

TEST(Cluster, SnapshotOutlivesTheCluster) {
  std::shared_ptr<const Snapshot> snapshot;
  {
    Cluster cluster({});
    cluster.UpsertNode(MakeNode("a"));
    snapshot = cluster.Take();
  }
  EXPECT_EQ(snapshot->FindNode("a")->node->name, "a");
  EXPECT_EQ(snapshot->FindNode("b"), nullptr);
  EXPECT_EQ(snapshot->FindPod("default", "p"), nullptr);
}

}  // namespace
}  // namespace outrigger::cluster
