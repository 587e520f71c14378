#include "cli/serve/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "cli/serve/prepare_serve.h"
#include "console/process/cluster_source.h"
#include "console/program_testing.h"
#include "console/settings/units.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Flags = std::map<std::string, std::string>;

absl::StatusOr<PreparedServe> Prepare(const Flags& flags, const Environment& environment = {},
                                      const std::string& config = "") {
  const World world{testing::TestAgents(),
                    {"pigeon", "rl-priority"},
                    environment,
                    std::cin,
                    std::cout,
                    std::cerr};
  return PrepareServe({config, flags}, world);
}

std::string Error(const Flags& flags) {
  const auto prepared = Prepare(flags);
  EXPECT_EQ(prepared.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(prepared.status().message());
}

std::vector<std::string> Names(const ServeOptions& options) {
  std::vector<std::string> names;
  for (const engine::ServedAgent& agent : options.agents) names.push_back(agent.info->name);
  return names;
}

TEST(ServeOptions, AllAgentsAreServedByDefaultOnOneSharedPort) {
  const auto prepared = Prepare({});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  const ServeOptions& options = prepared->options;
  EXPECT_THAT(Names(options), ElementsAre("congestion", "gang", "safe"));
  EXPECT_EQ(options.service.extender.bind, "127.0.0.1");
  EXPECT_EQ(options.service.extender.port, 9870);
  EXPECT_THAT(options.service.admin_bind, ElementsAre("127.0.0.1"));
  EXPECT_EQ(options.service.admin_port, 9970);
  EXPECT_FALSE(options.service.metrics_from_anywhere);
  EXPECT_EQ(options.service.extender.max_body, size_t{256} << 20);
  EXPECT_EQ(options.service.extender.max_workers, 64U);
  EXPECT_EQ(options.drain_delay.count(), 0);
  EXPECT_EQ(options.drain_timeout.count(), 20'000);
  EXPECT_EQ(prepared->log.level, "info");
  EXPECT_FALSE(prepared->log.json);
  EXPECT_THAT(prepared->warnings, IsEmpty());
}

TEST(ServeOptions, AgentsAreServedInTheOrderGiven) {
  EXPECT_THAT(Names(Prepare({{"--agents", "safe,congestion"}})->options),
              ElementsAre("safe", "congestion"));
}

TEST(ServeOptions, WeightsAndSettingsReachTheirAgent) {
  const auto prepared = Prepare({{"--agents", "safe"}, {"--safe.weight", "2"}});
  ASSERT_TRUE(prepared.ok());
  EXPECT_EQ(prepared->options.agents[0].weight, 2);
}

// As TestAgents(), of which these are for no calls.
absl::StatusOr<PreparedServe> PrepareWithout(const std::vector<std::string>& uncalled,
                                             const Flags& flags) {
  static std::vector<AgentInfo> registry;  // what is prepared points into it
  registry = testing::TestAgents();
  for (AgentInfo& agent : registry) {
    if (std::find(uncalled.begin(), uncalled.end(), agent.name) == uncalled.end()) continue;
    agent.factory.takes_calls = [](const SettingsValues& /*values*/) { return false; };
  }
  const World world{registry, {}, {}, std::cin, std::cout, std::cerr};
  return PrepareServe({"", flags}, world);
}

TEST(ServeOptions, WhereNoAgentTakesCallsThereIsNoPortForThem) {
  const auto prepared = PrepareWithout({"gang"}, {{"--agents", "gang"}});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_FALSE(prepared->options.service.takes_calls);
  EXPECT_EQ(prepared->options.service.admin_port, 9975) << "as ever";
  const auto both = PrepareWithout({"gang"}, {{"--agents", "gang,safe"}, {"--port", "7"}});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_TRUE(both->options.service.takes_calls);
}

TEST(ServeOptions, SettingsOfAPortThatIsNotThereAreRefused) {
  for (const auto& [flag, value] : Flags{{"--port", "9870"},
                                         {"--bind", "127.0.0.1"},
                                         {"--insecure-listen", "true"},
                                         {"--tls-cert", "a"},
                                         {"--tls-key", "a"},
                                         {"--client-ca", "a"},
                                         {"--node-table", "a"},
                                         {"--max-body", "1Mi"},
                                         {"--max-waiting-binds", "3"}}) {
    const auto prepared = PrepareWithout({"gang"}, {{"--agents", "gang"}, {flag, value}});
    EXPECT_EQ(prepared.status().code(), absl::StatusCode::kInvalidArgument) << flag;
    EXPECT_THAT(
        std::string(prepared.status().message()),
        HasSubstr(flag +
                  " is not accepted: with the settings of gang no scheduler calls the agents"));
  }
}

struct PortRow {
  std::string name;
  Flags flags;
  int port;
  int admin_port;
};

class Ports : public ::testing::TestWithParam<PortRow> {};

TEST_P(Ports, FollowFromWhatIsServed) {
  const auto prepared = Prepare(GetParam().flags);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->options.service.extender.port, GetParam().port);
  EXPECT_EQ(prepared->options.service.admin_port, GetParam().admin_port);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Ports,
    ::testing::Values(PortRow{"OneAgent", {{"--agents", "safe"}}, 9871, 9971},
                      PortRow{"SeveralAgents", {{"--agents", "safe,gang"}}, 9870, 9970},
                      PortRow{"Given", {{"--port", "80"}}, 80, 180},
                      PortRow{"AnyFree", {{"--port", "0"}}, 0, 0},
                      PortRow{"AdminGiven", {{"--port", "80"}, {"--admin-port", "81"}}, 80, 81},
                      PortRow{"AdminAnyFree", {{"--port", "80"}, {"--admin-port", "0"}}, 80, 0},
                      PortRow{"HighestWithAdmin", {{"--port", "65435"}}, 65435, 65535}),
    [](const auto& row) { return row.param.name; });

struct WrongRow {
  std::string name;
  Flags flags;
  std::string error;
};

class ServeOptionsError : public ::testing::TestWithParam<WrongRow> {};

TEST_P(ServeOptionsError, NamesTheFlagAndTheWayOut) {
  EXPECT_THAT(Error(GetParam().flags), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ServeOptionsError,
    ::testing::Values(
        WrongRow{
            "UnknownAgent",
            {{"--agents", "sfae"}},
            "there is no agent \"sfae\"; did you mean safe? (compiled in: congestion, gang and "
            "safe)"},
        WrongRow{
            "LeftOutAgent",
            {{"--agents", "rl-priority"}},
            "agent rl-priority is not compiled in; build with -DOUTRIGGER_AGENT_RL_PRIORITY=ON "
            "(compiled in: congestion, gang and safe)"},
        WrongRow{"AgentTwice", {{"--agents", "safe,gang,safe"}}, "agent safe is named twice"},
        WrongRow{"EmptyPartOfTheList", {{"--agents", "safe,"}}, "there is no agent \"\""},
        WrongRow{"Bind", {{"--bind", "0.0.0.0"}}, "--bind 0.0.0.0 is not loopback"},
        WrongRow{"BindName",
                 {{"--bind", "example.com"}, {"--insecure-listen", "true"}},
                 "--bind: \"example.com\" is not accepted; expected an IP address or localhost"},
        WrongRow{"BindNumber", {{"--bind", "10"}}, "--bind: \"10\" is not accepted"},
        WrongRow{"BindEmpty", {{"--bind", ""}}, "--bind: \"\" is not accepted"},
        WrongRow{"AdminBindName",
                 {{"--admin-bind", "example.com"}},
                 "--admin-bind: \"example.com\" is not accepted; expected IP addresses or "
                 "localhost, separated by commas; \"example.com\" is none"},
        WrongRow{"AdminBindOneOfSeveral",
                 {{"--admin-bind", "10.0.0.7,10.0.0.7:80"}},
                 "--admin-bind: \"10.0.0.7,10.0.0.7:80\" is not accepted; expected IP addresses or "
                 "localhost, separated by commas; \"10.0.0.7:80\" is none"},
        WrongRow{"AdminBindNone", {{"--admin-bind", ""}}, "separated by commas; there is none"},
        WrongRow{"AdminBindVariableThatIsNotSet",
                 {{"--admin-bind", ",127.0.0.1"}},
                 "one is empty: is a variable such as POD_IP not set?"},
        WrongRow{"AdminBindTwice",
                 {{"--admin-bind", "localhost,::1,127.0.0.1"}},
                 "127.0.0.1 is there twice"},
        WrongRow{"AdminBindInAll",
                 {{"--admin-bind", "127.0.0.1,0.0.0.0"}},
                 "0.0.0.0 includes 127.0.0.1: leave that out"},
        WrongRow{
            "AdminBindInAllIpv6", {{"--admin-bind", "::,::1"}}, ":: includes ::1: leave that out"},
        WrongRow{"NoAgents",
                 {{"--agents", ""}},
                 "--agents: \"\" is not accepted; expected agent names, see `outrigger agents`; "
                 "leave it out to have all compiled in"},
        WrongRow{"CertificateWithoutKey", {{"--tls-cert", "c.pem"}}, "--tls-key is missing"},
        WrongRow{"KeyWithoutCertificate", {{"--tls-key", "k.pem"}}, "--tls-cert is missing"},
        WrongRow{"ClientsWithoutTls",
                 {{"--client-ca", "ca.pem"}},
                 "--client-ca needs --tls-cert and --tls-key"},
        WrongRow{"NoAdminPortLeft", {{"--port", "65436"}}, "set --admin-port"},
        WrongRow{"SamePorts",
                 {{"--port", "80"}, {"--admin-port", "80"}},
                 "--port and --admin-port are both 80"}),
    [](const auto& row) { return row.param.name; });

TEST(ServeOptions, AnyAddressIsTakenWhenInsecureIsAccepted) {
  EXPECT_TRUE(Prepare({{"--bind", "0.0.0.0"}, {"--insecure-listen", "true"}}).ok());
}

TEST(ServeOptions, AnyAddressIsTakenWithTls) {
  const auto prepared = Prepare({{"--bind", "0.0.0.0"},
                                 {"--tls-cert", "cert.pem"},
                                 {"--tls-key", "key.pem"},
                                 {"--client-ca", "ca.pem"}});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  const auto& tls = prepared->options.service.extender.tls;
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->cert_file, "cert.pem");
  EXPECT_EQ(tls->key_file, "key.pem");
  EXPECT_EQ(tls->client_ca_file, "ca.pem");
}

TEST(ServeOptions, LimitsReachTheServer) {
  const auto prepared = Prepare({{"--max-body", "1Mi"}, {"--max-waiting-binds", "4000"}});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  const auto& extender = prepared->options.service.extender;
  EXPECT_EQ(extender.max_body, size_t{1} << 20);
  EXPECT_EQ(extender.max_body_memory, size_t{1} << 30);
  EXPECT_EQ(extender.max_blocked, 4000U);
}

TEST(ServeOptions, TheAdminPortMayListenAnywhere) {
  for (const char* address :
       {"0.0.0.0", "::", "fe80::1%eth0", "localhost", "0.0.0.0,::1", "::,0.0.0.0"}) {
    EXPECT_TRUE(Prepare({{"--admin-bind", address}}).ok()) << address;
  }
}

TEST(ServeOptions, TheAdminPortMayHaveSeveralAddresses) {
  EXPECT_THAT(Prepare({{"--admin-bind", "10.0.0.7, 127.0.0.1"}})->options.service.admin_bind,
              ElementsAre("10.0.0.7", "127.0.0.1"));
  EXPECT_THAT(Prepare({}, {{"OUTRIGGER_ADMIN_BIND", "::1,10.0.0.7"}})->options.service.admin_bind,
              ElementsAre("::1", "10.0.0.7"));
  const testing::TempFile file("adminBind: [10.0.0.7, 127.0.0.1]\n");
  EXPECT_THAT(Prepare({}, {}, file.path())->options.service.admin_bind,
              ElementsAre("10.0.0.7", "127.0.0.1"));
}

TEST(ServeOptions, NoAgentsAtAllAreRefusedWhereverTheyAreNotNamed) {
  EXPECT_THAT(std::string(Prepare({}, {{"OUTRIGGER_AGENTS", ""}}).status().message()),
              HasSubstr("OUTRIGGER_AGENTS=\"\" is not accepted; expected agent names"));
  const testing::TempFile file("agents: []\n");
  EXPECT_THAT(std::string(Prepare({}, {}, file.path()).status().message()),
              HasSubstr(":1:9: agents: \"\" is not accepted; expected agent names"));
}

TEST(ServeOptions, LoopbackIsKnownInAllItsSpellings) {
  for (const char* address : {"127.0.0.1", "127.8.9.1", "::1", "localhost", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const char* address :
       {"0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "", "128.0.0.1"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(ServeOptions, ASettingsFileIsReadFromFlagOrEnvironment) {
  const testing::TempFile file("port: 7000\nagents: [safe]\nlogFormat: json\n");
  const auto by_flag = Prepare({}, {}, file.path());
  ASSERT_TRUE(by_flag.ok()) << by_flag.status();
  EXPECT_EQ(by_flag->options.service.extender.port, 7000);
  EXPECT_THAT(Names(by_flag->options), ElementsAre("safe"));
  EXPECT_TRUE(by_flag->log.json);
  const auto by_environment = Prepare({}, {{"OUTRIGGER_CONFIG", file.path()}});
  ASSERT_TRUE(by_environment.ok()) << by_environment.status();
  EXPECT_EQ(by_environment->options.service.extender.port, 7000);
}

TEST(ServeOptions, AMissingSettingsFileIsAFailureThatNamesIt) {
  const auto prepared = Prepare({}, {}, "/nonexistent/o.yaml");
  EXPECT_EQ(std::string(prepared.status().message()),
            "--config: cannot read /nonexistent/o.yaml: No such file or directory");
}

TEST(ServeOptions, WarnsOfFlagsOfAgentsThatAreNotServed) {
  const auto prepared = Prepare({{"--agents", "gang"}, {"--safe.max-risk", "0.1"}});
  ASSERT_TRUE(prepared.ok());
  EXPECT_THAT(prepared->warnings,
              ElementsAre("--safe.max-risk has no effect: agent safe is not served"));
}

struct UnitRow {
  std::string name;
  std::string text;
  int64_t value;  // below 0: refused
};

class Durations : public ::testing::TestWithParam<UnitRow> {};

TEST_P(Durations, AreReadAsGoReadsThem) {
  const auto duration = ParseDuration(GetParam().text);
  EXPECT_EQ(duration.ok() ? duration->count() : -1, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Durations,
    ::testing::Values(UnitRow{"Zero", "0s", 0}, UnitRow{"BareZero", "0", 0},
                      UnitRow{"Milliseconds", "500ms", 500}, UnitRow{"Mixed", "1m30s", 90'000},
                      UnitRow{"Fraction", "1.5s", 1500}, UnitRow{"Longest", "1h", 3'600'000},
                      UnitRow{"TooLong", "1h1ms", -1}, UnitRow{"Negative", "-1s", -1},
                      UnitRow{"NoUnit", "5", -1}, UnitRow{"Infinite", "inf", -1},
                      UnitRow{"Empty", "", -1}, UnitRow{"Word", "soon", -1}),
    [](const auto& row) { return row.param.name; });

class Sizes : public ::testing::TestWithParam<UnitRow> {};

TEST_P(Sizes, AreQuantities) {
  const auto size = ParseSize(GetParam().text);
  EXPECT_EQ(size.ok() ? static_cast<int64_t>(*size) : -1, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Sizes,
    ::testing::Values(UnitRow{"Smallest", "1Ki", 1024}, UnitRow{"Decimal", "100M", 100'000'000},
                      UnitRow{"Bytes", "4096", 4096}, UnitRow{"Largest", "2Gi", int64_t{2} << 30},
                      UnitRow{"TooSmall", "1023", -1}, UnitRow{"TooLarge", "3Gi", -1},
                      UnitRow{"Absurd", "1e99", -1}, UnitRow{"Negative", "-1Gi", -1},
                      UnitRow{"LowerUnit", "1gi", -1}, UnitRow{"Empty", "", -1}),
    [](const auto& row) { return row.param.name; });

TEST(ServeOptions, FollowTheClusterByDefault) {
  const ClusterOptions defaults = Prepare({})->options.cluster;
  EXPECT_TRUE(defaults.watch);
  EXPECT_EQ(defaults.max_staleness.count(), 90'000);
  const ClusterOptions given =
      Prepare({{"--kubeconfig", "k.yaml"}, {"--context", "lab"}, {"--max-staleness", "2m"}})
          ->options.cluster;
  EXPECT_EQ(given.kubeconfig, "k.yaml");
  EXPECT_EQ(given.context, "lab");
  EXPECT_EQ(given.max_staleness.count(), 120'000);
  EXPECT_FALSE(Prepare({{"--watch", "false"}})->options.cluster.watch);
  EXPECT_FALSE(Prepare({{"--node-table", "nodes.json"}})->options.cluster.watch);
}

TEST(ServeOptions, TakeTheKubeconfigOfTheVariable) {
  const testing::TempFile file(
      "current-context: x\n"
      "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
      "contexts: [{name: x, context: {cluster: c}}]\n",
      "config");
  const Environment environment = {{"KUBECONFIG", file.path()}};
  const auto prepared = Prepare({{"--context", "x"}}, environment);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  const auto source = ClusterSource::Make(prepared->options.cluster, environment);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_NE(*source, nullptr);
}

TEST(ServeOptions, RefuseAContradictoryWayToTheCluster) {
  EXPECT_THAT(Error({{"--max-staleness", "59s"}}), HasSubstr("--max-staleness 59s"));
  EXPECT_THAT(Error({{"--context", "lab"}}), HasSubstr("--kubeconfig"));
  EXPECT_THAT(Error({{"--node-table", "n.json"}, {"--kubeconfig", "k.yaml"}}),
              HasSubstr("give either --node-table"));
}

}  // namespace
}  // namespace outrigger::cli
