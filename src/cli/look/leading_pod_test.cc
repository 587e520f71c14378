#include "cli/look/leading_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/look/deployed_testing.h"

namespace outrigger::cli::look {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DeployedAgents TwoReplicas() {
  DeployedAgents cluster;
  cluster.pods = {{"outrigger-a"}, {"outrigger-b"}};
  cluster.leases = {{"kube-system/outrigger", "outrigger-b_1234"},
                    {"kube-system/kube-scheduler", "master_99"}};
  return cluster;
}

TEST(FindLeadingPod, TakesTheOneWithTheLeaseOfItsScheduler) {
  DeployedAgents cluster = TwoReplicas();
  const auto pod = FindLeadingPod(cluster, {});
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->pod, "outrigger-b");
  EXPECT_EQ(pod->admin_port, 9970);
  EXPECT_EQ(pod->lease, "kube-system/outrigger");
  EXPECT_THAT(pod->agents, ElementsAre("gang", "qos"));
  EXPECT_EQ(pod->Text(), "gang,qos in pod kube-system/outrigger-b");
}

TEST(FindLeadingPod, TakesTheHolderOfTheAgentsLeaseWhereNoSchedulerCalls) {
  DeployedAgents cluster;
  for (const char* const name : {"outrigger-penalty-a", "outrigger-penalty-b"}) {
    cluster.pods.push_back({name, "outrigger-penalty", {"penalty:9976"}});
    cluster.pods.back().is_sidecar = false;
  }
  cluster.leases = {{"kube-system/outrigger-penalty", "outrigger-penalty-a_77"}};
  const auto pod = FindLeadingPod(cluster, {.agents = {"penalty"}});
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->pod, "outrigger-penalty-a");
  EXPECT_EQ(pod->admin_port, 9976);
}

TEST(FindLeadingPod, PrefersTheLeaseThatDecidesWhoHasThePages) {
  DeployedAgents cluster;
  cluster.pods = {{"x-a", "x", {"gang:9971", "penalty:9976"}},
                  {"x-b", "x", {"gang:9971", "penalty:9976"}}};
  cluster.leases = {{"kube-system/outrigger-penalty", "x-a_1"}, {"kube-system/x", "x-b_1"}};
  EXPECT_EQ(FindLeadingPod(cluster, {.agents = {"gang"}})->pod, "x-b");
  EXPECT_EQ(FindLeadingPod(cluster, {.agents = {"penalty"}})->pod, "x-a");
}

TEST(FindLeadingPod, TakesPodsThatRunAlone) {
  DeployedAgents cluster = TwoReplicas();
  cluster.pods[0].is_deleted = true;
  cluster.leases = {};
  auto pod = FindLeadingPod(cluster, {});
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->pod, "outrigger-b");
  EXPECT_EQ(pod->lease, "");
  cluster.lease_error = absl::PermissionDeniedError("leases is forbidden");
  EXPECT_TRUE(FindLeadingPod(cluster, {}).ok());
}

TEST(FindLeadingPod, LooksForLeasesInKubeSystem) {
  DeployedAgents cluster = TwoReplicas();
  cluster.name_space = "jobs";
  const auto pod = FindLeadingPod(cluster, {.name_space = "jobs"});
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_EQ(pod->pod, "outrigger-b");
  EXPECT_EQ(pod->name_space, "jobs");
}

TEST(FindLeadingPod, ChoosesTheContainerWithGangOrQos) {
  DeployedAgents cluster = TwoReplicas();
  cluster.pods.push_back({"outrigger-safe-a", "safe", {"safe:9973"}});
  EXPECT_EQ(FindLeadingPod(cluster, {})->deployment, "outrigger");
  EXPECT_EQ(FindLeadingPod(cluster, {.agents = {"safe"}})->pod, "outrigger-safe-a");
  EXPECT_EQ(FindLeadingPod(cluster, {.deployment = "safe"})->admin_port, 9973);
  EXPECT_EQ(FindLeadingPod(cluster, {.agents = {"qos"}})->admin_port, 9970);
}

TEST(FindLeadingPod, TakesThePortOfThePodThatLeadsDuringARollout) {
  DeployedAgents cluster;
  cluster.pods = {{"x-old", "x"}, {"x-new", "x", {"gang,qos:9999"}}};
  cluster.leases = {{"kube-system/x", "x-old_1"}};
  EXPECT_EQ(FindLeadingPod(cluster, {})->admin_port, 9970);
  cluster.leases = {{"kube-system/x", "x-new_1"}};
  EXPECT_EQ(FindLeadingPod(cluster, {})->admin_port, 9999);
}

