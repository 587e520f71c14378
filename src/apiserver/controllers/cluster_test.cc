// Namespaces, garbage, nodes, evictions and disruption budgets.

#include <thread>

#include "apiserver/controllers/cluster_testing.h"

namespace outrigger::apiserver {
namespace {

using std::chrono::seconds;

Json Named(const std::string& name) {
  return {{"metadata", {{"name", name}}}};
}

Json OwnedPod(const std::string& name, Json owners) {
  return {{"metadata", {{"name", name}, {"ownerReferences", std::move(owners)}}},
          {"spec", PodSpec()}};
}

Json Owner(const Json& object) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"name", object["metadata"]["name"]},
          {"uid", object["metadata"]["uid"]}};
}

TEST(Namespaces, GetTheirServiceAccount) {
  TestCluster cluster;
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "serviceaccounts", "default").is_object());
  cluster.Delete("v1", "serviceaccounts", "default");
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "serviceaccounts", "default").is_object());
}

TEST(Namespaces, AreEmptiedBeforeTheyGo) {
  TestCluster cluster;
  cluster.Make("v1", "namespaces", Named("a"));
  cluster.Settle();
  Json pod = {{"metadata", {{"name", "p"}, {"namespace", "a"}}}, {"spec", PodSpec()}};
  cluster.Make("v1", "pods", pod);
  Json held = {{"metadata", {{"name", "c"}, {"namespace", "a"}, {"finalizers", {"x.y/z"}}}}};
  cluster.Make("v1", "configmaps", held);
  cluster.Make("v1", "configmaps", Named("kept"));
  cluster.Delete("v1", "namespaces", "a");
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "pods", "p", "a").is_null());
  EXPECT_TRUE(cluster.Get("v1", "serviceaccounts", "default", "a").is_null());
  EXPECT_EQ(TextAt(cluster.Get("v1", "namespaces", "a"), "status.phase"), "Terminating");
  cluster.Edit(
      "v1", "configmaps", "c", [](Json* object) { (*object)["metadata"].erase("finalizers"); },
      Part::kMain, "a");
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "namespaces", "a").is_null());
  EXPECT_TRUE(cluster.Get("v1", "configmaps", "kept").is_object());
}

TEST(Namespaces, KeepTheirFinalizerWhenTheyAreReplaced) {
  TestCluster cluster;
  cluster.Make("v1", "namespaces", Named("a"));
  cluster.Edit("v1", "namespaces", "a", [](Json* object) { object->erase("spec"); });
  EXPECT_EQ(cluster.Get("v1", "namespaces", "a")["spec"]["finalizers"][0], "kubernetes");
}

TEST(Garbage, GoesWithItsOwner) {
  TestCluster cluster;
  const Json owner = cluster.Make("v1", "configmaps", Named("o"));
  cluster.Make("v1", "pods", OwnedPod("p", Json::array({Owner(owner)})));
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 1U);
  cluster.Delete("v1", "configmaps", "o");
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 0U);
}

TEST(Garbage, StaysWhileOneOwnerIsThere) {
  TestCluster cluster;
  const Json a = cluster.Make("v1", "configmaps", Named("a"));
  const Json b = cluster.Make("v1", "configmaps", Named("b"));
  cluster.Make("v1", "pods", OwnedPod("p", Json::array({Owner(a), Owner(b)})));
  cluster.Settle();
  cluster.Delete("v1", "configmaps", "a");
  cluster.Settle();
  const Json pod = cluster.Get("v1", "pods", "p");
  EXPECT_EQ(ListAt(pod, "metadata.ownerReferences"), Json::array({Owner(b)}));
}

TEST(Garbage, OfAnOwnerThatNeverWasGoes) {
  TestCluster cluster;
  Json owner = cluster.Make("v1", "configmaps", Named("o"));
  owner["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555";
  cluster.Make("v1", "pods", OwnedPod("p", Json::array({Owner(owner)})));
  Json unknown = Owner(owner);
  unknown["kind"] = "Unheard";
  cluster.Make("v1", "pods", OwnedPod("q", Json::array({unknown})));
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "pods", "p").is_null());
  EXPECT_TRUE(cluster.Get("v1", "pods", "q").is_object()) << "of that kind nothing is known";
}

