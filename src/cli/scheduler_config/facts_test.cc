// What agents that plan read from the file of the scheduler beside them.

#include "cli/scheduler_config/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/doctor/doctor_testing.h"
#include "cli/run.h"
#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using std::chrono::seconds;
using testing::Configuration;
using testing::DoctorAgents;
using ::testing::HasSubstr;

absl::StatusOr<SchedulerFacts> Read(const std::string& yaml, const std::string& agent = "gang") {
  std::vector<const AgentInfo*> served;
  for (const AgentInfo& info : DoctorAgents()) {
    if (info.name == agent) served.push_back(&info);
  }
  return ReadSchedulerFacts({"s.yaml", yaml}, MakeSettingGroups(DoctorAgents()), {}, served);
}

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(SchedulerFacts, OfWhatSchedulerConfigWritesAreTheDefaults) {
  const auto facts = Read(Configuration("safe,gang"));
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->file, "s.yaml");
  EXPECT_EQ(facts->names, "default-scheduler");
  EXPECT_EQ(facts->lease, "kube-system/kube-scheduler");
  EXPECT_EQ(facts->bind_timeout, seconds(630));
  EXPECT_EQ(facts->volume_bind_timeout, seconds(600));
  EXPECT_EQ(facts->unchecked, "");
  EXPECT_EQ(facts->members_only, false);
  EXPECT_EQ(facts->samples_nodes, false);
}

TEST(SchedulerFacts, AreWhatTheFileSays) {
  const auto facts = Read(Configuration(
      "safe,gang",
      {{"profiles",
        "[{schedulerName: a, plugins: {filter: {disabled: [{name: NodePorts}]}}, pluginConfig: "
        "[{name: VolumeBinding, args: {bindTimeoutSeconds: 30}}]}, {schedulerName: b}]"},
       {"leaderElection", "{resourceNamespace: jobs, resourceName: mine}"},
       {"extenders[1].managedResources", "[{name: outrigger.dev/gang, ignoredByScheduler: true}]"},
       {"extenders[2].httpTimeout", "2m"}}));
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->names, "a,b");
  EXPECT_EQ(facts->lease, "jobs/mine");
  EXPECT_EQ(facts->bind_timeout, seconds(120));
  EXPECT_EQ(facts->volume_bind_timeout, seconds(600)) << "of profile b";
  EXPECT_EQ(facts->unchecked, "a:NodePorts");
  EXPECT_EQ(facts->members_only, true);
}

TEST(SchedulerFacts, WithoutLeaderElectionThereIsNoLease) {
  EXPECT_EQ(Read(kHead + "leaderElection: {leaderElect: false}")->lease, "none");
}

TEST(SchedulerFacts, WithoutEntriesAreNotKnown) {
  const auto facts = Read(kHead);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->bind_timeout, std::nullopt);
  EXPECT_EQ(facts->members_only, std::nullopt);
}

TEST(SchedulerFacts, OfABindEntryWithoutATimeoutAreThoseOfTheScheduler) {
  const std::string entry = "extenders: [{urlPrefix: 'http://127.0.0.1:9875/gang', bindVerb: bind";
  EXPECT_EQ(Read(kHead + entry + "}]")->bind_timeout, seconds(5));
  EXPECT_EQ(Read(kHead + entry + ", httpTimeout: -1s}]")->bind_timeout, std::nullopt) << "no limit";
}

TEST(SchedulerFacts, SayWhetherAnyProfileSamplesNodes) {
  const std::string all = kHead + "percentageOfNodesToScore: 100\n";
  EXPECT_EQ(Read(kHead)->samples_nodes, true) << "by default";
  EXPECT_EQ(Read(kHead + "percentageOfNodesToScore: 99")->samples_nodes, true);
  EXPECT_EQ(Read(all)->samples_nodes, false);
  EXPECT_EQ(Read(all + "profiles: [{percentageOfNodesToScore: 5}]")->samples_nodes, true);
  EXPECT_EQ(Read(kHead + "profiles: [{percentageOfNodesToScore: 100}]")->samples_nodes, false);
  EXPECT_EQ(
      Read(all + "profiles: [{schedulerName: a}, {percentageOfNodesToScore: 5}]")->samples_nodes,
      true)
      << "one of them does";
}

// A proxy, or a port of its own.
TEST(SchedulerFacts, FindTheEntriesThatGoTogetherAtAnyAddress) {
  const auto facts = Read(kHead +
                          "extenders:\n"
                          "- {urlPrefix: 'http://10.0.0.1:1/x', filterVerb: f}\n"
                          "- {urlPrefix: 'http://10.0.0.1:7', filterVerb: f, managedResources: "
                          "[{name: outrigger.dev/gang}]}\n"
                          "- {urlPrefix: 'http://10.0.0.1:7', bindVerb: b, httpTimeout: 1m}\n");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->members_only, true);
  EXPECT_EQ(facts->bind_timeout, seconds(60));
}

