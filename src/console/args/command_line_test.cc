#include "console/args/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/agents_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

using Arguments = std::vector<std::string>;

absl::StatusOr<Command> Parse(const Arguments& arguments) {
  return CommandLine(testing::TestAgents()).Parse(arguments);
}

std::string Error(const Arguments& arguments) {
  const auto command = Parse(arguments);
  EXPECT_FALSE(command.ok());
  EXPECT_EQ(command.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(command.status().message());
}

TEST(CommandLineServe, CollectsSettingsAsText) {
  const auto command = Parse({"serve", "--port", "0", "--safe.max-risk=0.2", "--config", "o.yaml"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->kind, Command::Kind::kServe);
  EXPECT_EQ(command->config, "o.yaml");
  EXPECT_THAT(command->settings,
              UnorderedElementsAre(Pair("--port", "0"), Pair("--safe.max-risk", "0.2")));
}

struct ValueRow {
  std::string name;
  Arguments arguments;
  std::string flag;
  std::string value;
};

class ServeValue : public ::testing::TestWithParam<ValueRow> {};

TEST_P(ServeValue, IsReadAsWritten) {
  Arguments arguments = {"serve"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const auto command = Parse(arguments);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_THAT(command->settings, ElementsAre(Pair(GetParam().flag, GetParam().value)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ServeValue,
    ::testing::Values(
        ValueRow{"BareSwitch", {"--insecure-listen"}, "--insecure-listen", "true"},
        ValueRow{"SwitchEquals", {"--safe.forecast=false"}, "--safe.forecast", "false"},
        ValueRow{"SwitchWord", {"--safe.forecast", "false"}, "--safe.forecast", "false"},
        ValueRow{"Negative", {"--congestion.max", "-1"}, "--congestion.max", "-1"},
        ValueRow{"List", {"--agents", "safe,gang"}, "--agents", "safe,gang"},
        ValueRow{"EmptyAfterEquals", {"--node-table="}, "--node-table", ""},
        ValueRow{"Brackets", {"--bind", "[::1]"}, "--bind", "[::1]"},
        ValueRow{"Quotes", {"--bind", "\"x\""}, "--bind", "\"x\""},
        ValueRow{"ValueWithEquals", {"--bind", "a=b"}, "--bind", "a=b"}),
    [](const auto& row) { return row.param.name; });

TEST(CommandLineServe, AnEmptyValueDoesNotSwallowTheNextFlag) {
  const auto command = Parse({"serve", "--node-table=", "--port", "1"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_THAT(command->settings, ElementsAre(Pair("--node-table", ""), Pair("--port", "1")));
}

struct WrongRow {
  std::string name;
  Arguments arguments;
  std::string error;
};

class CommandLineError : public ::testing::TestWithParam<WrongRow> {};

TEST_P(CommandLineError, SaysWhatToDoNext) {
  EXPECT_EQ(Error(GetParam().arguments), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, CommandLineError,
    ::testing::Values(
        WrongRow{"NoCommand", {}, "a command is missing; see `outrigger --help`"},
        WrongRow{"UnknownCommand",
                 {"srve", "--port", "1"},
                 "there is no command \"srve\"; did you mean serve?; see `outrigger --help`"},
        WrongRow{"CommandLikeNothing",
                 {"zzzzzzzz"},
                 "there is no command \"zzzzzzzz\"; see `outrigger --help`"},
        WrongRow{"UnknownFlag",
                 {"serve", "--prot", "1"},
                 "outrigger serve has no flag --prot; did you mean --port?; see `outrigger serve "
                 "--help`"},
        WrongRow{"UnknownFlagWithValue",
                 {"serve", "--prot=1"},
                 "outrigger serve has no flag --prot; did you mean --port?; see `outrigger serve "
                 "--help`"},
        WrongRow{"UnknownAgentFlag",
                 {"serve", "--safe.max-rsik", "1"},
                 "outrigger serve has no flag --safe.max-rsik; did you mean --safe.max-risk?; see "
                 "`outrigger serve --help`"},
        WrongRow{"FlagBeforeCommand",
                 {"--prot", "1"},
                 "outrigger has no flag --prot; see `outrigger --help`"},
        WrongRow{"Argument",
                 {"serve", "safe"},
                 "outrigger serve takes no argument \"safe\"; see `outrigger serve --help`"},
        WrongRow{"SecondCommand",
                 {"serve", "agents"},
                 "outrigger serve takes no argument \"agents\"; see `outrigger serve --help`"},
        WrongRow{"ValueMissing",
                 {"serve", "--port"},
                 "--port needs a value; see `outrigger serve --help`"},
        WrongRow{"FlagTwice",
                 {"serve", "--port", "1", "--port", "2"},
                 "--port is given twice; see `outrigger serve --help`"},
        WrongRow{"OutputFormat",
                 {"agents", "-o", "xml"},
                 "--output: \"xml\" is not accepted: table, json and yaml"},
        WrongRow{
            "ShellMissing", {"completion"}, "completion wants the name of a shell: bash or zsh"},
        WrongRow{"Shell",
                 {"completion", "bsh"},
                 "shell: \"bsh\" is not accepted: bash and zsh; did you mean bash?"}),
    [](const auto& row) { return row.param.name; });

TEST(CommandLineHelp, DocumentsExitCodes) {
  for (const Arguments& arguments : {Arguments{"--help"}, Arguments{"serve", "--help"},
                                     Arguments{"scheduler-config", "--help"}}) {
    const auto command = Parse(arguments);
    ASSERT_TRUE(command.ok()) << command.status();
    EXPECT_EQ(command->kind, Command::Kind::kHelp);
    EXPECT_THAT(command->text, HasSubstr("Exit codes: 0 done, 1 it failed (a file cannot be read"));
  }
}

TEST(CommandLineHelp, GroupsTheSettingsOfEachAgent) {
  const auto command = Parse({"serve", "--help"});
  ASSERT_TRUE(command.ok());
  const size_t server = command->text.find("Settings of the server:");
  const size_t safe = command->text.find("Settings of agent safe:");
  ASSERT_NE(server, std::string::npos);
  ASSERT_NE(safe, std::string::npos);
  EXPECT_LT(server, command->text.find("--port"));
  EXPECT_LT(safe, command->text.find("--safe.max-risk NUMBER"));
  EXPECT_THAT(command->text, HasSubstr("(a number from 0 to 1;"));
}

TEST(CommandLineHelp, HidesWhatIsForMaintainers) {
  const auto command = Parse({"--help"});
  ASSERT_TRUE(command.ok());
  EXPECT_THAT(command->text, HasSubstr("scheduler-config"));
  EXPECT_THAT(command->text, Not(HasSubstr("docs")));
}

TEST(CommandLineSchedulerConfig, CollectsFlags) {
  const auto command = Parse({"scheduler-config",
                              "--agents",
                              "safe",
                              "--url",
                              "safe=http://a:1",
                              "--url",
                              "http://b:2",
                              "--full-nodes",
                              "--ignorable",
                              "--weight=3",
                              "--in",
                              "-",
                              "--tls-ca=/ca",
                              "--tls-cert",
                              "safe=/a",
                              "--tls-cert",
                              "/b",
                              "--tls-key=/key",
                              "--tls-server-name",
                              "name",
                              "--tls-insecure"});
  ASSERT_TRUE(command.ok()) << command.status();
  const SchedulerConfigFlags& flags = command->scheduler_config;
  EXPECT_EQ(flags.agents, "safe");
  EXPECT_THAT(flags.urls, ElementsAre("safe=http://a:1", "http://b:2"));
  EXPECT_THAT(flags.weights, ElementsAre("3"));
  EXPECT_THAT(flags.tls_cas, ElementsAre("/ca"));
  EXPECT_THAT(flags.tls_certs, ElementsAre("safe=/a", "/b"));
  EXPECT_THAT(flags.tls_keys, ElementsAre("/key"));
  EXPECT_THAT(flags.tls_server_names, ElementsAre("name"));
  EXPECT_TRUE(flags.tls_insecure);
  EXPECT_EQ(flags.in, "-");
  EXPECT_TRUE(flags.full_nodes);
  EXPECT_TRUE(flags.ignorable);
  EXPECT_EQ(flags.bind_timeout, "10m30s");
}

TEST(CommandLineVersion, HasAFlagAndACommand) {
  EXPECT_EQ(Parse({"--version"})->kind, Command::Kind::kVersion);
  EXPECT_EQ(Parse({"version", "-o", "json"})->version_output, "json");
}

TEST(CommandLineShapes, DescribeCommandsFlagsAndWords) {
  const std::vector<CommandShape> shapes = CommandLine(testing::TestAgents()).Shapes();
  std::vector<std::string> names;
  for (const CommandShape& shape : shapes) names.push_back(shape.name);
  EXPECT_THAT(names,
              ElementsAre("", "serve", "agents", "scheduler-config", "doctor", "explain",
                          "explain pod", "explain claim", "explain gang", "explain queue",
                          "explain penalty", "annotate", "annotate usage", "annotate allocation",
                          "penalty", "penalty restore", "gang", "gang release", "schedule",
                          "devices", "lab", "lab scheduler", "version", "completion"));
  for (const FlagShape& flag : shapes[1].flags) {
    if (flag.name == "--agents") {
      EXPECT_TRUE(flag.is_list);
      EXPECT_THAT(flag.values, ElementsAre("congestion", "gang", "safe"));
    } else if (flag.name == "--node-table" || flag.name == "--config") {
      EXPECT_TRUE(flag.is_file);
    } else if (flag.name == "--safe.objective") {
      EXPECT_THAT(flag.values, ElementsAre("risk", "balance"));
    } else if (flag.name == "--insecure-listen") {
      EXPECT_FALSE(flag.takes_value);
    }
  }
}

}  // namespace
}  // namespace outrigger::cli