TEST(Garbage, ForegroundDeletionWaitsForDependents) {
  TestCluster cluster;
  const Json owner = cluster.Make("v1", "configmaps", Named("o"));
  Json pod = OwnedPod("p", Json::array({Owner(owner)}));
  pod["metadata"]["finalizers"] = {"x.y/z"};
  cluster.Make("v1", "pods", pod);
  Deletion foreground;
  foreground.propagation = "Foreground";
  cluster.Delete("v1", "configmaps", "o", foreground);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "pods", "p")["metadata"].contains("deletionTimestamp"));
  EXPECT_TRUE(cluster.Get("v1", "configmaps", "o").is_object());
  cluster.Edit("v1", "pods", "p", [](Json* object) { (*object)["metadata"].erase("finalizers"); });
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "configmaps", "o").is_null());
}

TEST(Garbage, ForegroundDeletionReachesGrandchildren) {
  TestCluster cluster;
  cluster.Make("apps", "deployments", Workload("web", 2));
  cluster.Settle();
  for (const Json& pod : cluster.Pods()) cluster.Bind(pod["metadata"]["name"], "n");
  cluster.Make("v1", "nodes", Named("n"));
  Deletion foreground;
  foreground.propagation = "Foreground";
  cluster.Delete("apps", "deployments", "web", foreground);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("apps", "deployments", "web").is_object());
  EXPECT_EQ(cluster.List("apps", "replicasets").size(), 1U);
  Deletion now;
  now.grace = 0;
  for (const Json& pod : cluster.Pods()) cluster.Delete("v1", "pods", pod["metadata"]["name"], now);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("apps", "deployments", "web").is_null());
  EXPECT_EQ(cluster.List("apps", "replicasets").size(), 0U);
}

// Neither for ever nor for nobody.
TEST(Garbage, ACircleOfOwnersGoes) {
  TestCluster cluster;
  const Json a = cluster.Make("v1", "configmaps", Named("a"));
  Json b = Named("b");
  b["metadata"]["ownerReferences"] = Json::array({Owner(a)});
  b = cluster.Make("v1", "configmaps", b);
  cluster.Edit("v1", "configmaps", "a", [&](Json* object) {
    (*object)["metadata"]["ownerReferences"] = Json::array({Owner(a), Owner(b)});
  });
  cluster.Settle();
  Deletion foreground;
  foreground.propagation = "Foreground";
  cluster.Delete("v1", "configmaps", "a", foreground);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "configmaps", "a").is_null());
  EXPECT_TRUE(cluster.Get("v1", "configmaps", "b").is_null());
}

TEST(Garbage, AnOwnerThatIsNamedTwiceIsOne) {
  TestCluster cluster;
  const Json owner = cluster.Make("v1", "configmaps", Named("o"));
  cluster.Make("v1", "pods", OwnedPod("p", Json::array({Owner(owner), Owner(owner)})));
  cluster.Delete("v1", "configmaps", "o");
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "pods", "p").is_null());
}

TEST(Garbage, OrphansAreLeftBehind) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 2));
  cluster.Settle();
  Deletion orphan;
  orphan.propagation = "Orphan";
  cluster.Delete("apps", "replicasets", "web", orphan);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("apps", "replicasets", "web").is_null());
  ASSERT_EQ(cluster.Pods().size(), 2U);
  EXPECT_FALSE(cluster.Pods()[0]["metadata"].contains("ownerReferences"));
}

Json NodeOf(const std::string& name, const char* ready = "True") {
  Json node = Named(name);
  node["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", ready}}});
  return node;
}

