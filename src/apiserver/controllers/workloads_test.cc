// ReplicaSets and Deployments.

#include <algorithm>

#include "apiserver/controllers/cluster_testing.h"

namespace outrigger::apiserver {
namespace {

using std::chrono::seconds;

Json ReplicaSetOf(const TestCluster& cluster, const std::string& image) {
  for (const Json& set : cluster.List("apps", "replicasets")) {
    if (set["spec"]["template"]["spec"]["containers"][0]["image"] == image) return set;
  }
  return nullptr;
}

TEST(ReplicaSets, MakesPodsOfItsTemplate) {
  TestCluster cluster;
  Json set = Workload("web", 3);
  set["spec"]["template"]["metadata"]["annotations"] = {{"note", "x"}};
  set["spec"]["template"]["metadata"]["finalizers"] = {"a.b/c"};
  const Json made = cluster.Make("apps", "replicasets", set);
  cluster.Settle();
  const auto pods = cluster.Pods();
  ASSERT_EQ(pods.size(), 3U);
  const Json& metadata = pods[0]["metadata"];
  EXPECT_TRUE(TextAt(metadata, "name").starts_with("web-"));
  EXPECT_EQ(metadata["generateName"], "web-");
  EXPECT_EQ(metadata["labels"], Json({{"app", "web"}}));
  EXPECT_EQ(metadata["annotations"], Json({{"note", "x"}}));
  EXPECT_EQ(metadata["finalizers"], Json::array({"a.b/c"}));
  EXPECT_EQ(metadata["ownerReferences"], Json::array({{{"apiVersion", "apps/v1"},
                                                       {"kind", "ReplicaSet"},
                                                       {"name", "web"},
                                                       {"uid", made["metadata"]["uid"]},
                                                       {"controller", true},
                                                       {"blockOwnerDeletion", true}}}));
}

TEST(ReplicaSets, StatusCountsPods) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 3));
  cluster.Settle();
  cluster.SetPhase(TextAt(cluster.Pods()[0], "metadata.name"), "Running", /*ready=*/true);
  cluster.Settle();
  const Json status = cluster.Get("apps", "replicasets", "web")["status"];
  EXPECT_EQ(NumberAt(status, "replicas"), 3);
  EXPECT_EQ(NumberAt(status, "readyReplicas"), 1);
  EXPECT_EQ(NumberAt(status, "availableReplicas"), 1);
  EXPECT_EQ(NumberAt(status, "observedGeneration"), 1);
}

TEST(ReplicaSets, ReplacesPodsThatEndOrAreDeleted) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 3));
  cluster.Settle();
  const auto pods = cluster.Pods();
  cluster.SetPhase(TextAt(pods[0], "metadata.name"), "Failed");
  cluster.SetPhase(TextAt(pods[1], "metadata.name"), "Succeeded");
  cluster.Delete("v1", "pods", TextAt(pods[2], "metadata.name"));
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 5U);
  EXPECT_EQ(NumberAt(cluster.Get("apps", "replicasets", "web"), "status.replicas"), 3);
}

// Of each pair the first is deleted.
struct OrderRow {
  const char* name;
  void (*lesser)(TestCluster* cluster, const std::string& pod);
  void (*greater)(TestCluster* cluster, const std::string& pod);
};

void RunOn(TestCluster* cluster, const std::string& pod, const char* node) {
  cluster->Bind(pod, node);
  cluster->SetPhase(pod, "Running", /*ready=*/true);
}

const OrderRow kOrder[] = {
    {"without a node", [](TestCluster*, const std::string&) {},
     [](TestCluster* c, const std::string& p) { c->Bind(p, "n1"); }},
    {"not ready",
     [](TestCluster* c, const std::string& p) {
       c->Bind(p, "n1");
       c->SetPhase(p, "Running");
     },
     [](TestCluster* c, const std::string& p) { RunOn(c, p, "n1"); }},
};

TEST(ReplicaSets, DeletesTheLeastLossFirst) {
  for (const OrderRow& row : kOrder) {
    for (const bool reversed : {false, true}) {
      SCOPED_TRACE(row.name);
      TestCluster cluster;
      cluster.Make("apps", "replicasets", Workload("web", 2));
      cluster.Settle();
      std::vector<std::string> names;
      for (const Json& pod : cluster.Pods()) names.push_back(pod["metadata"]["name"]);
      if (reversed) std::swap(names[0], names[1]);
      row.lesser(&cluster, names[0]);
      row.greater(&cluster, names[1]);
      cluster.Edit("apps", "replicasets", "web", [](Json* set) { (*set)["spec"]["replicas"] = 1; });
      cluster.Settle();
      const Json pod = cluster.Get("v1", "pods", names[1]);
      ASSERT_TRUE(pod.is_object());
      EXPECT_FALSE(pod["metadata"].contains("deletionTimestamp"));
    }
  }
}

