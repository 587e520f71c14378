#include "cli/serve/original.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "cli/serve/prepare_serve.h"
#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Flags = std::map<std::string, std::string>;

absl::StatusOr<PreparedServe> Prepare(
    Flags flags, const Environment& environment = {},
    const std::vector<AgentInfo>& registry = testing::TestAgents(),
    const std::string& config = "") {
  flags.emplace("--original", "true");
  flags.emplace("--agents", "safe");
  return PrepareServe({config, flags}, {registry, {}, environment, std::cin, std::cout, std::cerr});
}

std::string Error(const Environment& environment, const Flags& flags = {}) {
  const auto prepared = Prepare(flags, environment);
  EXPECT_EQ(prepared.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(prepared.status().message());
}

struct Row {
  std::string name;
  Flags flags;
  Environment environment;
  int port;
  int admin_port;
};

class OriginalPort : public ::testing::TestWithParam<Row> {};

TEST_P(OriginalPort, IsThatOfTheVariableElse80) {
  const auto prepared = Prepare(GetParam().flags, GetParam().environment);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->options.service.extender.port, GetParam().port);
  EXPECT_EQ(prepared->options.service.admin_port, GetParam().admin_port);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, OriginalPort,
    ::testing::Values(
        Row{"Default", {}, {}, 80, 180}, Row{"Variable", {}, {{"HTTP_PORT", "5401"}}, 5401, 5501},
        Row{"EmptyVariable", {}, {{"HTTP_PORT", ""}}, 80, 180},
        Row{"OfAServiceNamedHttp", {}, {{"HTTP_PORT", "tcp://10.0.0.1:8080"}}, 80, 180},
        Row{"AdminPort", {{"--admin-port", "7"}}, {{"HTTP_PORT", "65535"}}, 65535, 7},
        Row{"FlagWins", {{"--port", "9000"}}, {{"HTTP_PORT", "5401"}}, 9000, 9100},
        Row{"FlagWinsOverABadOne", {{"--port", "9000"}}, {{"HTTP_PORT", "x"}}, 9000, 9100},
        Row{"NewVariableWins", {}, {{"HTTP_PORT", "5401"}, {"OUTRIGGER_PORT", "9000"}}, 9000, 9100},
        Row{"SeveralAgents", {{"--agents", "safe,congestion"}}, {}, 80, 180}),
    [](const auto& row) { return row.param.name; });

TEST(Original, ListensOnAllAddressesInClearAndWarnsOfIt) {
  const auto prepared = Prepare({});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_THAT(prepared->options.service.extender.bind, AnyOf("::", "0.0.0.0"));
  EXPECT_FALSE(prepared->options.service.extender.tls);
  EXPECT_THAT(prepared->options.service.admin_bind, ElementsAre("127.0.0.1"));
  EXPECT_THAT(prepared->warnings, ElementsAre(HasSubstr("open on all addresses without TLS")));
}

TEST(Original, AnAddressThatIsGivenWins) {
  const auto prepared = Prepare({{"--bind", "127.0.0.2"}}, {{"HTTP_PORT", "5401"}});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_EQ(prepared->options.service.extender.bind, "127.0.0.2");
  EXPECT_EQ(prepared->options.service.extender.port, 5401);
  EXPECT_THAT(prepared->warnings, IsEmpty());
  EXPECT_THAT(Error({}, {{"--bind", "0.0.0.0"}}), HasSubstr("--bind 0.0.0.0 is not loopback"));
}

TEST(Original, WithTlsThereIsNothingToWarnOf) {
  const auto prepared = Prepare({{"--tls-cert", "c.pem"}, {"--tls-key", "k.pem"}});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_THAT(prepared->options.service.extender.bind, AnyOf("::", "0.0.0.0"));
  EXPECT_THAT(prepared->warnings, IsEmpty());
}

TEST(Original, IsNothingToAgentsThatTakeNoCalls) {
  std::vector<AgentInfo> registry = testing::TestAgents();
  for (AgentInfo& agent : registry) {
    agent.factory.takes_calls = [](const SettingsValues& /*values*/) { return false; };
  }
  const auto prepared = Prepare({{"--agents", "gang"}}, {}, registry);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_FALSE(prepared->options.service.takes_calls);
  EXPECT_EQ(prepared->options.service.admin_port, 9975) << "as ever";
  EXPECT_THAT(prepared->warnings, IsEmpty());
}

TEST(Original, ABadPortIsNamed) {
  for (const char* value : {"0", "65536", "-1", "http", ":80", "80.5", "0x50"}) {
    EXPECT_THAT(Error({{"HTTP_PORT", value}}),
                HasSubstr("HTTP_PORT=\"" + std::string(value) +
                          "\" is not accepted; expected a port from 1 to 65535"));
  }
  EXPECT_THAT(Error({{"HTTP_PORT", "65500"}}),
              HasSubstr("HTTP_PORT 65500: port 65600 does not exist"));
  EXPECT_THAT(Error({{"HTTP_PORT", "5401"}}, {{"--admin-port", "5401"}}),
              HasSubstr("HTTP_PORT and --admin-port are both 5401"));
}

struct LevelRow {
  std::string value;
  std::string level;
  bool warned;
};

TEST(Original, LogLevelsAreThoseOfTheOriginalInAnyCase) {
  for (const auto& [value, level, warned] : std::vector<LevelRow>{{"TRACE", "trace", false},
                                                                  {"Debug", "debug", false},
                                                                  {"info", "info", false},
                                                                  {"WARNING", "warn", false},
                                                                  {"Error", "error", false},
                                                                  {"ALERT", "error", false},
                                                                  {"verbose", "info", true},
                                                                  {"3", "info", true},
                                                                  {" INFO", "info", true}}) {
    const auto prepared = Prepare({{"--bind", "127.0.0.1"}}, {{"LOG_LEVEL", value}});
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    EXPECT_EQ(prepared->log.level, level) << value;
    if (warned) {
      EXPECT_THAT(prepared->warnings, ElementsAre(HasSubstr("LOG_LEVEL=\"" + value)));
    } else {
      EXPECT_THAT(prepared->warnings, IsEmpty()) << value;
    }
  }
}

}  // namespace
}  // namespace outrigger::cli
