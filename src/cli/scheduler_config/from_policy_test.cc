#include "cli/scheduler_config/from_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/program_testing.h"

namespace outrigger::cli::policy {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Ran;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TempFile;

ConvertedPolicy Converted(const std::string& text, const std::string& scheduler_name = "") {
  auto converted = ConvertPolicy({"p", text}, scheduler_name);
  EXPECT_TRUE(converted.ok()) << converted.status();
  return converted.ok() ? *std::move(converted) : ConvertedPolicy{};
}

constexpr const char* kConfigHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

// Two extenders in one pod, as the original's manifest has them.
constexpr const char* kOldManifest = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: second-config, namespace: kube-system}
data:
  notes: ": not YAML ["
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1alpha1
    kind: KubeSchedulerConfiguration
    schedulerName: second
    algorithmSource: {policy: {configMap: {namespace: kube-system, name: second-policy}}}
    leaderElection: {leaderElect: true, lockObjectName: second, lockObjectNamespace: kube-system, resourceLock: endpoints}
    clientConnection: {kubeconfig: /etc/k, qps: 7}
    bindTimeoutSeconds: 60
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second-policy, namespace: kube-system}
data:
  policy.cfg : |
    {
      "kind": "Policy", "apiVersion": "v1",
      "extenders": [{
        "urlPrefix": "http://localhost:5401/scheduler",
        "filterVerb": "predicates/safe-overload", "prioritizeVerb": "priorities/safe-overload",
        "preemptVerb": "", "bindVerb": "", "weight": 1, "enableHttps": false, "nodeCacheCapable": false
      }, {
        "urlPrefix": "http://localhost:5402/scheduler",
        "filterVerb": "", "prioritizeVerb": "priorities/congestion",
        "weight": 2, "httpTimeout": 1500000000
      }]
    }
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: second}
)";

TEST(Policy, OfAManifestIsConvertedWithTheSchedulersNameAndElection) {
  const ConvertedPolicy converted = Converted(kOldManifest);
  EXPECT_EQ(converted.scheduler_name, "second");
  EXPECT_EQ(converted.configuration.yaml, std::string(kConfigHead) + R"(leaderElection:
  leaderElect: true
  resourceName: second
  resourceNamespace: kube-system
clientConnection:
  kubeconfig: /etc/k
profiles:
  - schedulerName: second
extenders:
  - urlPrefix: http://localhost:5401/scheduler
    filterVerb: predicates/safe-overload
    prioritizeVerb: priorities/safe-overload
    weight: 1
    enableHTTPS: false
    nodeCacheCapable: false
  - urlPrefix: http://localhost:5402/scheduler
    prioritizeVerb: priorities/congestion
    weight: 2
    httpTimeout: "1.5s"
)");
  for (const char* field :
       {"leaderElection.resourceLock", "clientConnection.qps", "bindTimeoutSeconds"}) {
    EXPECT_THAT(converted.notes, Contains(HasSubstr("ConfigMap second-config: config.yaml: " +
                                                    std::string(field) + " is not taken over")));
  }
  EXPECT_THAT(converted.notes, Contains(HasSubstr("by the Lease kube-system/second now")));
  EXPECT_THAT(converted.notes, Contains(HasSubstr("predicates are not given")));
  EXPECT_THAT(converted.notes, Contains(HasSubstr("priorities are not given")));
}

TEST(Policy, IsFoundInAListAndByItself) {
  EXPECT_EQ(Converted("kind: List\nitems: [{kind: Policy, apiVersion: v1}]").configuration.yaml,
            kConfigHead);
  EXPECT_EQ(Converted("{\t\"kind\": \"Policy\",\n\t\"apiVersion\": \"v1\"\n}").configuration.yaml,
            kConfigHead);
}

