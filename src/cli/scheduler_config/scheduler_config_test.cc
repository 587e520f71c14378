#include "cli/scheduler_config/scheduler_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/program_testing.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SchedulerConfigFlags Flags(const std::string& agents) {
  SchedulerConfigFlags flags;
  flags.agents = agents;
  flags.full_nodes = true;
  return flags;
}

absl::StatusOr<SchedulerConfigPlan> Plan(const SchedulerConfigFlags& flags) {
  return PlanSchedulerConfig(flags, testing::TestAgents(), {"pigeon"});
}

std::string PlanError(const SchedulerConfigFlags& flags) {
  const auto plan = Plan(flags);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(plan.status().message());
}

absl::StatusOr<SchedulerConfigText> Write(const SchedulerConfigFlags& flags,
                                          const std::string& input = "") {
  const auto plan = Plan(flags);
  if (!plan.ok()) return plan.status();
  if (input.empty()) return WriteSchedulerConfig(*plan, std::nullopt);
  return WriteSchedulerConfig(*plan, SchedulerConfigInput{"in.yaml", input});
}

// The text without its leading comments.
std::string Body(const absl::StatusOr<SchedulerConfigText>& text) {
  if (!text.ok()) return std::string(text.status().message());
  return text->yaml.substr(text->yaml.find("apiVersion"));
}

constexpr const char* kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(SchedulerConfig, WritesOneEntryPerAgentWithTheVerbsItHas) {
  EXPECT_EQ(Body(Write(Flags("safe,congestion"))), std::string(kHead) + R"(clientConnection:
  qps: 500
  burst: 1000
extenders:
  - urlPrefix: http://127.0.0.1:9871/safe
    filterVerb: filter
    prioritizeVerb: prioritize
    weight: 1
    httpTimeout: "1s"
    nodeCacheCapable: false
  - urlPrefix: http://127.0.0.1:9872/congestion
    prioritizeVerb: prioritize
    weight: 1
    httpTimeout: "1s"
    nodeCacheCapable: false
)");
}

// A barrier may wait for minutes in bind; a filter must not.
TEST(SchedulerConfig, WritesASecondEntryWithALongLimitForBind) {
  SchedulerConfigFlags flags = Flags("gang");
  flags.ignorable = true;
  EXPECT_THAT(Body(Write(flags)), HasSubstr(R"(  - urlPrefix: http://127.0.0.1:9875/gang
    filterVerb: filter
    preemptVerb: preempt
    httpTimeout: "1s"
    nodeCacheCapable: false
    ignorable: true
  - urlPrefix: http://127.0.0.1:9875/gang
    bindVerb: bind
    httpTimeout: "10m30s"
    nodeCacheCapable: false
)")) << "and a binder is never ignorable: it would fail open";
}

TEST(SchedulerConfig, ValuesAreForAllAgentsOrForOne) {
  SchedulerConfigFlags flags = Flags("safe,congestion");
  flags.urls = {"http://10.0.0.1:9870/", "safe=http://[::1]:80"};
  flags.weights = {"congestion=7", "2"};
  flags.http_timeouts = {"safe=500ms"};
  const auto plan = Plan(flags);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->extenders[0].url_prefix, "http://[::1]:80/safe");
  EXPECT_EQ(plan->extenders[0].weight, 2);
  EXPECT_EQ(plan->extenders[0].http_timeout.count(), 500);
  EXPECT_EQ(plan->extenders[1].url_prefix, "http://10.0.0.1:9870/congestion");
  EXPECT_EQ(plan->extenders[1].weight, 7);
  EXPECT_EQ(plan->extenders[1].http_timeout.count(), 1000);
}

TEST(SchedulerConfig, HasNamesSentUnlessWholeNodesAreAskedFor) {
  SchedulerConfigFlags flags = Flags("safe");
  for (const bool full : {false, true}) {
    flags.full_nodes = full;
    const auto plan = PlanSchedulerConfig(flags, testing::TestAgents(), {});
    ASSERT_TRUE(plan.ok());
    const auto text = WriteSchedulerConfig(*plan, std::nullopt);
    ASSERT_TRUE(text.ok());
    EXPECT_THAT(text->yaml, HasSubstr(full ? "nodeCacheCapable: false" : "nodeCacheCapable: true"));
  }
}

struct FlagRow {
  std::string name;
  std::string url, weight, timeout, bind_timeout;
  std::string error;
};

class SchedulerConfigFlag : public ::testing::TestWithParam<FlagRow> {};

