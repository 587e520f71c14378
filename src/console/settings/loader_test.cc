// Where a setting comes from, and what is said of one that is wrong.

#include "console/settings/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "console/program_testing.h"
#include "fmt/format.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettingsLoader : public ::testing::Test {
 protected:
  // Loads and returns the error, or "".
  std::string Load(const std::string& file = "") {
    if (!file.empty()) sources_.file = *ParseConfigFile("o.yaml", file);
    return std::string(LoadSettings(sources_, &groups_, &warnings_).message());
  }
  std::string Print(const std::string& flag) const {
    for (const SettingGroup& group : groups_) {
      for (const BoundSetting& setting : group.settings) {
        if (setting.flag == flag) return setting.spec.print(setting.target);
      }
    }
    return "no such flag";
  }

  std::set<std::string, std::less<>> GivenTo(std::string_view agent) const {
    for (const SettingGroup& group : groups_) {
      if (group.agent != nullptr && group.agent->name == agent) return group.values.given();
    }
    return {"no such agent"};
  }

  SettingSources sources_;
  std::vector<SettingGroup> groups_ = MakeSettingGroups(testing::TestAgents());
  std::vector<std::string> warnings_;
};

TEST_F(SettingsLoader, DefaultsHoldWhenNothingIsGiven) {
  EXPECT_EQ(Load(), "");
  EXPECT_EQ(Print("--safe.max-risk"), "0.3");
  EXPECT_EQ(Print("--safe.weight"), "1");
  EXPECT_EQ(Print("--log-level"), "info");
  EXPECT_THAT(warnings_, IsEmpty());
}

struct PrecedenceRow {
  std::string name;
  bool flag, env, file, legacy;
  std::string value;
};

class Precedence : public SettingsLoader, public ::testing::WithParamInterface<PrecedenceRow> {};