TEST(Policy, ANameThatIsGivenWins) {
  EXPECT_EQ(Converted(kOldManifest, "third").scheduler_name, "third");
  EXPECT_THAT(Converted(kOldManifest, "third").configuration.yaml,
              HasSubstr("- schedulerName: third\n"));
  EXPECT_THAT(Converted("{kind: Policy, apiVersion: v1}").notes,
              Contains(HasSubstr("this is for default-scheduler")));
}

TEST(Policy, WithPredicatesHasTheseAndTheMandatoryOnesAlone) {
  const ConvertedPolicy converted = Converted(R"({"kind": "Policy", "apiVersion": "v1",
    "predicates": [{"name": "PodFitsHostPorts"}, {"name": "PodFitsResources"},
      {"name": "NoDiskConflict"}, {"name": "MatchNodeSelector"}, {"name": "HostName"},
      {"name": "EvenPodsSpread"}, {"name": "MaxEBSVolumeCount"}, {"name": "CheckNodeCondition"}]})");
  EXPECT_EQ(converted.configuration.yaml, std::string(kConfigHead) + R"(profiles:
  - plugins:
      multiPoint:
        disabled:
          - name: VolumeBinding
      preFilter:
        disabled:
          - name: VolumeZone
          - name: InterPodAffinity
      filter:
        disabled:
          - name: VolumeZone
          - name: InterPodAffinity
)");
  EXPECT_THAT(converted.notes, Contains(StartsWith("predicates[6]: MaxEBSVolumeCount: ")));
  EXPECT_THAT(converted.notes, Contains(StartsWith("predicates[7]: CheckNodeCondition: ")));
  EXPECT_THAT(converted.notes, Contains(HasSubstr("DynamicResources, stay on")));
}

TEST(Policy, OfNoPredicatesAndNoPrioritiesSwitchesAllOff) {
  const std::string yaml =
      Converted("{kind: Policy, apiVersion: v1, predicates: [], priorities: []}")
          .configuration.yaml;
  EXPECT_THAT(yaml, HasSubstr("- name: NodeResourcesFit"));
  EXPECT_THAT(yaml, Not(HasSubstr("enabled")));
  EXPECT_THAT(yaml, Not(HasSubstr("NodeUnschedulable"))) << "mandatory";
}

TEST(Policy, WithPrioritiesHasTheseAloneWithTheirWeights) {
  const ConvertedPolicy converted = Converted(R"(
kind: Policy
apiVersion: v1
priorities:
- {name: LeastRequestedPriority, weight: 1}
- {name: BalancedResourceAllocation, weight: 2}
- {name: ServiceSpreadingPriority, weight: 3}
- {name: EvenPodsSpreadPriority, weight: 5}
- {name: InterPodAffinityPriority, weight: 4}
- {name: EqualPriority, weight: 1}
- {name: NodePreferAvoidPodsPriority, weight: 10000}
hardPodAffinitySymmetricWeight: 10
alwaysCheckAllPredicates: true
)");
  EXPECT_EQ(converted.configuration.yaml, std::string(kConfigHead) + R"(profiles:
  - plugins:
      preScore:
        disabled:
          - name: TaintToleration
          - name: NodeAffinity
          - name: ImageLocality
      score:
        disabled:
          - name: TaintToleration
          - name: NodeAffinity
          - name: ImageLocality
        enabled:
          - name: NodeResourcesFit
            weight: 1
          - name: PodTopologySpread
            weight: 5
          - name: InterPodAffinity
            weight: 4
          - name: NodeResourcesBalancedAllocation
            weight: 2
    pluginConfig:
      - name: InterPodAffinity
        args:
          hardPodAffinityWeight: 10
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: LeastAllocated
)");
  for (const char* note :
       {"priorities[3]: the plugin PodTopologySpread has one weight",
        "priorities[5]: EqualPriority", "priorities[6]: NodePreferAvoidPodsPriority",
        "alwaysCheckAllPredicates: "}) {
    EXPECT_THAT(converted.notes, Contains(StartsWith(note)));
  }
}