TEST(FindLeadingPod, TakesTheAgentsOfThePodThatLeadsDuringARollout) {
  DeployedAgents cluster;
  cluster.pods = {{"x-old", "x", {"gang:9971"}}, {"x-new", "x"}};
  cluster.leases = {{"kube-system/x", "x-old_1"}};
  using Agents = std::vector<std::string>;
  for (const Agents& agents : {Agents(), Agents{"gang"}}) {
    const auto pod = FindLeadingPod(cluster, {.agents = agents});
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(pod->Text(), "gang in pod kube-system/x-old");
    EXPECT_EQ(pod->admin_port, 9971);
  }
  // Until the new one leads, --agents may ask for it nevertheless.
  EXPECT_EQ(FindLeadingPod(cluster, {.agents = {"qos"}})->pod, "x-new");
}

struct NotFoundRow {
  std::string name;
  std::vector<DeployedPod> pods;
  SoughtAgents sought;
  absl::StatusCode code;
  std::vector<std::string> parts;  // of the text
};
class NoLeadingPod : public ::testing::TestWithParam<NotFoundRow> {};

TEST_P(NoLeadingPod, SaysWhatToDo) {
  DeployedAgents cluster;
  cluster.pods = GetParam().pods;
  cluster.leases = {{"kube-system/outrigger", "gone_1"}, {"kube-system/other", ""}};
  const auto pod = FindLeadingPod(cluster, GetParam().sought);
  EXPECT_EQ(pod.status().code(), GetParam().code);
  for (const std::string& part : GetParam().parts) {
    EXPECT_THAT(std::string(pod.status().message()), HasSubstr(part));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NoLeadingPod,
    ::testing::Values(
        NotFoundRow{"NoPod",
                    {},
                    {},
                    absl::StatusCode::kNotFound,
                    {"no pod in namespace kube-system", "outrigger manifests gang qos"}},
        NotFoundRow{"NoPodOfTheDeployment",
                    {{"a"}},
                    {.deployment = "mine"},
                    absl::StatusCode::kNotFound,
                    {"no pod of Deployment mine in namespace kube-system"}},
        NotFoundRow{"NoneRuns",
                    {{"a", "outrigger", {"gang:9971"}, "Pending"}},
                    {},
                    absl::StatusCode::kUnavailable,
                    {"pod a is Pending", "kubectl -n kube-system describe pod a"}},
        NotFoundRow{"NoneHasAgents",
                    {{"a", "outrigger", {}}},
                    {},
                    absl::StatusCode::kUnavailable,
                    {"pod a runs, but none of its containers has --agents and a port admin-...; "
                     "see why: kubectl -n kube-system describe pod a"}},
        NotFoundRow{"NoSuchAgent",
                    {{"a"}},
                    {.agents = {"safe"}},
                    absl::StatusCode::kNotFound,
                    {"no container in namespace kube-system runs safe; there are: gang,qos "
                     "(Deployment outrigger)"}},
        NotFoundRow{"SeveralContainers",
                    {{"a", "x", {"safe:9973", "congestion:9974"}}},
                    {},
                    absl::StatusCode::kInvalidArgument,
                    {"congestion (Deployment x), safe (Deployment x); choose one by --agents"}},
        NotFoundRow{"SeveralThatPlan",
                    {{"a", "x", {"gang:9971", "gang,qos:9970"}}, {"b", "x", {"gang:9971"}}},
                    {.agents = {"gang"}},
                    absl::StatusCode::kInvalidArgument,
                    {"gang (Deployment x), gang,qos (Deployment x); choose one by --agents"}},
        NotFoundRow{"SeveralDeployments",
                    {{"a", "x"}, {"b", "y"}},
                    {.agents = {"gang"}},
                    absl::StatusCode::kInvalidArgument,
                    {"gang,qos (Deployment x), gang,qos (Deployment y)", "--deployment"}},
        NotFoundRow{"NobodyLeads",
                    {{"a"}, {"b"}},
                    {},
                    absl::StatusCode::kUnavailable,
                    {"none of the pods a and b leads", "kubectl -n kube-system get leases"}}),
    [](const auto& row) { return row.param.name; });

TEST(FindLeadingPod, PassesOnWhatTheServerRefuses) {
  DeployedAgents cluster = TwoReplicas();
  cluster.lease_error = absl::PermissionDeniedError("leases is forbidden");
  EXPECT_EQ(FindLeadingPod(cluster, {}).status(), cluster.lease_error);
}

}  // namespace
}  // namespace outrigger::cli::look