TEST_P(Precedence, TheStrongestSourceWins) {
  if (GetParam().flag) sources_.flags["--safe.max-risk"] = "0.11";
  if (GetParam().env) sources_.environment["OUTRIGGER_SAFE_MAX_RISK"] = "0.12";
  if (GetParam().legacy) sources_.environment["SAFEPERCENTILE"] = "14";
  EXPECT_EQ(Load(GetParam().file ? "safe: {maxRisk: 0.13}" : ""), "");
  EXPECT_EQ(Print("--safe.max-risk"), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Precedence,
    ::testing::Values(PrecedenceRow{"Flag", true, true, true, true, "0.11"},
                      PrecedenceRow{"Env", false, true, true, true, "0.12"},
                      PrecedenceRow{"File", false, false, true, true, "0.13"},
                      PrecedenceRow{"Legacy", false, false, false, true, "0.14"},
                      PrecedenceRow{"FlagOverFile", true, false, true, false, "0.11"}),
    [](const auto& row) { return row.param.name; });

TEST_F(SettingsLoader, EverySourceReachesServerAndAgentsAndWeight) {
  sources_.flags["--congestion.weight"] = "2.5";
  sources_.environment["OUTRIGGER_LOG_FORMAT"] = "json";
  EXPECT_EQ(Load("maxBody: 1Gi\nsafe: {forecast: false, weight: 3}"), "");
  EXPECT_EQ(Print("--congestion.weight"), "2.5");
  EXPECT_EQ(Print("--log-format"), "json");
  EXPECT_EQ(Print("--max-body"), "1Gi");
  EXPECT_EQ(Print("--safe.forecast"), "false");
  EXPECT_EQ(Print("--safe.weight"), "3");
}

struct WrongRow {
  std::string name;
  std::string flag;  // "--flag=value"
  std::string env;   // "NAME=value"
  std::string file;
  std::string error;
};

class WrongSetting : public SettingsLoader, public ::testing::WithParamInterface<WrongRow> {};

TEST_P(WrongSetting, NamesTheSourceTheValueAndWhatIsAccepted) {
  const WrongRow& row = GetParam();
  const auto split = [](const std::string& text) {
    const size_t equals = text.find('=');
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
  };
  if (!row.flag.empty()) sources_.flags.insert(split(row.flag));
  if (!row.env.empty()) sources_.environment.insert(split(row.env));
  EXPECT_EQ(Load(row.file), row.error);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongSetting,
    ::testing::Values(
        WrongRow{"Flag", "--safe.max-risk=2", "", "",
                 R"(--safe.max-risk: "2" is not accepted; expected a number from 0 to 1)"},
        WrongRow{"Environment", "", "OUTRIGGER_SAFE_MAX_RISK=x", "",
                 R"(OUTRIGGER_SAFE_MAX_RISK="x" is not accepted; expected a number from 0 to 1)"},
        WrongRow{"EmptyEnvironment", "", "OUTRIGGER_SAFE_MAX_RISK=", "",
                 R"(OUTRIGGER_SAFE_MAX_RISK="" is not accepted; expected a number from 0 to 1)"},
        WrongRow{
            "File", "", "", "safe:\n  maxRisk: x",
            R"(o.yaml:2:12: safe.maxRisk: "x" is not accepted; expected a number from 0 to 1)"},
        WrongRow{
            "FileAlsoWhereAFlagWins", "--safe.max-risk=0.1", "", "safe: {maxRisk: 7}",
            R"(o.yaml:1:17: safe.maxRisk: "7" is not accepted; expected a number from 0 to 1)"},
        WrongRow{
            "QuotedNumber", "", "", "safe: {maxRisk: '0.3'}",
            R"(o.yaml:1:17: safe.maxRisk: "0.3" is not accepted; expected a number from 0 to 1, without quotes)"},
        WrongRow{"ControlCharacters", "--safe.max-risk=a\n\x1b", "", "",
                 R"(--safe.max-risk: "a\x0a\x1b" is not accepted; expected a number from 0 to 1)"},
        WrongRow{"WeightZero", "--safe.weight=0", "", "",
                 R"(--safe.weight: "0" is not accepted; expected a number above 0)"},
        WrongRow{"WeightInfinite", "--safe.weight=inf", "", "",
                 R"(--safe.weight: "inf" is not accepted; expected a number above 0)"},
        WrongRow{"Port", "--port=65536", "", "",
                 R"(--port: "65536" is not accepted; expected an integer from 0 to 65535)"},
        WrongRow{
            "Level", "--log-level=loud", "", "",
            R"(--log-level: "loud" is not accepted; expected one of trace|debug|info|warn|error)"},
        WrongRow{
            "Duration", "--drain-delay=5", "", "",
            R"(--drain-delay: "5" is not accepted; expected a duration from 0s to 1h, such as 500ms, 20s or 1m30s)"},
        WrongRow{
            "Size", "--max-body=1", "", "",
            R"(--max-body: "1" is not accepted; expected a size from 1Ki to 2Gi, such as 256Mi or 100M)"},
        WrongRow{"UnknownKey", "", "", "safe: {maxRsik: 0.3}",
                 "o.yaml:1:8: safe.maxRsik: no such setting; did you mean safe.maxRisk?"},
        WrongRow{"UnknownTopKey", "", "", "prot: 1",
                 "o.yaml:1:1: prot: no such setting; did you mean port?"},
        WrongRow{"SectionWithAValue", "", "", "safe: 3",
                 "o.yaml:1:1: safe is a section; its settings go below it, such as safe.maxRisk"},
        WrongRow{"UnknownSection", "", "", "penguin: {a: 1}",
                 "o.yaml:1:11: penguin.a: no such setting"},
        WrongRow{"KebabKey", "", "", "safe: {max-risk: 0.3}",
                 "o.yaml:1:8: safe.max-risk: no such setting; did you mean safe.maxRisk?"}),
    [](const auto& row) { return row.param.name; });

TEST_F(SettingsLoader, WarnsOfAnOlderVariableAndTakesTheDefault) {
  sources_.environment["SAFEPERCENTILE"] = "0.8";
  EXPECT_EQ(Load(), "");
  EXPECT_EQ(Print("--safe.max-risk"), "0.3");
  EXPECT_THAT(warnings_, ElementsAre("SAFEPERCENTILE=\"0.8\" is not accepted; expected an integer "
                                     "from 0 to 100; the default is used: 0.3"));
}

// An agent that has a weaker source of its own, a file of an older program, must not take that for
// a value that was refused.
TEST_F(SettingsLoader, AnOlderVariableThatIsNotAcceptedGivesTheDefault) {
  sources_.environment["SAFEPERCENTILE"] = "0.8";
  EXPECT_EQ(Load(), "");
  EXPECT_THAT(GivenTo("safe"), ElementsAre("max-risk"));
}

TEST_F(SettingsLoader, AnOlderVariableThatIsEmptyIsNotGiven) {
  sources_.environment["SAFEPERCENTILE"] = "";
  EXPECT_EQ(Load(), "");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(GivenTo("safe"), IsEmpty());
}

TEST_F(SettingsLoader, AnOlderVariableIsNotLookedAtWhenANewerSourceIsThere) {
  sources_.environment["SAFEPERCENTILE"] = "nonsense";
  sources_.flags["--safe.max-risk"] = "0.2";
  EXPECT_EQ(Load(), "");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(SettingsLoader, TheServersOlderVariablesAreRead) {
  sources_.environment = {{"HTTP_PORT", "8888"}, {"LOG_LEVEL", "WARNING"}};
  EXPECT_EQ(Load(), "");
  EXPECT_EQ(Print("--port"), "8888");
  EXPECT_EQ(Print("--log-level"), "warn");
}

TEST_F(SettingsLoader, WarnsOfVariablesThatMeanNothing) {
  sources_.environment = {{"OUTRIGGER_SAFE_MAXRISK", "1"}, {"OTHER", "1"}};
  EXPECT_EQ(Load(), "");
  EXPECT_THAT(warnings_, ElementsAre("environment variable OUTRIGGER_SAFE_MAXRISK is not a setting "
                                     "and is ignored; did you mean OUTRIGGER_SAFE_MAX_RISK?"));
}

TEST_F(SettingsLoader, SuggestsNoVariableThatSharesThePrefixAlone) {
  sources_.environment = {{"OUTRIGGER_FOO", "1"}, {"OUTRIGGER_", "1"}};
  EXPECT_EQ(Load(), "");
  EXPECT_THAT(warnings_,
              ElementsAre("environment variable OUTRIGGER_ is not a setting and is ignored",
                          "environment variable OUTRIGGER_FOO is not a setting and is ignored"));
}

// Services named "outrigger" and "http" in the namespace of the pod.
TEST_F(SettingsLoader, LeavesVariablesOfKubernetesAlone) {
  sources_.environment = {{"OUTRIGGER_PORT", "tcp://10.0.0.1:80"},
                          {"OUTRIGGER_SERVICE_HOST", "10.0.0.1"},
                          {"OUTRIGGER_PORT_80_TCP_PROTO", "tcp"},
                          {"HTTP_PORT", "tcp://10.0.0.2:80"}};
  EXPECT_EQ(Load(), "");
  EXPECT_EQ(Print("--port"), "-1");
  EXPECT_THAT(warnings_, IsEmpty());
}

struct RetiredRow {
  std::string name;
  std::string flag, env, file;  // "NAME=VALUE" but for the file; empty: not given
  std::string warning;
};

class RetiredSettings : public SettingsLoader, public ::testing::WithParamInterface<RetiredRow> {};

TEST_P(RetiredSettings, AreIgnoredWithAWarning) {
  const RetiredRow& row = GetParam();
  const auto split = [](const std::string& text) {
    const size_t equals = text.find('=');
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
  };
  if (!row.flag.empty()) sources_.flags.insert(split(row.flag));
  if (!row.env.empty()) sources_.environment.insert(split(row.env));
  EXPECT_EQ(Load(row.file), "");
  EXPECT_THAT(warnings_, ElementsAre(row.warning));
  EXPECT_THAT(GivenTo("safe"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RetiredSettings,
    ::testing::Values(
        RetiredRow{"Flag", "--safe.history=7", "", "",
                   "--safe.history=7 is ignored: fixed at 5; leave it out"},
        RetiredRow{"Environment", "", "OUTRIGGER_SAFE_HISTORY=x", "",
                   "OUTRIGGER_SAFE_HISTORY=x is ignored: fixed at 5; leave it out"},
        RetiredRow{"File", "", "", "safe: {history: 7}",
                   "o.yaml:1:8: safe.history=7 is ignored: fixed at 5; leave it out"},
        RetiredRow{"TheValueThatCounts", "--safe.smooth=true", "", "",
                   "--safe.smooth is no longer needed: forecasts are always smooth; leave it out"},
        RetiredRow{"AnotherValue", "", "", "safe: {smooth: false}",
                   "o.yaml:1:8: safe.smooth=false is ignored: forecasts are always smooth; leave "
                   "it out"}),
    [](const auto& row) { return row.param.name; });

struct CountsRow {
  std::string name;
  std::string flag, env, file;  // the value of each; empty: not given
  std::string value;
  std::vector<std::string> warnings;
};

class FormerValue : public SettingsLoader, public ::testing::WithParamInterface<CountsRow> {
 protected:
  std::string Memory() const {
    const RetiredSetting& memory = groups_.back().retired.back();
    EXPECT_EQ(memory.flag, "--safe.memory");
    return memory.former.print(memory.target);
  }
};

TEST_P(FormerValue, CountsWithAWarning) {
  const CountsRow& row = GetParam();
  if (!row.flag.empty()) sources_.flags["--safe.memory"] = row.flag;
  if (!row.env.empty()) sources_.environment["OUTRIGGER_SAFE_MEMORY"] = row.env;
  EXPECT_EQ(Load(row.file.empty() ? "" : "safe: {memory: " + row.file + "}"), "");
  EXPECT_EQ(Memory(), row.value);
  EXPECT_EQ(warnings_, row.warnings);
}

const std::string kCounts = " works until version 0.2.0, then: it is 4; leave it out";

INSTANTIATE_TEST_SUITE_P(
    Rows, FormerValue,
    ::testing::Values(
        CountsRow{"Flag", "7", "", "", "7", {"--safe.memory=7" + kCounts}},
        CountsRow{"Environment", "", "7", "", "7", {"OUTRIGGER_SAFE_MEMORY=7" + kCounts}},
        CountsRow{"File", "", "", "7", "7", {"o.yaml:1:8: safe.memory=7" + kCounts}},
        CountsRow{"AsItIs",
                  "4",
                  "",
                  "",
                  "4",
                  {"--safe.memory is no longer needed: it is 4; leave it out"}},
        CountsRow{"OfAllTheFlag",
                  "7",
                  "8",
                  "9",
                  "7",
                  {"o.yaml:1:8: safe.memory=9" + kCounts, "OUTRIGGER_SAFE_MEMORY=8" + kCounts,
                   "--safe.memory=7" + kCounts}}),
    [](const auto& row) { return row.param.name; });

TEST_F(SettingsLoader, AFormerValueThatIsNotAcceptedIsAnErrorWithWhatIs) {
  for (const char* value : {"0", "x", ""}) {
    sources_.flags["--safe.memory"] = value;
    EXPECT_EQ(
        Load(),
        fmt::format("--safe.memory={} is not accepted; expected an integer from 1 to 10", value));
  }
}

struct SwitchRow {
  std::string name;
  std::string flag, env, file;  // the value of each; empty: not given
  std::string value;
  std::string warning;
};

class FormerSwitch : public SettingsLoader, public ::testing::WithParamInterface<SwitchRow> {};

TEST_P(FormerSwitch, MeansAValueOfTheChoice) {
  const SwitchRow& row = GetParam();
  if (!row.flag.empty()) sources_.flags["--safe.balanced"] = row.flag;
  if (!row.env.empty()) sources_.environment["OUTRIGGER_SAFE_BALANCED"] = row.env;
  EXPECT_EQ(Load(row.file), "");
  EXPECT_EQ(Print("--safe.objective"), row.value);
  EXPECT_THAT(warnings_, ElementsAre(row.warning));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FormerSwitch,
    ::testing::Values(
        SwitchRow{"Flag", "true", "", "", "balance",
                  "--safe.balanced is now --safe.objective=balance; the former name still works"},
        SwitchRow{"Off", "false", "", "", "risk",
                  "--safe.balanced is now --safe.objective=risk; the former name still works"},
        SwitchRow{"Environment", "", "true", "", "balance",
                  "OUTRIGGER_SAFE_BALANCED is now OUTRIGGER_SAFE_OBJECTIVE=balance; the former "
                  "name still works"},
        SwitchRow{"File", "", "", "safe: {balanced: true}", "balance",
                  "o.yaml:1:8: safe.balanced is now safe.objective=balance; the former name still "
                  "works"},
        SwitchRow{"FileOff", "", "", "safe: {balanced: false}", "risk",
                  "o.yaml:1:8: safe.balanced is now safe.objective=risk; the former name still "
                  "works"}),
    [](const auto& row) { return row.param.name; });

TEST_F(SettingsLoader, AFormerSwitchBesideItsChoiceIsAnErrorThatNamesBoth) {
  sources_.flags = {{"--safe.balanced", "true"}, {"--safe.objective", "balance"}};
  EXPECT_EQ(Load(),
            "--safe.balanced=true is the former name of --safe.objective=balance: give only one");
  sources_.flags.clear();
  sources_.environment = {{"OUTRIGGER_SAFE_BALANCED", "false"},
                          {"OUTRIGGER_SAFE_OBJECTIVE", "balance"}};
  EXPECT_EQ(Load(),
            "OUTRIGGER_SAFE_BALANCED=false is the former name of OUTRIGGER_SAFE_OBJECTIVE=risk: "
            "give only one");
  sources_.environment.clear();
  EXPECT_EQ(Load("safe: {objective: risk, balanced: true}"),
            "o.yaml:1:25: safe.balanced=true is the former name of safe.objective=balance: give "
            "only one");
  EXPECT_EQ(Load("safe: {balanced: maybe}"),
            "o.yaml:1:8: safe.balanced=maybe is not accepted; expected true or false");
}

TEST_F(SettingsLoader, AFormerSwitchOfAWeakerSourceLoses) {
  sources_.flags["--safe.objective"] = "risk";
  sources_.environment["OUTRIGGER_SAFE_BALANCED"] = "true";
  EXPECT_EQ(Load(), "");
  EXPECT_EQ(Print("--safe.objective"), "risk");
}

TEST(SettingGroups, NamesFollowFromTheDeclaration) {
  const std::vector<SettingGroup> groups = MakeSettingGroups(testing::TestAgents());
  const SettingGroup& safe = groups.back();
  EXPECT_EQ(safe.Title(), "agent safe");
  EXPECT_EQ(safe.settings[0].flag, "--safe.max-risk");
  EXPECT_EQ(safe.settings[0].env, "OUTRIGGER_SAFE_MAX_RISK");
  EXPECT_EQ(safe.settings[0].key, "safe.maxRisk");
  EXPECT_TRUE(safe.settings[1].IsSwitch());
  EXPECT_THAT(safe.settings[2].Choices(), ElementsAre("risk", "balance"));
  EXPECT_EQ(safe.settings[3].flag, "--safe.weight");
  EXPECT_EQ(groups[0].Title(), "server");
  EXPECT_EQ(groups[0].settings[1].flag, "--port");
}

}  // namespace
}  // namespace outrigger::cli