TEST(Policy, WithoutServiceSpreadingHasNoSpreadingByItself) {
  const ConvertedPolicy converted = Converted(R"(
kind: Policy
apiVersion: v1
priorities:
- {name: EvenPodsSpreadPriority, weight: 1}
- name: bins
  weight: 5
  argument:
    requestedToCapacityRatioArguments:
      shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
      resources: [{name: example.com/foo, weight: 3}]
hardPodAffinitySymmetricWeight: 10
)");
  EXPECT_THAT(converted.configuration.yaml, HasSubstr(R"(    pluginConfig:
      - name: PodTopologySpread
        args:
          defaultingType: List
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: RequestedToCapacityRatio
            resources:
              - name: example.com/foo
                weight: 3
            requestedToCapacityRatio:
              shape:
                - utilization: 0
                  score: 0
                - utilization: 100
                  score: 10
)"));
  EXPECT_THAT(converted.notes,
              Contains(HasSubstr("has no effect without InterPodAffinityPriority")));
}

TEST(Policy, KeepsAllOfAnExtender) {
  EXPECT_EQ(Converted(R"(
kind: Policy
apiVersion: v1
extenders:
- {urlPrefix: "https://e:8443/x", filterVerb: f, preemptVerb: p, bindVerb: b, weight: 3, enableHttps: true,
   tlsConfig: {insecure: false, serverName: s, certFile: /c, keyFile: /k, caFile: /ca},
   httpTimeout: 30000000000, nodeCacheCapable: true, ignorable: true,
   managedResources: [{name: example.com/foo, ignoredByScheduler: true}]}
)")
                .configuration.yaml,
            std::string(kConfigHead) + R"(extenders:
  - urlPrefix: https://e:8443/x
    filterVerb: f
    preemptVerb: p
    bindVerb: b
    weight: 3
    enableHTTPS: true
    tlsConfig:
      insecure: false
      serverName: s
      certFile: /c
      keyFile: /k
      caFile: /ca
    httpTimeout: "30s"
    nodeCacheCapable: true
    managedResources:
      - name: example.com/foo
        ignoredByScheduler: true
    ignorable: true
)");
}

struct BadPolicyRow {
  std::string name;
  std::string text;
  std::string error;
};

class BadPolicy : public ::testing::TestWithParam<BadPolicyRow> {};

TEST_P(BadPolicy, IsRefusedByFieldAndCause) {
  const auto converted = ConvertPolicy({"p", GetParam().text}, "");
  EXPECT_EQ(converted.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(converted.status().message()), HasSubstr(GetParam().error));
}

std::string Policy(const std::string& fields) {
  return "kind: Policy\napiVersion: v1\n" + fields + "\n";
}

std::string MapOf(const std::string& policy) {
  return "kind: ConfigMap\nmetadata: {name: m}\ndata:\n  policy.cfg: '" + policy + "'\n";
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadPolicy,
    ::testing::Values(
        BadPolicyRow{
            "Nothing", "",
            "has no Policy, and no ConfigMap with one under policy.cfg (kinds found: none)"},
        BadPolicyRow{"OtherKinds", "kind: Pod\n---\nkind: ConfigMap\ndata: {a: b}",
                     "(kinds found: ConfigMap and Pod)"},
        BadPolicyRow{"ListOfItself", "&a {kind: List, items: [*a]}", "(kinds found: List)"},
        BadPolicyRow{"NoYaml", "kind: [", "p:1:"},
        BadPolicyRow{"NoMapping", "[1]", "p:1: expected a mapping"},
        BadPolicyRow{"NoKind", "extenders: []", "p:1: kind: is missing; expected Policy"},
        BadPolicyRow{"TwoPolicies", Policy("") + "---\n" + MapOf("{kind: Policy, apiVersion: v1}"),
                     "p and p: ConfigMap m: policy.cfg have a Policy each; give one"},
        BadPolicyRow{
            "TwoConfigurations",
            Policy("") +
                "---\nkind: KubeSchedulerConfiguration\n---\nkind: KubeSchedulerConfiguration\n",
            "has 2 KubeSchedulerConfigurations, of which 0 name the Policy's ConfigMap"},
        BadPolicyRow{"BrokenInMap", MapOf("{\"kind\": "), "p: ConfigMap m: policy.cfg:"},
        BadPolicyRow{"OtherKindInMap", MapOf("{kind: Pod}"),
                     "p: ConfigMap m: policy.cfg:1: expected one document of kind Policy"},
        BadPolicyRow{"ApiVersion", "kind: Policy\napiVersion: v2", "p:2: apiVersion: expected v1"},
        BadPolicyRow{"UnknownField", Policy("extender: []"),
                     "p:3: extender: a Policy has no such field; did you mean extenders?"},
        BadPolicyRow{"FieldTwice", Policy("predicates: []\npredicates: []"),
                     "p:4: predicates: is given twice"},
        BadPolicyRow{
            "FieldOfTheNewKind", Policy("extenders: [{urlPrefix: u, enableHTTPS: true}]"),
            "extenders[0].enableHTTPS: there is no such field; a Policy has here urlPrefix, "},
        BadPolicyRow{"NoList", Policy("extenders: {}"), "p:3: extenders: expected a list"},
        BadPolicyRow{"NoUrl", Policy("extenders: [{filterVerb: f}]"),
                     "extenders[0].urlPrefix: expected a URL"},
        BadPolicyRow{"NoVerb", Policy("extenders: [{urlPrefix: u, filterVerb: \"\"}]"),
                     "extenders[0]: has no verb"},
        BadPolicyRow{"VerbNumber", Policy("extenders: [{urlPrefix: u, filterVerb: 7}]"),
                     "extenders[0].filterVerb: expected a text"},
        BadPolicyRow{"NoWeight", Policy("extenders: [{urlPrefix: u, prioritizeVerb: v}]"),
                     "extenders[0].weight: expected an integer above 0"},
        BadPolicyRow{"TimeoutText",
                     Policy("extenders: [{urlPrefix: u, filterVerb: f, httpTimeout: 30s}]"),
                     "extenders[0].httpTimeout: expected nanoseconds"},
        BadPolicyRow{"TimeoutNegative",
                     Policy("extenders: [{urlPrefix: u, filterVerb: f, httpTimeout: -1}]"),
                     "extenders[0].httpTimeout: expected nanoseconds"},
        BadPolicyRow{"Truth",
                     Policy("extenders: [{urlPrefix: u, filterVerb: f, ignorable: \"yes\"}]"),
                     "extenders[0].ignorable: expected true or false"},
        BadPolicyRow{
            "TlsField", Policy("extenders: [{urlPrefix: u, filterVerb: f, tlsConfig: {ca: x}}]"),
            "extenders[0].tlsConfig.ca: there is no such field; a Policy has here insecure, "},
        BadPolicyRow{"ResourceWithoutName",
                     Policy("extenders: [{urlPrefix: u, filterVerb: f, managedResources: [{}]}]"),
                     "extenders[0].managedResources[0].name: expected a name"},
        BadPolicyRow{"UnknownPredicate", Policy("predicates: [{name: PodFitsResource}]"),
                     "predicates[0]: there is no predicate \"PodFitsResource\"; did you mean "
                     "PodFitsResources?"},
        BadPolicyRow{"PredicateWithoutName", Policy("predicates: [{}]"),
                     "predicates[0].name: is missing"},
        BadPolicyRow{
            "LabelsPresence",
            Policy("predicates: [{name: x, argument: {labelsPresence: {labels: [a]}}}]"),
            "predicates[0].argument.labelsPresence: no plugin of kube-scheduler takes this any "
            "more; "
            "require the labels by addedAffinity"},
        BadPolicyRow{"UnknownPriority", Policy("priorities: [{name: x, weight: 1}]"),
                     "priorities[0]: there is no priority \"x\""},
        BadPolicyRow{"PriorityWithoutWeight", Policy("priorities: [{name: EqualPriority}]"),
                     "priorities[0].weight: expected an integer from 1 to 2147483647"},
        BadPolicyRow{
            "ServiceAntiAffinity",
            Policy(
                "priorities: [{name: x, weight: 1, argument: {serviceAntiAffinity: {label: a}}}]"),
            "use topologySpreadConstraints"},
        BadPolicyRow{
            "TwoStrategies",
            Policy("priorities: [{name: LeastRequestedPriority, weight: 1}, {name: "
                   "MostRequestedPriority, weight: 1}]"),
            "priorities[1]: MostRequestedPriority stands for scoringStrategy MostAllocated of "
            "NodeResourcesFit, which has only one; priorities[0] has it already"},
        BadPolicyRow{"RatioWithoutShape",
                     Policy("priorities: [{name: x, weight: 1, argument: "
                            "{requestedToCapacityRatioArguments: {}}}]"),
                     "requestedToCapacityRatioArguments: shape is missing"},
        BadPolicyRow{"AffinityWeight", Policy("hardPodAffinitySymmetricWeight: 101"),
                     "p:3: hardPodAffinitySymmetricWeight: expected an integer from 1 to 100"}),
    [](const auto& row) { return row.param.name; });

TEST(FromPolicy, PrintsWhatDoctorAccepts) {
  const TempFile policy(Policy(R"(
predicates: [{name: GeneralPredicates}]
priorities: [{name: LeastRequestedPriority, weight: 1}, {name: EvenPodsSpreadPriority, weight: 1}]
extenders:
- {urlPrefix: "http://localhost:5401/scheduler", filterVerb: predicates/safe-overload}
)"));
  const Ran ran = RunProgram({"scheduler-config", "--from-policy", policy.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: "));
  const TempFile written(ran.out);
  const Ran doctor = RunProgram({"doctor", written.path()});
  EXPECT_EQ(doctor.code, 0) << doctor.out << doctor.err;
  EXPECT_THAT(doctor.out, HasSubstr("Agents: safe (extenders[0])"));
}

TEST(FromPolicy, ReadsStandardInput) {
  const Ran ran = RunProgram(
      {"scheduler-config", "--from-policy", "-", "--scheduler-name", "third", "--kubeconfig", "/k"},
      {}, R"({"kind": "Policy", "apiVersion": "v1"})");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("schedulerName: third"));
  EXPECT_THAT(ran.out, HasSubstr("kubeconfig: /k"));
  EXPECT_THAT(ran.out, HasSubstr("resourceName: third"));
}

TEST(FromPolicy, RefusesWhatTheSchedulerRefuses) {
  const Ran ran = RunProgram({"scheduler-config", "--from-policy", "-"}, {},
                             Policy("extenders: [{urlPrefix: 'http://a', bindVerb: b}, {urlPrefix: "
                                    "'http://b', bindVerb: b}]"));
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("bindVerb"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(FromPolicy, RefusesFlagsOfExtendersAndFilesThatAreNotThere) {
  for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{
           {"--agents", "safe"}, {"--url", "http://a"}, {"--in", "x"}, {"--weight", "2"}}) {
    const Ran ran = RunProgram({"scheduler-config", "--from-policy", "-", flag, value});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(flag + " is not accepted with --from-policy"));
  }
  EXPECT_EQ(RunProgram({"scheduler-config", "--from-policy", "/nonexistent"}).code, 1);
  EXPECT_THAT(RunProgram({"scheduler-config", "--from-policy", ""}).err,
              HasSubstr("expected the path of a file, or -"));
}

}  // namespace
}  // namespace outrigger::cli::policy