std::vector<std::string> TaintsOf(const TestCluster& cluster, const std::string& node) {
  const Json object = cluster.Get("v1", "nodes", node);
  std::vector<std::string> taints;
  for (const Json& taint : ListAt(object, "spec.taints")) {
    taints.push_back(TextAt(taint, "key") + ":" + TextAt(taint, "effect"));
  }
  return taints;
}

void SetNodeCondition(TestCluster* cluster, const char* type, const char* status) {
  cluster->Edit(
      "v1", "nodes", "n",
      [&](Json* node) {
        (*node)["status"]["conditions"] = Json::array({{{"type", type}, {"status", status}}});
      },
      Part::kStatus);
  cluster->Settle();
}

struct TaintRow {
  const char* type;
  const char* status;
  std::vector<std::string> taints;
};

TEST(Nodes, TaintsFollowConditions) {
  const TaintRow rows[] = {
      {"Ready", "True", {}},
      {"Ready",
       "False",
       {"node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"}},
      {"Ready",
       "Unknown",
       {"node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"}},
      {"MemoryPressure", "True", {"node.kubernetes.io/memory-pressure:NoSchedule"}},
      {"DiskPressure", "True", {"node.kubernetes.io/disk-pressure:NoSchedule"}},
      {"PIDPressure", "True", {"node.kubernetes.io/pid-pressure:NoSchedule"}},
      {"NetworkUnavailable", "True", {"node.kubernetes.io/network-unavailable:NoSchedule"}},
      {"NetworkUnavailable", "False", {}},
  };
  TestCluster cluster;
  Json node = Named("n");
  node["spec"]["taints"] = Json::array({{{"key", "own"}, {"effect", "NoSchedule"}}});
  cluster.Make("v1", "nodes", node);
  for (const TaintRow& row : rows) {
    SCOPED_TRACE(std::string(row.type) + " " + row.status);
    SetNodeCondition(&cluster, row.type, row.status);
    std::vector<std::string> expected = {"own:NoSchedule"};
    expected.insert(expected.end(), row.taints.begin(), row.taints.end());
    EXPECT_EQ(TaintsOf(cluster, "n"), expected);
  }
}

TEST(Nodes, CordonedHasItsTaint) {
  TestCluster cluster;
  cluster.Make("v1", "nodes", NodeOf("n"));
  const auto cordon = [&](bool value) {
    cluster.Edit("v1", "nodes", "n", [&](Json* node) { (*node)["spec"]["unschedulable"] = value; });
    cluster.Settle();
  };
  cordon(true);
  EXPECT_EQ(TaintsOf(cluster, "n"),
            std::vector<std::string>{"node.kubernetes.io/unschedulable:NoSchedule"});
  cordon(false);
  EXPECT_TRUE(TaintsOf(cluster, "n").empty());
}

std::string ReadyOf(const TestCluster& cluster, const std::string& node) {
  return TextAt(*FindCondition(cluster.Get("v1", "nodes", node), "Ready"), "status");
}

TEST(Nodes, WithoutRenewalsIsUnknown) {
  TestCluster cluster;
  cluster.Make("v1", "namespaces", Named("kube-node-lease"));
  cluster.Make("v1", "nodes", NodeOf("n"));
  cluster.Make("v1", "nodes", NodeOf("still"));
  cluster.Make("coordination.k8s.io", "leases",
               {{"metadata", {{"name", "n"}, {"namespace", "kube-node-lease"}}}});
  cluster.Settle();
  cluster.Advance(seconds(30));
  cluster.Edit(
      "coordination.k8s.io", "leases", "n",
      [&](Json* lease) { (*lease)["spec"]["renewTime"] = TimeText(cluster.wall); }, Part::kMain,
      "kube-node-lease");
  cluster.Settle();
  cluster.Advance(seconds(39));
  EXPECT_EQ(ReadyOf(cluster, "n"), "True");
  cluster.Advance(seconds(1));
  EXPECT_EQ(ReadyOf(cluster, "n"), "Unknown");
  EXPECT_EQ(TaintsOf(cluster, "n").size(), 2U);
  cluster.Advance(seconds(3600));
  EXPECT_EQ(ReadyOf(cluster, "still"), "True") << "it never had a Lease";
}

