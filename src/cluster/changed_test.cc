#include <functional>
#include <utility>

#include "cluster_testing.h"
#include "equality.h"

namespace outrigger::cluster {
namespace {

using testing::MakeNode;

class Changed : public ::testing::Test {
 protected:
  Changed() : cluster_(Options()) {}

  ClusterOptions Options() {
    ClusterOptions options = clock_.Options();
    options.changed = [this] { ++told_; };
    options.state_changed = [this] { ++told_of_states_; };
    return options;
  }
  /// How often was told of it since the last call.
  int Told() { return std::exchange(told_, 0); }
  int ToldOfStates() { return std::exchange(told_of_states_, 0); }

  Clock clock_;
  int told_ = 0;
  int told_of_states_ = 0;
  Cluster cluster_;
};

TEST_F(Changed, OfStatesAloneIsAnotherCall) {
  Pod pod = PodOn("p", "a");
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(pod);
  EXPECT_EQ(Told(), 2);
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"start_time", [&] { pod.start_time = 5; }},
      {"end_time", [&] { pod.end_time = 6; }},
      {"status_reason", [&] { pod.status_reason = "NodeLost"; }},
      {"states", [&] { pod.container_states = {{.name = "a", .restarts = 1}}; }},
      {"restarts", [&] { pod.container_states[0].restarts = 2; }},
      {"none", [&] { pod.container_states.clear(); }},
  };
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    const auto before = cluster_.Take();
    change();
    cluster_.UpsertPod(pod);
    EXPECT_EQ(Told(), 0);
    EXPECT_EQ(ToldOfStates(), 1);
    EXPECT_EQ(cluster_.Take()->generation(), before->generation() + 1);
    EXPECT_TRUE(testing::Same(cluster_.Take()->FindPod("default", "p")->Unpack(), pod));
  }
}

TEST_F(Changed, OfMoreThanStatesIsTheUsualCall) {
  Pod pod = PodOn("p", "a");
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(pod);
  Told();
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"creation", [&] { pod.creation_time = 3; }}, {"scheduled", [&] { pod.scheduled_time = 4; }},
      {"priority", [&] { pod.priority = 5; }},      {"label", [&] { pod.labels.Set("a", "b"); }},
      {"claim", [&] { pod.claims = {"c"}; }},       {"end", [&] { pod.phase = "Failed"; }},
  };
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    change();
    ++pod.start_time;
    pod.container_states = {{.name = name}};
    cluster_.UpsertPod(pod);
    EXPECT_EQ(Told(), 1);
    EXPECT_EQ(ToldOfStates(), 0);
  }
}

TEST_F(Changed, OfAddressesAndReadyIsACallOfStates) {
  Node node = MakeNode("a");
  cluster_.UpsertNode(node);
  const uint64_t revision = cluster_.Take()->FindNode("a")->node->revision;
  Told();
  node.ready = ConditionStatus::kFalse;
  cluster_.UpsertNode(node);
  node.addresses = {{"InternalIP", "10.0.0.1"}};
  cluster_.UpsertNode(node);
  EXPECT_EQ(Told(), 0);
  EXPECT_EQ(ToldOfStates(), 2);
  const Node& shown = *cluster_.Take()->FindNode("a")->node;
  EXPECT_EQ(shown.ready, ConditionStatus::kFalse);
  EXPECT_EQ(shown.addresses, node.addresses);
  EXPECT_NE(shown.revision, revision) << "what was computed from it may not hold any more";
  node.ready = ConditionStatus::kTrue;
  node.unschedulable = true;
  cluster_.UpsertNode(node);
  EXPECT_EQ(Told(), 1);
  EXPECT_EQ(ToldOfStates(), 0);
}

TEST_F(Changed, OfAnAssumedPodsStatesKeepsTheAssumption) {
  Pod pod = PodOn("p", "");
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(pod);
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "uid-p", "a").ok());
  Told();
  pod.container_states = {{.name = "main", .waiting_reason = "ContainerCreating"}};
  pod.start_time = 9;
  cluster_.UpsertPod(pod);
  EXPECT_EQ(Told(), 0);
  EXPECT_EQ(ToldOfStates(), 1);
  const PodRecord& shown = *cluster_.Take()->FindPod("default", "p");
  EXPECT_EQ(shown.node_name(), "a");
  EXPECT_EQ(shown.times().start, 9);
  EXPECT_EQ(shown.Unpack().container_states, pod.container_states);
}

TEST_F(Changed, MadeByTimeTogetherWithStatesIsTheUsualCall) {
  cluster_.UpsertNode(MakeNode("a"));
  Pod pod = PodOn("p", "a");
  cluster_.UpsertPod(pod);
  cluster_.UpsertPod(PodOn("q", ""));
  ASSERT_TRUE(cluster_.AssumePod("default", "q", "uid-q", "a").ok());
  Told();
  clock_.now += std::chrono::milliseconds(30'000);
  pod.start_time = 1;
  cluster_.UpsertPod(pod);
  EXPECT_EQ(Told(), 1) << "the assumption of q has expired with it";
  EXPECT_EQ(ToldOfStates(), 0);
}

TEST_F(Changed, IsCalledOncePerChange) {
  cluster_.UpsertNode(MakeNode("a"));
  EXPECT_EQ(Told(), 1);
  cluster_.UpsertPod(PodOn("p", ""));
  EXPECT_EQ(Told(), 1);
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "uid-p", "a").ok());
  EXPECT_EQ(Told(), 1);
  cluster_.ForgetPod("default", "p", "uid-p");
  EXPECT_EQ(Told(), 1);
  cluster_.RemovePod("default", "p");
  EXPECT_EQ(Told(), 1);
  cluster_.RemoveNode("a");
  EXPECT_EQ(Told(), 1);
}

TEST_F(Changed, IsNotCalledWhereNothingChanges) {
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  Told();
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  cluster_.RemoveNode("b");
  cluster_.RemovePod("default", "q");
  cluster_.ForgetPod("default", "p", "uid-p");
  cluster_.Take();
  EXPECT_EQ(Told(), 0);
}

TEST_F(Changed, IsCalledByWhoTakesASnapshotWithoutAnExpiredAssumption) {
  cluster_.UpsertNode(MakeNode("a"));
  cluster_.UpsertPod(PodOn("p", ""));
  ASSERT_TRUE(cluster_.AssumePod("default", "p", "uid-p", "a").ok());
  Told();
  clock_.now += std::chrono::milliseconds(30'000);
  cluster_.Take();
  EXPECT_EQ(Told(), 1);
}

TEST(ChangedCallback, MayTakeASnapshotWithTheChange) {
  Cluster* self = nullptr;
  size_t seen = 0;
  ClusterOptions options;
  options.changed = [&] { seen = self->Take()->node_count(); };
  Cluster cluster(std::move(options));
  self = &cluster;
  cluster.UpsertNode(MakeNode("a"));
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace outrigger::cluster
