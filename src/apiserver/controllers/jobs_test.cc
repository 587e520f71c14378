#include <algorithm>
#include <set>

#include "apiserver/controllers/cluster_testing.h"

namespace outrigger::apiserver {
namespace {

using std::chrono::seconds;

Json JobOf(int completions, int parallelism) {
  Json spec = PodSpec();
  spec["restartPolicy"] = "Never";
  return {{"metadata", {{"name", "job"}}},
          {"spec",
           {{"completions", completions},
            {"parallelism", parallelism},
            {"template", {{"spec", spec}}}}}};
}

// Ends the pods that are active so.
void EndPods(TestCluster* cluster, const char* phase, size_t most = 1000) {
  for (const Json& pod : cluster->Pods()) {
    const std::string now = TextAt(pod, "status.phase");
    if (now == "Succeeded" || now == "Failed" || most == 0) continue;
    --most;
    cluster->SetPhase(pod["metadata"]["name"], phase);
  }
  cluster->Settle();
}

size_t ActivePods(const TestCluster& cluster) {
  const auto pods = cluster.Pods();
  return static_cast<size_t>(std::count_if(pods.begin(), pods.end(), [](const Json& pod) {
    return TextAt(pod, "status.phase") == "Pending" || TextAt(pod, "status.phase") == "Running";
  }));
}

TEST(Jobs, RunsUntilAllHaveSucceeded) {
  TestCluster cluster;
  cluster.Make("batch", "jobs", JobOf(5, 2));
  cluster.Settle();
  EXPECT_EQ(ActivePods(cluster), 2U);
  EXPECT_EQ(cluster.Pods()[0]["metadata"]["finalizers"],
            Json::array({"batch.kubernetes.io/job-tracking"}));
  EndPods(&cluster, "Succeeded");
  EndPods(&cluster, "Succeeded");
  EXPECT_EQ(ActivePods(cluster), 1U);
  EXPECT_EQ(FindCondition(cluster.Get("batch", "jobs", "job"), "Complete"), nullptr);
  EndPods(&cluster, "Succeeded");
  const Json job = cluster.Get("batch", "jobs", "job");
  EXPECT_EQ(NumberAt(job, "status.succeeded"), 5);
  EXPECT_FALSE(job["status"].contains("active"));
  EXPECT_TRUE(job["status"].contains("completionTime"));
  ASSERT_NE(FindCondition(job, "Complete"), nullptr);
  EXPECT_EQ((*FindCondition(job, "Complete"))["reason"], "CompletionsReached");
  EXPECT_FALSE(cluster.Pods()[0]["metadata"].contains("finalizers"));
}

TEST(Jobs, PodsThatAreGoneHaveBeenCounted) {
  TestCluster cluster;
  cluster.Make("batch", "jobs", JobOf(2, 1));
  cluster.Settle();
  const std::string first = cluster.Pods()[0]["metadata"]["name"];
  cluster.SetPhase(first, "Succeeded");
  cluster.Delete("v1", "pods", first);
  cluster.Settle();
  EXPECT_TRUE(cluster.Get("v1", "pods", first).is_null());
  EXPECT_EQ(NumberAt(cluster.Get("batch", "jobs", "job"), "status.succeeded"), 1);
}

TEST(Jobs, WaitsLongerAfterEachFailure) {
  TestCluster cluster;
  cluster.Make("batch", "jobs", JobOf(1, 1));
  cluster.Settle();
  for (const int wait : {10, 20, 40, 80}) {
    EndPods(&cluster, "Failed");
    cluster.Advance(seconds(wait - 1));
    EXPECT_EQ(ActivePods(cluster), 0U) << wait;
    cluster.Advance(seconds(1));
    EXPECT_EQ(ActivePods(cluster), 1U) << wait;
  }
}

TEST(Jobs, FailsBeyondItsLimit) {
  TestCluster cluster;
  Json job = JobOf(3, 2);
  job["spec"]["backoffLimit"] = 1;
  cluster.Make("batch", "jobs", job);
  cluster.Settle();
  EndPods(&cluster, "Failed", 1);
  EXPECT_EQ(FindCondition(cluster.Get("batch", "jobs", "job"), "Failed"), nullptr);
  cluster.Advance(seconds(10));
  EndPods(&cluster, "Failed", 1);
  const Json done = cluster.Get("batch", "jobs", "job");
  EXPECT_NE(FindCondition(done, "FailureTarget"), nullptr);
  ASSERT_NE(FindCondition(done, "Failed"), nullptr);
  EXPECT_EQ((*FindCondition(done, "Failed"))["reason"], "BackoffLimitExceeded");
  EXPECT_EQ(ActivePods(cluster), 0U);
}

TEST(Jobs, HasFailedWhenItsPodsHaveEnded) {
  TestCluster cluster;
  Json job = JobOf(2, 2);
  job["spec"]["backoffLimit"] = 0;
  cluster.Make("v1", "nodes", {{"metadata", {{"name", "n"}}}});
  cluster.Make("batch", "jobs", job);
  cluster.Settle();
  const std::string pod = cluster.Pods()[0]["metadata"]["name"];
  cluster.Bind(pod, "n");
  cluster.SetPhase(pod, "Running");
  cluster.SetPhase(cluster.Pods()[1]["metadata"]["name"], "Failed");
  cluster.Settle();
  const Json fails = cluster.Get("batch", "jobs", "job");
  EXPECT_NE(FindCondition(fails, "FailureTarget"), nullptr);
  EXPECT_EQ(FindCondition(fails, "Failed"), nullptr);
  EXPECT_EQ(NumberAt(fails, "status.terminating"), 1);
  EXPECT_EQ(NumberAt(fails, "status.failed"), 2);
  Deletion now;
  now.grace = 0;
  cluster.Delete("v1", "pods", pod, now);
  cluster.Settle();
  EXPECT_NE(FindCondition(cluster.Get("batch", "jobs", "job"), "Failed"), nullptr);
}

// A pod that admission does not let change, as a file may hold one.
TEST(Jobs, CountsNoPodThatItCannotRelease) {
  TestCluster cluster;
  const Json job = cluster.Make("batch", "jobs", JobOf(3, 1));
  Json pod = {{"metadata",
               {{"name", "odd"},
                {"namespace", "default"},
                {"uid", "u"},
                {"finalizers", {"batch.kubernetes.io/job-tracking"}},
                {"ownerReferences", Json::array({{{"apiVersion", "batch/v1"},
                                                  {"kind", "Job"},
                                                  {"name", "job"},
                                                  {"uid", job["metadata"]["uid"]},
                                                  {"controller", true}}})}}},
              {"spec", {{"containers", Json::array()}}},
              {"status", {{"phase", "Succeeded"}}}};
  StoredPtr stored;
  ASSERT_EQ(cluster.store.Create(cluster.Kind("v1", "pods").collection, pod, &stored),
            Written::kDone);
  for (int round = 0; round < 5; ++round) cluster.Advance(seconds(30));
  EXPECT_TRUE(cluster.Get("v1", "pods", "odd")["metadata"].contains("finalizers"));
  EXPECT_EQ(NumberAt(cluster.Get("batch", "jobs", "job"), "status.succeeded"), 0);
  EXPECT_EQ(ActivePods(cluster), 1U) << "the others go on";
}

TEST(Jobs, SuspendedHasNoPods) {
  TestCluster cluster;
  Json job = JobOf(2, 2);
  job["spec"]["suspend"] = true;
  cluster.Make("batch", "jobs", job);
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 0U);
  const auto suspended = [&] {
    return (*FindCondition(cluster.Get("batch", "jobs", "job"), "Suspended"))["status"];
  };
  EXPECT_EQ(suspended(), "True");
  const auto suspend = [&](bool value) {
    cluster.Edit("batch", "jobs", "job",
                 [&](Json* object) { (*object)["spec"]["suspend"] = value; });
    cluster.Settle();
  };
  suspend(false);
  EXPECT_EQ(cluster.Pods().size(), 2U);
  EXPECT_EQ(suspended(), "False");
  suspend(true);
  EXPECT_EQ(cluster.Pods().size(), 0U);
  EXPECT_EQ(NumberAt(cluster.Get("batch", "jobs", "job"), "status.failed"), 0);
  EXPECT_FALSE(cluster.Get("batch", "jobs", "job")["status"].contains("startTime"));
}

TEST(Jobs, IndexedPodsHaveTheirIndex) {
  TestCluster cluster;
  Json job = JobOf(4, 2);
  job["spec"]["completionMode"] = "Indexed";
  cluster.Make("batch", "jobs", job);
  cluster.Settle();
  const char* const key = "batch.kubernetes.io/job-completion-index";
  std::set<std::string> hosts;
  for (const Json& pod : cluster.Pods()) {
    const std::string index = pod["metadata"]["annotations"][key];
    EXPECT_EQ(pod["metadata"]["labels"][key], index);
    EXPECT_TRUE(TextAt(pod, "metadata.name").starts_with("job-" + index + "-"));
    EXPECT_EQ(pod["spec"]["containers"][0]["env"][0]["name"], "JOB_COMPLETION_INDEX");
    hosts.insert(pod["spec"]["hostname"]);
  }
  EXPECT_EQ(hosts, (std::set<std::string>{"job-0", "job-1"}));
  // One of them fails: its index is tried again.
  EndPods(&cluster, "Failed", 1);
  EndPods(&cluster, "Succeeded", 1);
  EXPECT_EQ(TextAt(cluster.Get("batch", "jobs", "job"), "status.completedIndexes"), "1");
  cluster.Advance(seconds(10));
  for (int round = 0; round < 3; ++round) EndPods(&cluster, "Succeeded");
  const Json done = cluster.Get("batch", "jobs", "job");
  EXPECT_EQ(TextAt(done, "status.completedIndexes"), "0-3");
  EXPECT_EQ(NumberAt(done, "status.succeeded"), 4);
  EXPECT_NE(FindCondition(done, "Complete"), nullptr);
}

TEST(Jobs, WarnsOfWhatIsNotHeeded) {
  TestCluster cluster;
  Json job = JobOf(1, 1);
  job["metadata"]["namespace"] = "default";
  job["spec"]["ttlSecondsAfterFinished"] = 60;
  std::vector<std::string> warnings;
  StoredPtr stored;
  EXPECT_FALSE(cluster.writes.Add(cluster.Kind("batch", "jobs"), job, false, &warnings, &stored));
  EXPECT_EQ(warnings, std::vector<std::string>{"spec.ttlSecondsAfterFinished: the controllers of "
                                               "this server do not heed it"});
}

TEST(Jobs, DeletedTakesItsPodsAlong) {
  TestCluster cluster;
  cluster.Make("batch", "jobs", JobOf(3, 3));
  cluster.Settle();
  cluster.Delete("batch", "jobs", "job");
  cluster.Settle();
  EXPECT_EQ(cluster.Pods().size(), 0U);
}

TEST(Jobs, WithoutCompletionsOneSuccessIsEnough) {
  TestCluster cluster;
  Json job = JobOf(1, 3);
  job["spec"].erase("completions");
  cluster.Make("batch", "jobs", job);
  cluster.Settle();
  EXPECT_EQ(ActivePods(cluster), 3U);
  EndPods(&cluster, "Succeeded", 1);
  EXPECT_EQ(ActivePods(cluster), 2U);
  EndPods(&cluster, "Failed");
  EXPECT_NE(FindCondition(cluster.Get("batch", "jobs", "job"), "Complete"), nullptr);
}

}  // namespace
}  // namespace outrigger::apiserver