Json BoundPod(const std::string& name, const std::string& node) {
  Json pod = {{"metadata", {{"name", name}}}, {"spec", PodSpec()}};
  pod["spec"]["nodeName"] = node;
  return pod;
}

bool IsDeleted(const TestCluster& cluster, const std::string& pod) {
  const Json object = cluster.Get("v1", "pods", pod);
  return object.is_null() || object["metadata"].contains("deletionTimestamp");
}

struct TolerationRow {
  const char* name;
  Json toleration;           // of the taint "k" with value "v"
  std::optional<int> stays;  // seconds; nothing: for ever
};

TEST(Evictions, FollowTolerations) {
  const TolerationRow rows[] = {
      {"none", nullptr, 0},
      {"all", {{"operator", "Exists"}}, std::nullopt},
      {"the key", {{"key", "k"}, {"operator", "Exists"}}, std::nullopt},
      {"another key", {{"key", "l"}, {"operator", "Exists"}}, 0},
      {"the value", {{"key", "k"}, {"value", "v"}}, std::nullopt},
      {"another value", {{"key", "k"}, {"value", "w"}}, 0},
      {"another effect", {{"key", "k"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}, 0},
      {"for a time",
       {{"key", "k"}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 30}},
       30},
  };
  for (const TolerationRow& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    cluster.Make("v1", "nodes", NodeOf("n"));
    Json pod = BoundPod("p", "n");
    if (!row.toleration.is_null()) pod["spec"]["tolerations"] = Json::array({row.toleration});
    cluster.Make("v1", "pods", pod);
    cluster.Settle();
    cluster.Edit("v1", "nodes", "n", [](Json* node) {
      (*node)["spec"]["taints"] =
          Json::array({{{"key", "k"}, {"value", "v"}, {"effect", "NoExecute"}}});
    });
    cluster.Settle();
    if (row.stays && *row.stays > 0) {
      cluster.Advance(seconds(*row.stays - 1));
      EXPECT_FALSE(IsDeleted(cluster, "p"));
      cluster.Advance(seconds(1));
    }
    EXPECT_EQ(IsDeleted(cluster, "p"), row.stays.has_value());
  }
}

TEST(Evictions, NodeThatRecoversKeepsItsPods) {
  TestCluster cluster;
  cluster.Make("v1", "nodes", NodeOf("n", "False"));
  cluster.Make("v1", "pods", BoundPod("p", "n"));
  cluster.Settle();
  cluster.Advance(seconds(200));
  SetNodeCondition(&cluster, "Ready", "True");
  cluster.Advance(seconds(200));
  EXPECT_FALSE(IsDeleted(cluster, "p"));
  SetNodeCondition(&cluster, "Ready", "False");
  cluster.Advance(seconds(299));
  EXPECT_FALSE(IsDeleted(cluster, "p")) << "the five minutes begin anew";
  cluster.Advance(seconds(1));
  EXPECT_TRUE(IsDeleted(cluster, "p"));
}

TEST(Evictions, PodsOfNodesThatAreGone) {
  TestCluster cluster;
  cluster.Make("v1", "nodes", NodeOf("n"));
  cluster.Make("v1", "pods", BoundPod("p", "n"));
  cluster.Make("v1", "pods", BoundPod("ends", "n"));
  cluster.Make("v1", "pods", BoundPod("never", "m"));
  Json held = BoundPod("held", "n");
  held["metadata"]["finalizers"] = {"x.y/z"};
  cluster.Make("v1", "pods", held);
  cluster.Delete("v1", "pods", "ends");
  cluster.Delete("v1", "nodes", "n");
  cluster.Settle();
  cluster.Advance(seconds(9));
  EXPECT_EQ(cluster.Pods().size(), 4U);
  cluster.Advance(seconds(1));
  ASSERT_EQ(cluster.Pods().size(), 1U);
  EXPECT_TRUE(IsDeleted(cluster, "held"));
}

