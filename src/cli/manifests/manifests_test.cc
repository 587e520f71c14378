#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "console/program_testing.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli::manifests {
namespace {

using ::outrigger::testing::Ran;
using ::outrigger::testing::RunProgram;
using ::outrigger::testing::TempFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Ran Manifests(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "manifests");
  return RunProgram(arguments);
}

// The first object of that kind and name; not defined if there is none.
YAML::Node Find(const std::string& yaml, const std::string& kind, const std::string& name) {
  for (const YAML::Node& object : YAML::LoadAll(yaml)) {
    if (object["kind"].Scalar() == kind && object["metadata"]["name"].Scalar() == name) {
      return object;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

YAML::Node PodOf(const std::string& yaml, const std::string& deployment) {
  return Find(yaml, "Deployment", deployment)["spec"]["template"]["spec"];
}

std::vector<std::string> NamesOf(const YAML::Node& list) {
  std::vector<std::string> names;
  for (const YAML::Node& one : list) names.push_back(one["name"].Scalar());
  return names;
}

TEST(Manifests, GiveEachAgentAContainerAndAPortOfItsOwn) {
  const Ran ran = Manifests({"safe", "congestion"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const YAML::Node pod = PodOf(ran.out, "outrigger");
  EXPECT_THAT(NamesOf(pod["initContainers"]), ElementsAre("safe", "congestion"));
  EXPECT_THAT(NamesOf(pod["containers"]), ElementsAre("kube-scheduler"));
  EXPECT_EQ(pod["initContainers"][0]["image"].Scalar(), "kube-sched-ext-safe:0.0");
  EXPECT_NE(pod["initContainers"][0]["ports"][0]["containerPort"].Scalar(),
            pod["initContainers"][1]["ports"][0]["containerPort"].Scalar());
}

TEST(Manifests, PutAgentsThatAreOneWordIntoOneContainer) {
  const Ran ran = Manifests({"safe,congestion", "--image=registry.example/{agents}:7"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const YAML::Node container = PodOf(ran.out, "outrigger")["initContainers"][0];
  EXPECT_EQ(container["image"].Scalar(), "registry.example/safe-congestion:7");
  EXPECT_EQ(container["args"][1].Scalar(), "--agents=safe,congestion");
  EXPECT_THAT(ran.out, HasSubstr("urlPrefix: http://127.0.0.1:9870/congestion"));
}

TEST(Manifests, NameAllObjectsByTheScheduler) {
  const Ran ran = Manifests({"safe", "--namespace=jobs", "--scheduler-name=mine", "--replicas=3"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const YAML::Node& object : YAML::LoadAll(ran.out)) {
    // Beside a scheduler of that name in another namespace.
    const bool is_wide = object["kind"].Scalar().find("Role") != std::string::npos ||
                         object["kind"].Scalar() == "FlowSchema";
    EXPECT_THAT(object["metadata"]["name"].Scalar(),
                ::testing::StartsWith(is_wide ? "jobs-mine" : "mine"));
  }
  EXPECT_EQ(Find(ran.out, "Deployment", "mine")["spec"]["replicas"].as<int>(), 3);
  const std::string config =
      Find(ran.out, "ConfigMap", "mine-scheduler")["data"]["scheduler.yaml"].Scalar();
  EXPECT_THAT(config, HasSubstr("resourceName: mine\n  resourceNamespace: jobs"));
  const YAML::Node lease = Find(ran.out, "Role", "jobs-mine-lease");
  EXPECT_EQ(lease["metadata"]["namespace"].Scalar(), "jobs");
  EXPECT_EQ(lease["rules"][1]["resourceNames"][0].Scalar(), "mine");
  // Accounts outside kube-system have no rule of their own for Leases.
  EXPECT_TRUE(Find(ran.out, "FlowSchema", "jobs-mine-leases").IsDefined());
}

TEST(Manifests, NeverOwnANamespace) {
  EXPECT_THAT(Manifests({"safe", "--namespace=jobs"}).out,
              ::testing::Not(HasSubstr("kind: Namespace\n")));
}

TEST(Manifests, AreTheSameEachTime) {
  EXPECT_EQ(Manifests({"safe", "congestion"}).out, Manifests({"safe", "congestion"}).out);
}

TEST(Manifests, BeginWithTheConfigurationThatIsGiven) {
  const TempFile file(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "parallelism: 5\nprofiles: [{schedulerName: outrigger}]\n");
  const Ran ran = Manifests({"safe", "--in", file.path()});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(Find(ran.out, "ConfigMap", "outrigger-scheduler")["data"]["scheduler.yaml"].Scalar(),
              HasSubstr("parallelism: 5\n"));
}

TEST(Manifests, MakeOtherPodsOfOtherSettings) {
  const auto hash = [](const Ran& ran) {
    return Find(ran.out, "Deployment",
                "outrigger")["spec"]["template"]["metadata"]["annotations"]["outrigger.dev/config"]
        .Scalar();
  };
  EXPECT_EQ(hash(Manifests({"safe"})), hash(Manifests({"safe", "--replicas=1"})));
  EXPECT_NE(hash(Manifests({"safe"})), hash(Manifests({"congestion"})));
}

TEST(Manifests, CannotBeBrokenOutOfTheirFirstComment) {
  const Ran ran = Manifests({"safe\nkind: x"});
  EXPECT_EQ(ran.code, 2);
  const TempFile file(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{schedulerName: outrigger}]\n",
      "evil\nkind: x.yaml");
  const Ran of_file = Manifests({"safe", "--in", file.path()});
  ASSERT_EQ(of_file.code, 0) << of_file.err;
  EXPECT_EQ(YAML::LoadAll(of_file.out)[0]["kind"].Scalar(), "ServiceAccount");
}

TEST(Manifests, EndOnePodBeforeTheNextWithoutLeaderElection) {
  const TempFile file(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{schedulerName: outrigger}]\nleaderElection: {leaderElect: false}\n");
  const Ran ran = Manifests({"safe", "--replicas=1", "--in", file.path()});
  EXPECT_EQ(Find(ran.out, "Deployment", "outrigger")["spec"]["strategy"]["type"].Scalar(),
            "Recreate");
}

TEST(Manifests, RunTheSchedulerOfTheClustersVersion) {
  EXPECT_THAT(Manifests({"safe", "--kubernetes=v1.33.4-eks-1"}).out,
              HasSubstr("registry.k8s.io/kube-scheduler:v1.33.4"));
  const Ran ran = Manifests({"safe", "--kubernetes=v1.33"});
  EXPECT_EQ(PodOf(ran.out, "outrigger")["containers"][0]["image"].Scalar(),
            "registry.k8s.io/kube-scheduler:v1.33.0");
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  const char* text;
};

class ManifestsRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(ManifestsRefusals, NameTheKeyAndTheCure) {
  const Ran ran = Manifests(GetParam().arguments);
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().text));
}

const Refusal kRefusals[] = {
    {"NoAgents", {}, "manifests needs the names of agents"},
    {"UnknownAgent", {"sfae"}, "there is no agent \"sfae\"; did you mean safe?"},
    {"UnknownAnnotator", {"annotate-usge"}, "did you mean annotate-usage?"},
    {"AgentLeftOut", {"pigeon"}, "-DOUTRIGGER_AGENT_PIGEON=ON"},
    {"AgentTwice", {"safe", "congestion,safe"}, "agent safe is named twice"},
    {"EmptyWord", {","}, "there is no agent \"\""},
    {"TheClustersScheduler",
     {"safe", "--scheduler-name=default-scheduler"},
     "--scheduler-name default-scheduler: the cluster's own scheduler has this name"},
    {"BadSchedulerName", {"safe", "--scheduler-name=My_S"}, "--scheduler-name: \"My_S\""},
    {"NameOfAController",
     {"safe", "--scheduler-name=outrigger-gang"},
     "that do not begin with outrigger-"},
    {"LongSchedulerName", {"safe", "--scheduler-name", std::string(51, 'a')}, "at most 50"},
    {"SchedulerNameForNone",
     {"annotate-usage", "--scheduler-name=mine"},
     "--in and --scheduler-name are for agents"},
    {"AnnotatorTwice", {"annotate-usage", "annotate-usage"}, "annotate-usage is named twice"},
    {"ClusterWithoutPolicies",
     {"annotate-usage", "--kubernetes=1.29"},
     "exists from Kubernetes 1.30 on"},
    {"ImageWithAControlCharacter", {"safe", "--image=a\x01"}, "--image: "},
    {"BadNamespace", {"safe", "-n", "a b"}, "--namespace: \"a b\" is not accepted"},
    {"NoReplicas", {"safe", "--replicas=0"}, "--replicas: \"0\" is not accepted; expected"},
    {"ReplicasThatAreNoNumber", {"safe", "--replicas=two"}, "--replicas: \"two\" is not accepted"},
    {"BadImage", {"safe", "--image=a b"}, "--image: \"a b\" is not accepted; expected an image"},
    {"ClusterTooOld", {"safe", "--kubernetes=1.28.3"}, "exist from Kubernetes 1.29 on"},
    {"VersionThatIsNone", {"safe", "--kubernetes=new"}, "--kubernetes: \"new\" is not accepted"},
    {"VersionOfFourParts", {"safe", "--kubernetes=1.37.2.1"}, "--kubernetes: \"1.37.2.1\""},
    {"AgentThatNeedsAScheduler", {"safe", "--alone"}, "--alone: agent safe works only if"},
    {"AloneWithAConfiguration", {"safe", "--alone", "--in=/dev/null"}, "--in and --alone"},
};
INSTANTIATE_TEST_SUITE_P(Of, ManifestsRefusals, ::testing::ValuesIn(kRefusals),
                         [](const auto& row) { return std::string(row.param.name); });

struct ConfigurationRow {
  const char* name;
  const char* field;
  std::vector<std::string> more;
  const char* text;  // empty: accepted
};

class ManifestsConfiguration : public ::testing::TestWithParam<ConfigurationRow> {};

TEST_P(ManifestsConfiguration, IsRefusedIfItWouldHarmHere) {
  std::string yaml =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  if (std::string(GetParam().field).find("profiles") == std::string::npos) {
    yaml += "profiles: [{schedulerName: outrigger}]\n";
  }
  const TempFile file(yaml + GetParam().field + "\n");
  std::vector<std::string> arguments = {"safe", "--in", file.path()};
  arguments.insert(arguments.end(), GetParam().more.begin(), GetParam().more.end());
  const Ran ran = Manifests(arguments);
  EXPECT_EQ(ran.code, *GetParam().text == '\0' ? 0 : 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(GetParam().text));
}

const ConfigurationRow kConfigurations[] = {
    {"NoElection", "leaderElection: {leaderElect: false}", {}, "or give --replicas 1"},
    {"NoElectionOfOne", "leaderElection: {leaderElect: false}", {"--replicas=1"}, ""},
    {"TheClustersLease", "leaderElection: {leaderElect: true}", {}, "resourceName: outrigger"},
    {"ItsOwnLease", "leaderElection: {leaderElect: true, resourceName: mine}", {}, ""},
    {"LeaseThatIsNoName",
     "leaderElection: {leaderElect: true, resourceName: 'a b/c'}",
     {},
     "leaderElection.resourceName: \"a b/c\""},
    {"PodsOfTheClustersScheduler",
     "profiles: [{schedulerName: default-scheduler}, {schedulerName: outrigger}]\n"
     "leaderElection: {leaderElect: true, resourceName: mine}",
     {},
     "would place the pods of default-scheduler, too"},
    {"FileOfAHost",
     "clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}",
     {},
     "is no file of the pod"},
    {"AgentThatIsNotThere",
     "extenders: [{urlPrefix: 'http://127.0.0.1:9876/pigeon', filterVerb: filter}]",
     {},
     "nothing in the pod listens at http://127.0.0.1:9876/pigeon"},
    {"ExtenderElsewhere",
     "extenders: [{urlPrefix: 'http://mine.default.svc/x', filterVerb: filter}]",
     {},
     ""},
};
INSTANTIATE_TEST_SUITE_P(Of, ManifestsConfiguration, ::testing::ValuesIn(kConfigurations),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::cli::manifests