TEST(ReplicaSets, DeletesTheNewestFirst) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 1));
  cluster.Settle();
  const std::string oldest = cluster.Pods()[0]["metadata"]["name"];
  const auto scale = [&](int replicas) {
    cluster.Edit("apps", "replicasets", "web",
                 [&](Json* set) { (*set)["spec"]["replicas"] = replicas; });
    cluster.Advance(seconds(60));
  };
  scale(9);
  scale(1);
  ASSERT_EQ(cluster.Pods().size(), 1U);
  EXPECT_EQ(cluster.Pods()[0]["metadata"]["name"], oldest);
}

TEST(ReplicaSets, FailureIsTriedAgainAndSaid) {
  TestCluster cluster;
  Json set = Workload("web", 1);
  set["spec"]["template"]["spec"]["priorityClassName"] = "high";
  cluster.Make("apps", "replicasets", set);
  cluster.Settle();
  const Json conditions = cluster.Get("apps", "replicasets", "web")["status"]["conditions"];
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0]["type"], "ReplicaFailure");
  EXPECT_EQ(conditions[0]["reason"], "FailedCreate");
  cluster.Make("scheduling.k8s.io", "priorityclasses",
               {{"metadata", {{"name", "high"}}}, {"value", 7}});
  cluster.Advance(seconds(30));
  EXPECT_EQ(cluster.Pods().size(), 1U);
  EXPECT_EQ((*FindCondition(cluster.Get("apps", "replicasets", "web"), "ReplicaFailure"))["status"],
            "False");
}

TEST(ReplicaSets, MoreThanOneLookMakesThemAll) {
  TestCluster cluster;
  cluster.Make("apps", "replicasets", Workload("web", 1200));
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 1200U);
}

// A Deployment of `replicas` that runs.
void Deploy(TestCluster* cluster, Json deployment) {
  cluster->Make("apps", "deployments", std::move(deployment));
  for (int i = 0; i < 3; ++i) {
    cluster->Settle();
    cluster->RunPods();
  }
  cluster->Settle();
}

void SetImage(TestCluster* cluster, const std::string& image) {
  cluster->Edit("apps", "deployments", "web", [&](Json* object) {
    (*object)["spec"]["template"]["spec"]["containers"][0]["image"] = image;
  });
  cluster->Settle();
}

TEST(Deployments, RollsOutAndSaysSo) {
  TestCluster cluster;
  Deploy(&cluster, Workload("web", 3));
  const Json deployment = cluster.Get("apps", "deployments", "web");
  EXPECT_EQ(NumberAt(deployment, "status.availableReplicas"), 3);
  EXPECT_EQ(NumberAt(deployment, "status.updatedReplicas"), 3);
  EXPECT_EQ(NumberAt(deployment, "status.observedGeneration"), 1);
  EXPECT_EQ(deployment["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
  const Json* const progress = FindCondition(deployment, "Progressing");
  ASSERT_NE(progress, nullptr);
  EXPECT_EQ((*progress)["reason"], "NewReplicaSetAvailable");
  ASSERT_NE(FindCondition(deployment, "Available"), nullptr);
  EXPECT_EQ((*FindCondition(deployment, "Available"))["status"], "True");
  const Json set = cluster.List("apps", "replicasets").at(0);
  const std::string hash = set["metadata"]["labels"]["pod-template-hash"];
  EXPECT_EQ(set["metadata"]["name"], "web-" + hash);
  EXPECT_EQ(set["spec"]["selector"]["matchLabels"]["pod-template-hash"], hash);
  EXPECT_EQ(cluster.Pods().at(0)["metadata"]["labels"]["pod-template-hash"], hash);
}

// How many pods may be there, and must be ready, in a rollout of `replicas`.
struct LimitRow {
  const char* name;
  int replicas;
  Json surge;
  Json unavailable;
  int64_t most;
  int64_t least;
};

TEST(Deployments, KeepsLimitsWhileItRolls) {
  const LimitRow rows[] = {
      {"default 25%", 4, "25%", "25%", 5, 3},
      {"surge rounds up, unavailable down", 10, "25%", "25%", 13, 8},
      {"numbers", 4, 2, 0, 6, 4},
      {"both nothing: one may be missing", 3, 0, "10%", 3, 2},
      {"small percentages", 3, "10%", "10%", 4, 3},
  };
  for (const LimitRow& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    Json web = Workload("web", row.replicas);
    web["spec"]["strategy"] = {
        {"type", "RollingUpdate"},
        {"rollingUpdate", {{"maxSurge", row.surge}, {"maxUnavailable", row.unavailable}}}};
    Deploy(&cluster, web);
    SetImage(&cluster, "b");
    int64_t most = 0;
    int64_t least = row.replicas;
    for (int round = 0; round < 30; ++round) {
      const Json deployment = cluster.Get("apps", "deployments", "web");
      most = std::max(most, NumberAt(deployment, "status.replicas"));
      least = std::min(least, NumberAt(deployment, "status.availableReplicas"));
      cluster.RunPods();
      cluster.Settle();
    }
    EXPECT_EQ(most, row.most);
    EXPECT_EQ(least, row.least);
    EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "a"), "spec.replicas"), 0);
    EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "b"), "status.availableReplicas"), row.replicas);
  }
}