TEST(Evictions, NodeMadeAnewKeepsItsPods) {
  TestCluster cluster;
  cluster.Make("v1", "nodes", NodeOf("n"));
  cluster.Make("v1", "pods", BoundPod("p", "n"));
  cluster.Delete("v1", "nodes", "n");
  cluster.Settle();
  cluster.Advance(seconds(5));
  cluster.Make("v1", "nodes", NodeOf("n"));
  cluster.Settle();
  cluster.Advance(seconds(60));
  EXPECT_FALSE(IsDeleted(cluster, "p"));
}

Json BudgetOf(const char* key, const Json& value) {
  return {{"metadata", {{"name", "b"}}},
          {"spec", {{key, value}, {"selector", {{"matchLabels", {{"app", "web"}}}}}}}};
}

struct BudgetRow {
  const char* name;
  const char* key;
  Json value;
  int ready;  // of ten that the controller wants
  int64_t desired;
  int64_t allowed;
};

TEST(Budgets, CountPods) {
  const BudgetRow rows[] = {
      {"least, a number", "minAvailable", 3, 10, 3, 7},
      {"least, a percentage", "minAvailable", "25%", 10, 3, 7},
      {"most, a number", "maxUnavailable", 3, 10, 7, 3},
      {"most, a percentage rounds up", "maxUnavailable", "25%", 10, 7, 3},
      {"some are not ready", "maxUnavailable", 3, 8, 7, 1},
      {"too few are ready", "maxUnavailable", 3, 5, 7, 0},
  };
  for (const BudgetRow& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    cluster.Make("apps", "deployments", Workload("web", 10));
    cluster.Settle();
    int left = row.ready;
    for (const Json& pod : cluster.Pods()) {
      cluster.SetPhase(pod["metadata"]["name"], "Running", left-- > 0);
    }
    cluster.Make("policy", "poddisruptionbudgets", BudgetOf(row.key, row.value));
    cluster.Settle();
    const Json budget = cluster.Get("policy", "poddisruptionbudgets", "b");
    EXPECT_EQ(NumberAt(budget, "status.expectedPods"), 10);
    EXPECT_EQ(NumberAt(budget, "status.currentHealthy"), row.ready);
    EXPECT_EQ(NumberAt(budget, "status.desiredHealthy"), row.desired);
    EXPECT_EQ(NumberAt(budget, "status.disruptionsAllowed"), row.allowed);
    EXPECT_EQ(NumberAt(budget, "status.observedGeneration"), 1);
    const Json* const condition = FindCondition(budget, "DisruptionAllowed");
    ASSERT_NE(condition, nullptr);
    EXPECT_EQ((*condition)["reason"], row.allowed > 0 ? "SufficientPods" : "InsufficientPods");
  }
}

TEST(Budgets, PodThatIsBeingDeletedIsNotHealthy) {
  TestCluster cluster;
  cluster.Make("v1", "nodes", NodeOf("n"));
  Json pod = BoundPod("p", "n");
  pod["metadata"]["labels"] = {{"app", "web"}};
  cluster.Make("v1", "pods", pod);
  cluster.SetPhase("p", "Running", /*ready=*/true);
  cluster.Make("policy", "poddisruptionbudgets", BudgetOf("minAvailable", 0));
  cluster.Settle();
  const auto healthy = [&] {
    return NumberAt(cluster.Get("policy", "poddisruptionbudgets", "b"), "status.currentHealthy");
  };
  EXPECT_EQ(healthy(), 1);
  cluster.Delete("v1", "pods", "p");
  cluster.Settle();
  EXPECT_EQ(healthy(), 0);
}

