// Whole runs of the program, without the network.

#include "cli/run.h"

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/program_testing.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TempFile;

TEST(ExitCodes, AreTwoForAWrongCommandLine) {
  const Ran ran = RunProgram({"srve"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(
      ran.err,
      "outrigger: there is no command \"srve\"; did you mean serve?; see `outrigger --help`\n");
}

TEST(ExitCodes, AreTwoForWrongSettings) {
  const Ran ran = RunProgram({"serve", "--safe.max-risk", "2"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "outrigger: --safe.max-risk: \"2\" is not accepted; expected a number from 0 to 1\n");
}

TEST(ExitCodes, AreOneForWhatFails) {
  const Ran ran = RunProgram({"serve", "--config", "/nonexistent/o.yaml"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("cannot read /nonexistent/o.yaml"));
}

TEST(ExitCodes, AreZeroForHelpOnStandardOutput) {
  const Ran ran = RunProgram({"serve", "--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("--safe.max-risk"));
  EXPECT_EQ(ran.err, "");
}

// A server that closes a connection in the middle of a request must not end the process.
TEST(Signals, NoCommandThatOpensConnectionsDiesOfABrokenPipe) {
  const auto is_ignored = [](const std::vector<std::string>& arguments) {
    signal(SIGPIPE, SIG_DFL);
    RunProgram(arguments);
    return signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  };
  EXPECT_TRUE(is_ignored({"annotate", "usage", "--dry-run", "--kubeconfig", "/nonexistent"}));
  EXPECT_TRUE(is_ignored({"annotate", "usage", "--once", "--kubeconfig", "/nonexistent"}));
  EXPECT_TRUE(is_ignored({"doctor", "/nonexistent"}));
  EXPECT_TRUE(is_ignored({"penalty", "restore", "--all", "--kubeconfig", "/nonexistent"}));
  EXPECT_FALSE(is_ignored({"version"}));
}

TEST(Version, IsOneLineOrJson) {
  EXPECT_THAT(RunProgram({"version"}).out, ::testing::MatchesRegex("outrigger [0-9.]+\n"));
  EXPECT_EQ(RunProgram({"--version"}).out, RunProgram({"version"}).out);
  const auto json = nlohmann::json::parse(RunProgram({"version", "-o", "json"}).out);
  EXPECT_EQ(json["agents"], (nlohmann::json{"congestion", "gang", "safe"}));
  EXPECT_EQ("outrigger " + json["version"].get<std::string>() + "\n", RunProgram({"version"}).out);
}

TEST(AgentsCommand, PrintsATable) {
  EXPECT_EQ(
      RunProgram({"agents"}).out,
      "NAME        VERBS                PORT  SETTINGS  SUMMARY\n"
      "congestion  prioritize           9872  1         Prefers nodes that are not congested\n"
      "gang        filter,bind,preempt  9875  0         Starts groups together\n"
      "safe        filter,prioritize    9871  3         Rejects nodes that would be "
      "overloaded\n");
}

TEST(AgentsCommand, PrintsAllThereIsToKnowAsJson) {
  const auto json = nlohmann::json::parse(RunProgram({"agents", "-o", "json"}).out);
  ASSERT_EQ(json.size(), 3U);
  const auto& safe = json[2];
  EXPECT_EQ(safe["name"], "safe");
  EXPECT_EQ(safe["port"], 9871);
  EXPECT_EQ(safe["verbs"], (nlohmann::json{"filter", "prioritize"}));
  EXPECT_EQ(safe["paths"], nlohmann::json::parse(R"([
      {"path": "/safe/filter", "verb": "filter"},
      {"path": "/safe/prioritize", "verb": "prioritize"},
      {"path": "/scheduler/predicates/safe-overload", "verb": "filter"}])"));
  EXPECT_EQ(safe["settings"][0], nlohmann::json::parse(R"({
      "name": "max-risk", "type": "number", "default": 0.3, "accepted": "a number from 0 to 1",
      "help": "risk above which a node is rejected", "flag": "--safe.max-risk",
      "env": "OUTRIGGER_SAFE_MAX_RISK", "key": "safe.maxRisk", "legacyEnv": "SAFEPERCENTILE"})"));
}

TEST(AgentsCommand, YamlSaysTheSameAsJson) {
  const YAML::Node yaml = YAML::Load(RunProgram({"agents", "safe", "-o", "yaml"}).out);
  EXPECT_EQ(yaml["name"].Scalar(), "safe");
  EXPECT_EQ(yaml["settings"][1]["default"].as<bool>(), true);
  EXPECT_EQ(yaml["settings"][0]["accepted"].Scalar(), "a number from 0 to 1");
}

TEST(AgentsCommand, ShowsOneInDetail) {
  const Ran ran = RunProgram({"agents", "safe"});
  EXPECT_THAT(ran.out, StartsWith("safe: Rejects nodes that would be overloaded\n"));
  EXPECT_THAT(ran.out, HasSubstr("  POST /safe/filter\n"));
  EXPECT_THAT(ran.out, HasSubstr("  POST /scheduler/predicates/safe-overload  (filter)\n"));
  EXPECT_THAT(ran.out, HasSubstr("  --safe.max-risk  (a number from 0 to 1; default 0.3)\n"));
}

TEST(AgentsCommand, NamesTheNearestOfAnUnknownOne) {
  const Ran ran = RunProgram({"agents", "sfae"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean safe?"));
}

TEST(SchedulerConfigCommand, KeepsNotesApartFromTheConfiguration) {
  const Ran ran = RunProgram({"scheduler-config", "--agents", "safe", "--full-nodes"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(YAML::Load(ran.out)["kind"].Scalar(), "KubeSchedulerConfiguration");
  EXPECT_THAT(ran.err, HasSubstr("note: clientConnection.qps is 500"));
}

TEST(SchedulerConfigCommand, ReadsAFileOrStandardInput) {
  const std::string existing =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: "
      "3\n";
  const TempFile file(existing);
  const Ran from_file =
      RunProgram({"scheduler-config", "--agents=safe", "--full-nodes", "--in", file.path()});
  const Ran from_input =
      RunProgram({"scheduler-config", "--agents=safe", "--full-nodes", "--in", "-"}, {}, existing);
  EXPECT_THAT(from_file.out, HasSubstr("parallelism: 3\n"));
  EXPECT_EQ(from_file.out, from_input.out);
}

TEST(SchedulerConfigCommand, SaysWhatNamesOnlyCallsTakeAtTheAgents) {
  const Ran names = RunProgram({"scheduler-config", "--agents", "safe"});
  EXPECT_EQ(names.code, 0);
  EXPECT_THAT(names.err, HasSubstr("outrigger agents --rbac"));
  const Ran full = RunProgram({"scheduler-config", "--agents", "safe", "--full-nodes"});
  EXPECT_THAT(full.err, Not(HasSubstr("outrigger agents --rbac")));
}

TEST(DocsCommand, PrintsASectionPerGroup) {
  const std::string page = RunProgram({"docs", "settings"}).out;
  EXPECT_THAT(page, StartsWith("# Settings\n"));
  EXPECT_THAT(page, HasSubstr("\n## Server\n"));
  EXPECT_THAT(page, HasSubstr("\n| `--safe.max-risk` | risk above which a node is rejected"));
  EXPECT_THAT(page, HasSubstr(" | one of risk\\|balance | "));
  EXPECT_THAT(page, HasSubstr("; formerly `SAFEPERCENTILE` | "));
}

struct RefusedInput {
  const char* name;
  const char* yaml;
  const char* error;
};

class InputOfSchedulerConfig : public ::testing::TestWithParam<RefusedInput> {};

// With what kube-scheduler refuses it would not start.
TEST_P(InputOfSchedulerConfig, IsCheckedByTheDoctorsRulesFirst) {
  const TempFile file(GetParam().yaml, "in.yaml");
  const Ran ran = RunProgram({"scheduler-config", "--agents", "safe", "--in", file.path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

constexpr const char* kRefusedHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
const std::string kInProfile = std::string(kRefusedHead) +
                               "profiles:\n- schedulerName: default-scheduler\n  extenders:\n"
                               "  - {urlPrefix: \"http://127.0.0.1:8080\", filterVerb: filter}\n";
const std::string kSpelling = std::string(kRefusedHead) +
                              "extenders:\n- urlPrefix: https://scorer.example.com/score\n"
                              "  prioritizeVerb: prioritize\n  weight: 1\n  enableHttps: true\n"
                              "  TLSConfig: {CAFile: /etc/ca.pem}\n";
const std::string kWeight = std::string(kRefusedHead) +
                            "extenders:\n- {urlPrefix: \"http://127.0.0.1:8080\", "
                            "prioritizeVerb: prioritize}\n";

INSTANTIATE_TEST_SUITE_P(
    Of, InputOfSchedulerConfig,
    ::testing::Values(
        RefusedInput{
            "ExtendersInAProfile", kInProfile.c_str(),
            "in.yaml:5:3: profiles[0].extenders: extenders; write extenders belongs to the "
            "top level of the file\n"},
        RefusedInput{"OtherCapitals", kSpelling.c_str(),
                     "in.yaml:7:3: extenders[0].enableHttps: enableHttps; write enableHTTPS\n"},
        RefusedInput{"OtherCapitalsOfAMapping", kSpelling.c_str(), "write tlsConfig\n"},
        RefusedInput{"NoWeight", kWeight.c_str(), "extenders[0].weight: missing; write weight: 1"},
        RefusedInput{"AConfigMap", "apiVersion: v1\nkind: ConfigMap\ndata: {}\n",
                     "kind: ConfigMap; write the text under its key in data alone"},
        RefusedInput{"AnOldPolicy", "apiVersion: v1\nkind: Policy\nextenders: []\n",
                     "kind: Policy; write a KubeSchedulerConfiguration with the same extenders"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::cli