TEST_P(SchedulerConfigFlag, NamesTheFlagAndWhatIsAccepted) {
  SchedulerConfigFlags flags = Flags("safe,congestion");
  if (!GetParam().url.empty()) flags.urls = {GetParam().url};
  if (!GetParam().weight.empty()) flags.weights = {GetParam().weight};
  if (!GetParam().timeout.empty()) flags.http_timeouts = {GetParam().timeout};
  if (!GetParam().bind_timeout.empty()) flags.bind_timeout = GetParam().bind_timeout;
  EXPECT_THAT(PlanError(flags), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigFlag,
    ::testing::Values(
        FlagRow{"UrlWithoutScheme", "127.0.0.1:80", "", "", "",
                "--url: \"127.0.0.1:80\" is not accepted; expected a URL"},
        FlagRow{"UrlOfAnotherScheme", "ftp://a:1", "", "", "",
                "--url: \"ftp://a:1\" is not accepted; expected a URL"},
        FlagRow{"UrlWithBlank", "http://a b", "", "", "", "--url: \"http://a b\" is not accepted"},
        FlagRow{"UrlOfAnUnknownAgent", "sfe=http://a:1", "", "", "",
                "--url: agent \"sfe\" is not among those written; did you mean safe?"},
        FlagRow{"WeightZero", "", "0", "", "",
                "--weight: \"0\" is not accepted; expected an integer from 1 to 1000"},
        FlagRow{"WeightFraction", "", "safe=1.5", "", "", "--weight: \"safe=1.5\" is not accepted"},
        FlagRow{"TimeoutZero", "", "", "0s", "",
                "--http-timeout: \"0s\" is not accepted; expected a duration from 1ms"},
        FlagRow{"TimeoutWithoutUnit", "", "", "1", "", "--http-timeout: \"1\" is not accepted"},
        FlagRow{"BindTimeout", "", "", "", "soon", "--bind-timeout: \"soon\" is not accepted"}),
    [](const auto& row) { return row.param.name; });

TEST(SchedulerConfig, UnknownAgentsAreRefused) {
  EXPECT_THAT(PlanError(Flags("pigeon")), HasSubstr("-DOUTRIGGER_AGENT_PIGEON=ON"));
}

TEST(SchedulerConfig, ANewProfileOfItsOwnNameHasALeaseOfItsOwn) {
  SchedulerConfigFlags flags = Flags("congestion");
  flags.scheduler_name = "outrigger";
  flags.kubeconfig = "/etc/kubernetes/scheduler.conf";
  const auto text = Write(flags);
  EXPECT_THAT(Body(text), HasSubstr("profiles:\n  - schedulerName: outrigger\n"
                                    "leaderElection:\n  leaderElect: true\n"
                                    "  resourceName: outrigger\n"
                                    "  resourceNamespace: kube-system\n"
                                    "clientConnection:\n"
                                    "  kubeconfig: /etc/kubernetes/scheduler.conf\n"));
  EXPECT_THAT(text->notes, Contains(HasSubstr("the Lease is kube-system/outrigger")));
}

constexpr const char* kExisting = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
futureField: {a: [1, "2"]}
clientConnection:
  kubeconfig: /etc/kubernetes/scheduler.conf
  qps: 20
profiles:
  - schedulerName: one
    pluginConfig:
      - name: NodeAffinity
        args:
          addedAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchExpressions:
                    - {key: size, operator: In, values: ["1", "true", 'no']}
  - schedulerName: two
extenders:
  - urlPrefix: http://other:80/x
    filterVerb: filter
    managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
  - urlPrefix: http://127.0.0.1:9872/congestion/
    prioritizeVerb: old
)";

TEST(SchedulerConfigMerge, KeepsWhatItDoesNotWrite) {
  const auto text = Write(Flags("congestion"), kExisting);
  ASSERT_TRUE(text.ok()) << text.status();
  const YAML::Node root = YAML::Load(text->yaml);
  EXPECT_EQ(root["futureField"]["a"].size(), 2U);
  EXPECT_EQ(root["profiles"].size(), 2U);
  EXPECT_EQ(root["clientConnection"]["qps"].Scalar(), "20");
  EXPECT_EQ(root["clientConnection"]["burst"].Scalar(), "1000");
  ASSERT_EQ(root["extenders"].size(), 2U);
  EXPECT_EQ(root["extenders"][0]["urlPrefix"].Scalar(), "http://other:80/x");
  EXPECT_EQ(root["extenders"][0]["managedResources"][0]["name"].Scalar(), "example.com/gpu");
  EXPECT_THAT(text->notes,
              Contains("clientConnection.qps is still 20; it limits binds per second"));
}

