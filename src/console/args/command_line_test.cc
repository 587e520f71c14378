#include "console/args/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "cli/run.h"
#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

using Arguments = std::vector<std::string>;

class CommandLineTest : public ::testing::Test {
 protected:
  absl::StatusOr<Parsed> Parse(const Arguments& arguments) {
    line_ = std::make_unique<CommandLine>(Commands(testing::TestAgents()));
    return line_->Parse(arguments);
  }
  Given GivenBy(const Arguments& arguments) {
    const auto parsed = Parse(arguments);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed->given;
  }
  std::string HelpOf(const Arguments& arguments) {
    const auto parsed = Parse(arguments);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->command, nullptr);
    return parsed->help;
  }

 private:
  std::unique_ptr<CommandLine> line_;
};

std::string Error(const Arguments& arguments) {
  const testing::Ran ran = testing::RunProgram(arguments);
  EXPECT_EQ(ran.code, kUsage);
  const std::string_view before = "outrigger: ";
  EXPECT_THAT(ran.err, StartsWith(std::string(before)));
  return ran.err.substr(before.size(), ran.err.size() - before.size() - 1);
}

TEST_F(CommandLineTest, CollectsSettingsAsText) {
  const Given given =
      GivenBy({"serve", "--port", "0", "--safe.max-risk=0.2", "--config", "o.yaml"});
  EXPECT_EQ(given.Value("--config"), "o.yaml");
  EXPECT_THAT(given.settings(),
              UnorderedElementsAre(Pair("--port", "0"), Pair("--safe.max-risk", "0.2")));
}

struct ValueRow {
  std::string name;
  Arguments arguments;
  std::string flag;
  std::string value;
};

class ServeValue : public CommandLineTest, public ::testing::WithParamInterface<ValueRow> {};

TEST_P(ServeValue, IsReadAsWritten) {
  Arguments arguments = {"serve"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  EXPECT_THAT(GivenBy(arguments).settings(), ElementsAre(Pair(GetParam().flag, GetParam().value)));
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

TEST_F(CommandLineTest, AnEmptyValueDoesNotSwallowTheNextFlag) {
  EXPECT_THAT(GivenBy({"serve", "--node-table=", "--port", "1"}).settings(),
              ElementsAre(Pair("--node-table", ""), Pair("--port", "1")));
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
                 "--output: \"xml\" is not accepted; expected table, json or yaml"},
        WrongRow{
            "ShellMissing", {"completion"}, "completion needs the name of a shell: bash or zsh"},
        WrongRow{"Shell",
                 {"completion", "bsh"},
                 "shell: \"bsh\" is not accepted; expected bash or zsh; did you mean bash?"}),
    [](const auto& row) { return row.param.name; });

TEST_F(CommandLineTest, HelpDocumentsExitCodes) {
  for (const Arguments& arguments : {Arguments{"--help"}, Arguments{"serve", "--help"},
                                     Arguments{"scheduler-config", "--help"}}) {
    EXPECT_THAT(HelpOf(arguments),
                HasSubstr("Exit codes: 0 success, 1 failure (a file cannot be read"));
  }
}

TEST_F(CommandLineTest, HelpGroupsTheSettingsOfEachAgent) {
  const std::string help = HelpOf({"serve", "--help"});
  const size_t server = help.find("Settings of the server:");
  const size_t safe = help.find("Settings of agent safe:");
  ASSERT_NE(server, std::string::npos);
  ASSERT_NE(safe, std::string::npos);
  EXPECT_LT(server, help.find("--port"));
  EXPECT_LT(safe, help.find("--safe.max-risk NUMBER"));
  EXPECT_THAT(help, HasSubstr("(a number from 0 to 1;"));
}

TEST_F(CommandLineTest, HelpHidesWhatIsForMaintainers) {
  const std::string help = HelpOf({"--help"});
  EXPECT_THAT(help, HasSubstr("scheduler-config"));
  EXPECT_THAT(help, Not(HasSubstr("docs")));
}

TEST_F(CommandLineTest, CollectsFlagsByTheirLongNames) {
  const Given given = GivenBy({"scheduler-config", "--url", "safe=http://a:1", "--url",
                               "http://b:2", "--ignorable", "--weight=3", "--in", "-"});
  EXPECT_THAT(given.Values("--url"), ElementsAre("safe=http://a:1", "http://b:2"));
  EXPECT_THAT(given.Values("--weight"), ElementsAre("3"));
  EXPECT_EQ(given.Value("--in"), "-");
  EXPECT_TRUE(given.Has("--ignorable"));
  EXPECT_FALSE(given.Has("--full-nodes"));
  EXPECT_EQ(given.Value("--bind-timeout", "10m30s"), "10m30s");
  EXPECT_EQ(GivenBy({"version", "-o", "json"}).Value("--output"), "json");
}

TEST_F(CommandLineTest, VersionIsAFlagAndACommand) {
  for (const char* version : {"--version", "version"}) {
    const auto parsed = Parse({version});
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->command->name, "version");
  }
}

TEST(CommandLineShapes, DescribeCommandsFlagsAndWords) {
  const std::vector<CommandShape> shapes = CommandLine(Commands(testing::TestAgents())).Shapes();
  std::vector<std::string> names;
  for (const CommandShape& shape : shapes) names.push_back(shape.name);
  EXPECT_THAT(
      names, ElementsAre("", "serve", "agents", "scheduler-config", "manifests", "doctor", "ui",
                         "top", "explain", "explain pod", "explain claim", "explain gang",
                         "explain queue", "explain penalty", "annotate", "annotate usage",
                         "annotate allocation", "penalty", "penalty restore", "gang",
                         "gang release", "schedule", "devices", "lab", "lab scheduler", "lab nodes",
                         "lab apiserver", "lab load", "lab save", "version", "completion"));
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