TEST(Budgets, EvictedPodCountsForTwoMinutes) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 3));
  cluster.Settle();
  cluster.RunPods();
  cluster.Make("policy", "poddisruptionbudgets", BudgetOf("maxUnavailable", 1));
  cluster.Settle();
  const std::string pod = cluster.Pods()[0]["metadata"]["name"];
  cluster.Edit(
      "policy", "poddisruptionbudgets", "b",
      [&](Json* budget) {
        (*budget)["status"]["disruptedPods"][pod] = TimeText(cluster.wall);
        (*budget)["status"]["disruptionsAllowed"] = 0;
      },
      Part::kStatus);
  cluster.Settle();
  cluster.Advance(seconds(119));
  const auto budget = [&] { return cluster.Get("policy", "poddisruptionbudgets", "b"); };
  EXPECT_EQ(NumberAt(budget(), "status.disruptionsAllowed"), 0);
  EXPECT_EQ(NumberAt(budget(), "status.currentHealthy"), 2);
  cluster.Advance(seconds(1));
  EXPECT_EQ(NumberAt(budget(), "status.disruptionsAllowed"), 1);
  EXPECT_FALSE(budget()["status"].contains("disruptedPods"));
}

// Without the log they read all objects, as at the start.
TEST(Controllers, ReadAllWhereTheLogWasCut) {
  TestCluster cluster({.changes = 5});
  cluster.Settle();
  cluster.Make("apps", "replicasets", Workload("web", 2));
  for (int i = 0; i < 9; ++i) cluster.Make("v1", "configmaps", Named("c" + std::to_string(i)));
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 2U);
}

TEST(Controllers, ObjectsWithoutShapeFailAlone) {
  TestCluster cluster;
  Json shapeless = Named("web");
  shapeless["metadata"]["namespace"] = "default";
  const std::pair<const char*, const char*> kinds[] = {
      {"apps", "deployments"}, {"apps", "replicasets"},          {"batch", "jobs"},
      {"v1", "pods"},          {"v1", "serviceaccounts"},        {"policy", "poddisruptionbudgets"},
      {"v1", "configmaps"},    {"coordination.k8s.io", "leases"}};
  for (const auto& [group, plural] : kinds) {
    shapeless["metadata"]["uid"] = plural;
    StoredPtr stored;
    ASSERT_EQ(cluster.store.Create(cluster.Kind(group, plural).collection, shapeless, &stored),
              Written::kDone);
  }
  cluster.Make("apps", "replicasets", Workload("other", 1));
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 2U) << "with the one that has no shape";
}

TEST(Controllers, FollowTheLogInTheirThread) {
  TestCluster cluster;
  cluster.controllers.Start();
  cluster.Make("apps", "deployments", Workload("web", 2));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  uint64_t seen = 0;
  while (cluster.Pods().size() < 2 && std::chrono::steady_clock::now() < end) {
    cluster.store.WaitForChange(seen, std::chrono::seconds(1), {});
    seen = cluster.store.version();
  }
  EXPECT_EQ(cluster.Pods().size(), 2U);
}

TEST(WorkQueue, KeepsEachTaskOnceAndTheEarliestTime) {
  Clock::TimePoint now;
  WorkQueue queue([&] { return now; });
  const Task task{nullptr, nullptr, {"a", "b"}};
  const Task other{nullptr, nullptr, {"a", "a"}};
  queue.Push(task);
  queue.Push(other);
  queue.Push(task);
  EXPECT_EQ(queue.Pop(), task);
  EXPECT_EQ(queue.Pop(), other);
  EXPECT_FALSE(queue.Pop().has_value());
  queue.Push(task, seconds(5));
  queue.Push(task, seconds(9));
  queue.Push(task, seconds(3));
  now += seconds(3) - std::chrono::nanoseconds(1);
  EXPECT_FALSE(queue.Pop().has_value());
  now += std::chrono::nanoseconds(1);
  EXPECT_TRUE(queue.Pop().has_value());
  now += seconds(9);
  EXPECT_FALSE(queue.Pop().has_value());
}

}  // namespace
}  // namespace outrigger::apiserver