// yaml-cpp forgets quotes: values: ["1"] would come out as [1], which the scheduler refuses.
TEST(SchedulerConfigMerge, QuotedTextsStayTexts) {
  const auto text = Write(Flags("congestion"), kExisting);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml, HasSubstr("- \"1\"\n"));
  EXPECT_THAT(text->yaml, HasSubstr("- \"true\"\n"));
  EXPECT_THAT(text->yaml, HasSubstr("- \"no\"\n"));
  EXPECT_THAT(text->yaml, HasSubstr("ignoredByScheduler: true\n"));
}

TEST(SchedulerConfigMerge, ReplacesAnEntryOfTheSameUrlPrefix) {
  const auto text = Write(Flags("congestion"), kExisting);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(text->yaml, Not(HasSubstr("old")));
  EXPECT_THAT(text->notes, Contains("the extender http://127.0.0.1:9872/congestion/ was replaced"));
}

TEST(SchedulerConfigMerge, IsStableWhenRepeated) {
  const auto once = Write(Flags("safe,gang"), kExisting);
  ASSERT_TRUE(once.ok()) << once.status();
  const auto twice = Write(Flags("safe,gang"), once->yaml);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(once->yaml, twice->yaml);
}

struct InputRow {
  std::string name;
  std::string agents;
  std::string input;
  std::string error;
};

class SchedulerConfigInputError : public ::testing::TestWithParam<InputRow> {};

TEST_P(SchedulerConfigInputError, NamesThePlaceAndTheField) {
  const auto text = Write(Flags(GetParam().agents), GetParam().input);
  ASSERT_EQ(text.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr(GetParam().error));
}

const std::string kGood(kHead);

INSTANTIATE_TEST_SUITE_P(
    Rows, SchedulerConfigInputError,
    ::testing::Values(
        InputRow{
            "Version", "safe",
            "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration",
            "in.yaml:1:13: apiVersion: \"kubescheduler.config.k8s.io/v1beta3\" is not accepted; "
            "expected kubescheduler.config.k8s.io/v1"},
        InputRow{"Kind", "safe", "apiVersion: v1\nkind: Pod",
                 "in.yaml:2:7: kind: \"Pod\" is not accepted; expected KubeSchedulerConfiguration"},
        InputRow{"NoKind", "safe", "apiVersion: v1", "in.yaml:1:1: kind is missing"},
        InputRow{"NotAMapping", "safe", "[1]",
                 "in.yaml:1:1: a KubeSchedulerConfiguration is a mapping"},
        InputRow{"Empty", "safe", "\n", "in.yaml: has 0 documents"},
        InputRow{"TwoDocuments", "safe", kGood + "---\n" + kGood, "in.yaml: has 2 documents"},
        InputRow{"KeyTwice", "safe", kGood + "extenders: []\nextenders: []",
                 "in.yaml:4:1: extenders is given twice"},
        InputRow{"ExtendersNoList", "safe", kGood + "extenders: {a: 1}",
                 "in.yaml:3:12: extenders: expected a list"},
        InputRow{"ExtenderNoMapping", "safe", kGood + "extenders: [a]",
                 "in.yaml:3:13: extenders: an element must be a mapping"},
        InputRow{"ExtenderWithoutUrl", "safe", kGood + "extenders: [{filterVerb: f}]",
                 "extenders: an element has no urlPrefix"},
        InputRow{"ConnectionNoMapping", "safe", kGood + "clientConnection: 5",
                 "clientConnection: expected a mapping"},
        InputRow{"SecondBinder", "gang", kGood + "extenders: [{urlPrefix: http://o, bindVerb: b}]",
                 "bindVerb: http://o binds already"},
        InputRow{"ContainsItself", "safe", kGood + "x: &x [*x]", "nested too deeply"},
        InputRow{"Broken", "safe", "a: [", "not YAML"}),
    [](const auto& row) { return row.param.name; });

TEST(SchedulerConfigMerge, EmptyAndNullFieldsCountAsAbsent) {
  const auto text =
      Write(Flags("congestion"), kGood + "extenders:\nclientConnection:\nprofiles: null\n");
  ASSERT_TRUE(text.ok()) << text.status();
  const YAML::Node root = YAML::Load(text->yaml);
  EXPECT_EQ(root["extenders"].size(), 1U);
  EXPECT_EQ(root["clientConnection"]["qps"].Scalar(), "500");
  EXPECT_TRUE(root["profiles"].IsNull()) << "a text would be refused: " << text->yaml;
}

}  // namespace
}  // namespace outrigger::cli