TEST(Deployments, TakesTheReplicaSetThatAnotherOneOfItsNameLeft) {
  TestCluster cluster;
  Deploy(&cluster, Workload("web", 2));
  const std::string set = TextAt(cluster.List("apps", "replicasets").at(0), "metadata.uid");
  Deletion orphan;
  orphan.propagation = "Orphan";
  cluster.Delete("apps", "deployments", "web", orphan);
  cluster.Settle();
  ASSERT_TRUE(cluster.Get("apps", "deployments", "web").is_null());
  Deploy(&cluster, Workload("web", 2));
  ASSERT_EQ(cluster.List("apps", "replicasets").size(), 1U);
  EXPECT_EQ(TextAt(cluster.List("apps", "replicasets").at(0), "metadata.uid"), set);
  EXPECT_EQ(NumberAt(cluster.Get("apps", "deployments", "web"), "status.availableReplicas"), 2);
}

TEST(Deployments, KnowsItsReplicaSetWithoutLabelsOfPods) {
  TestCluster cluster;
  Json web = Workload("web", 1);
  web["spec"]["selector"] =
      Json::parse(R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})");
  web["spec"]["template"]["metadata"].erase("labels");
  Deploy(&cluster, web);
  EXPECT_EQ(NumberAt(cluster.Get("apps", "deployments", "web"), "status.updatedReplicas"), 1);
}

TEST(Deployments, UndoUsesTheOldReplicaSetAgain) {
  TestCluster cluster;
  Deploy(&cluster, Workload("web", 2));
  for (const char* image : {"b", "a"}) {
    SetImage(&cluster, image);
    for (int round = 0; round < 10; ++round) {
      cluster.RunPods();
      cluster.Settle();
    }
  }
  EXPECT_EQ(cluster.List("apps", "replicasets").size(), 2U);
  const Json annotations = ReplicaSetOf(cluster, "a")["metadata"]["annotations"];
  EXPECT_EQ(annotations["deployment.kubernetes.io/revision"], "3");
  EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "a"), "status.availableReplicas"), 2);
}

TEST(Deployments, RecreateWaitsForOldPods) {
  TestCluster cluster;
  Json web = Workload("web", 2);
  web["spec"]["strategy"] = {{"type", "Recreate"}};
  Deploy(&cluster, web);
  for (const Json& pod : cluster.Pods()) cluster.Bind(pod["metadata"]["name"], "n1");
  cluster.Make("v1", "nodes", {{"metadata", {{"name", "n1"}}}});
  SetImage(&cluster, "b");
  EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "b"), "spec.replicas"), 0);
  Deletion now;
  now.grace = 0;
  for (const Json& pod : cluster.Pods()) cluster.Delete("v1", "pods", pod["metadata"]["name"], now);
  cluster.Settle();
  EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "b"), "spec.replicas"), 2);
  EXPECT_EQ(cluster.Pods().size(), 2U);
}

TEST(Deployments, PausedDoesNotRoll) {
  TestCluster cluster;
  Deploy(&cluster, Workload("web", 2));
  const auto pause = [&](bool paused) {
    cluster.Edit("apps", "deployments", "web",
                 [&](Json* object) { (*object)["spec"]["paused"] = paused; });
  };
  pause(true);
  SetImage(&cluster, "b");
  EXPECT_EQ(cluster.List("apps", "replicasets").size(), 1U);
  const Json deployment = cluster.Get("apps", "deployments", "web");
  EXPECT_EQ((*FindCondition(deployment, "Progressing"))["reason"], "DeploymentPaused");
  pause(false);
  cluster.Settle();
  EXPECT_EQ(cluster.List("apps", "replicasets").size(), 2U);
}

TEST(Deployments, ScaledWhileItRollsTheNewOneGrows) {
  TestCluster cluster;
  Json web = Workload("web", 10);
  web["spec"]["strategy"] = {{"type", "RollingUpdate"},
                             {"rollingUpdate", {{"maxSurge", 3}, {"maxUnavailable", 2}}}};
  Deploy(&cluster, web);
  // 8 old and 5 new ones, which do not become ready.
  SetImage(&cluster, "b");
  ASSERT_EQ(NumberAt(ReplicaSetOf(cluster, "a"), "spec.replicas"), 8);
  ASSERT_EQ(NumberAt(ReplicaSetOf(cluster, "b"), "spec.replicas"), 5);
  cluster.Edit("apps", "deployments", "web",
               [](Json* object) { (*object)["spec"]["replicas"] = 15; });
  cluster.Settle();
  EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "a"), "spec.replicas"), 8);
  EXPECT_EQ(NumberAt(ReplicaSetOf(cluster, "b"), "spec.replicas"), 10);
}

}  // namespace
}  // namespace outrigger::apiserver
