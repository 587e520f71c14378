// Changes that kubelets report wake only views that ask for them.
#include <string>
#include <utility>

#include "cluster/change_listeners.h"
#include "cluster/cluster.h"
#include "kube/stream/list_page.h"
#include "kube/view/cluster_sinks.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/reflect_testing.h"

namespace outrigger::kube {
namespace {

class IntoCluster final : public ClusterSink {
 public:
  explicit IntoCluster(cluster::Cluster* cluster) : cluster_(*cluster) {}
  void UpsertNode(Node node) override { cluster_.UpsertNode(node); }
  void RemoveNode(std::string_view name) override { cluster_.RemoveNode(name); }
  void UpsertPod(const Pod& pod) override { cluster_.UpsertPod(pod); }
  void RemovePod(std::string_view namespace_, std::string_view name) override {
    cluster_.RemovePod(namespace_, name);
  }

 private:
  cluster::Cluster& cluster_;
};

/// What agents read that plan: all that there was before states of containers.
Needs NeedsOfPlanners() {
  return Needs()
      .NodeLabels()
      .NodeTaints()
      .NodeAllocatable()
      .NodeCapacity()
      .NodeAnnotations()
      .NodeVersion()
      .PodMetadata()
      .PodResources()
      .PodScheduling()
      .PodStatus()
      .ClusterPods();
}

/// A view, one who plans and one who hears of states.
class StatesView : public ::testing::Test {
 protected:
  explicit StatesView(const Needs& needs = NeedsOfPlanners())
      : pods_(&into_, needs, [] { return ResizeCounting::kByPod; }), nodes_(&into_, needs) {}

  static cluster::ClusterOptions Options(cluster::ChangeListeners* changes) {
    cluster::ClusterOptions options;
    options.changed = [changes] { changes->Notify(); };
    options.state_changed = [changes] { changes->NotifyOfState(); };
    return options;
  }
  static void Show(const Resource& resource, ObjectSink* sink, const std::string& object) {
    ObjectFeed feed(resource, sink, {});
    feed.BeginReplace();
    ListPageReader reader;
    ASSERT_TRUE(reader
                    .Feed(List(1, {object}),
                          [&feed](const ListItem& item) {
                            return feed.Upsert(item.head, item.object, item.document);
                          })
                    .ok());
  }
  /// The pod of the tests; `state` is what its one container is in.
  void ShowPod(std::string_view version, std::string_view state, std::string_view start = "null") {
    Show(kPods, &pods_,
         fmt::format(
             R"({{"metadata":{{"name":"p","namespace":"d","uid":"u","resourceVersion":"{}"}},)"
             R"("spec":{{"nodeName":"a"}},"status":{{"phase":"Running","startTime":{},)"
             R"("containerStatuses":[{{"name":"main","state":{}}}]}}}})",
             version, start, state));
  }
  void ShowNode(std::string_view ready, std::string_view address) {
    Show(kNodes, &nodes_,
         fmt::format(R"({{"metadata":{{"name":"a"}},"status":{{"conditions":)"
                     R"([{{"type":"Ready","status":"{}"}}],"addresses":)"
                     R"([{{"type":"InternalIP","address":"{}"}}]}}}})",
                     ready, address));
  }
  std::pair<int, int> Woken() { return {std::exchange(planner_, 0), std::exchange(watcher_, 0)}; }

  cluster::ChangeListeners changes_;
  cluster::Cluster cluster_{Options(&changes_)};
  IntoCluster into_{&cluster_};
  PodSink pods_;
  NodeSink nodes_;
  int planner_ = 0;
  int watcher_ = 0;
  const Subscription plans_ = changes_.Add([this] { ++planner_; });
  const Subscription watches_ = changes_.Add([this] { ++watcher_; }, ChangeScope::kAllAndStates);
};

constexpr const char* kRuns = R"({"running":{"startedAt":"2026-01-15T08:00:00Z"}})";
constexpr const char* kWaits = R"({"waiting":{"reason":"CrashLoopBackOff"}})";

TEST_F(StatesView, WakesNobodyWhereNobodyAsks) {
  ShowNode("True", "10.0.0.1");
  ShowPod("1", kRuns);
  EXPECT_EQ(Woken(), std::pair(2, 2));
  const uint64_t generation = cluster_.Take()->generation();
  ShowPod("2", kWaits, R"("2026-01-15T08:00:00Z")");
  ShowNode("False", "10.0.0.2");
  EXPECT_EQ(Woken(), std::pair(0, 0));
  EXPECT_EQ(cluster_.Take()->generation(), generation);
}

class AskedStatesView : public StatesView {
 protected:
  AskedStatesView()
      : StatesView(NeedsOfPlanners().NodeReady().NodeAddresses().PodContainerStates()) {}
};

TEST_F(AskedStatesView, WakesWhoAsksAndNoPlanner) {
  ShowNode("True", "10.0.0.1");
  ShowPod("1", kRuns);
  EXPECT_EQ(Woken(), std::pair(2, 2));
  ShowPod("2", kWaits);
  EXPECT_EQ(Woken(), std::pair(0, 1));
  ShowPod("3", kWaits, R"("2026-01-15T08:00:00Z")");
  EXPECT_EQ(Woken(), std::pair(0, 1));
  ShowPod("4", kWaits, R"("2026-01-15T08:00:00Z")");
  EXPECT_EQ(Woken(), std::pair(0, 0)) << "only the resource version is new";
  ShowNode("False", "10.0.0.1");
  ShowNode("False", "10.0.0.2");
  EXPECT_EQ(Woken(), std::pair(0, 2));
}

class AskedTimesView : public StatesView {
 protected:
  AskedTimesView() : StatesView(NeedsOfPlanners().PodTimes()) {}
};

TEST_F(AskedTimesView, WakesForTimesButNotForStates) {
  ShowPod("1", kRuns);
  Woken();
  ShowPod("2", kWaits);
  EXPECT_EQ(Woken(), std::pair(0, 0));
  ShowPod("3", kWaits, R"("2026-01-15T08:00:00Z")");
  EXPECT_EQ(Woken(), std::pair(0, 1));
}

}  // namespace
}  // namespace outrigger::kube