struct RefusedRow {
  std::string name;
  std::string yaml;
  std::string error;
};

class SchedulerFactsRefused : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(SchedulerFactsRefused, NameFileFieldAndValue) {
  const auto facts = Read(GetParam().yaml);
  EXPECT_EQ(facts.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(facts.status().message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerFactsRefused,
    ::testing::Values(
        RefusedRow{"ABindCallThatIsTooShort",
                   kHead + "extenders: [{urlPrefix: 'http://127.0.0.1:9875/gang', bindVerb: bind, "
                           "httpTimeout: 2s}]",
                   "s.yaml: httpTimeout of the bind entry is 2 s"},
        RefusedRow{"AnIgnoredResourceThatIsNone",
                   kHead + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: "
                           "{ignoredResources: [nopath]}}]}]",
                   "s.yaml: disabled checks of this scheduler: "},
        RefusedRow{"NoYaml", "{", "s.yaml:"}, RefusedRow{"NoMapping", "[]", "s.yaml:1"},
        RefusedRow{"AnotherKind", "kind: ConfigMap",
                   "kind: \"ConfigMap\" is not accepted; expected KubeSchedulerConfiguration"},
        RefusedRow{"SeveralDocuments", kHead + "---\n" + kHead, "s.yaml: has 2 documents"},
        RefusedRow{"TwoProfilesOfOneName",
                   kHead + "profiles: [{schedulerName: a}, {schedulerName: a}]",
                   "profiles[1].schedulerName: \"a\" is not accepted; expected another name than "
                   "that of profiles[0]"},
        RefusedRow{"AProfileThatHasTheDefaultName",
                   kHead + "profiles: [{schedulerName: default-scheduler}, {}]",
                   "another name than that of profiles[0]"},
        RefusedRow{"ATimeoutThatIsNone",
                   kHead + "extenders: [{urlPrefix: 'http://a/gang', bindVerb: bind, httpTimeout: "
                           "soon}]",
                   "extenders[0].httpTimeout: \"soon\" is not accepted; expected a duration"},
        RefusedRow{"AVolumeTimeoutThatIsNone",
                   kHead + "profiles: [{pluginConfig: [{name: VolumeBinding, args: "
                           "{bindTimeoutSeconds: soon}}]}]",
                   "bindTimeoutSeconds: \"soon\" is not accepted; expected a number of seconds"},
        RefusedRow{"AddedAffinityWithAnUnknownOperator",
                   kHead + "profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: "
                           "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                           "[{matchExpressions: [{key: pool, operator: in, values: [a]}]}]}}}}]}]",
                   "nodeSelectorTerms[0].matchExpressions[0]: "},
        RefusedRow{
            "AnElectionThatIsNone", kHead + "leaderElection: {leaderElect: maybe}",
            "leaderElection.leaderElect: \"maybe\" is not accepted; expected true or false"}),
    [](const auto& row) { return row.param.name; });

int ServeWith(const std::string& path, std::string* said, const Environment& environment = {}) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const World world{DoctorAgents(), {}, environment, in, out, err};
  std::vector<std::string> arguments = {"serve", "--agents", "gang"};
  if (!path.empty()) arguments.insert(arguments.end(), {"--scheduler-config", path});
  const int code = cli::Run(arguments, world);
  *said = err.str();
  return code;
}

TEST(SchedulerFacts, EndTheStartWhereTheFileIsWrongOrMissing) {
  std::string said;
  const testing::TempFile wrong("kind: Policy\n", "scheduler.yaml");
  EXPECT_EQ(ServeWith(wrong.path(), &said), kUsage);
  EXPECT_THAT(said, HasSubstr("--scheduler-config: " + wrong.path() +
                              ":1: kind: \"Policy\" is not accepted"));
  EXPECT_EQ(ServeWith(wrong.path() + ".not", &said), kFailed);
  EXPECT_THAT(said, HasSubstr("--scheduler-config: cannot read " + wrong.path() + ".not"));
  EXPECT_EQ(ServeWith("", &said, {{"OUTRIGGER_SCHEDULER_CONFIG", wrong.path()}}), kUsage);
  EXPECT_THAT(said, HasSubstr("OUTRIGGER_SCHEDULER_CONFIG: " + wrong.path() + ":1: kind"));
}

}  // namespace
}  // namespace outrigger::cli
