#include "console/format/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "console/format/environment.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kCommands = {"serve", "agents", "scheduler-config", "version"};

TEST(Names, SettingsHaveOneNamePerSource) {
  EXPECT_EQ(CamelCase("no-statistics-score"), "noStatisticsScore");
  EXPECT_EQ(CamelCase("max"), "max");
  EXPECT_EQ(UpperCase("no-statistics-score"), "NO_STATISTICS_SCORE");
}

TEST(Names, SuggestionIsEmptyWhenNothingIsNear) {
  EXPECT_EQ(DidYouMean("srve", kCommands), "; did you mean serve?");
  EXPECT_EQ(DidYouMean("explain", kCommands), "");
}

TEST(Names, ListsAreReadAsASentence) {
  EXPECT_EQ(Listed({}), "none");
  EXPECT_EQ(Listed({"a"}), "a");
  EXPECT_EQ(Listed({"a", "b", "c"}), "a, b and c");
}

TEST(Environment, KeepsTheFirstOfTwoAndWhatFollowsTheFirstEquals) {
  const char* const variables[] = {"A=1", "B=x=y", "EMPTY=", "NOVALUE", "A=2", nullptr};
  EXPECT_EQ(ReadEnvironment(variables), (Environment{{"A", "1"}, {"B", "x=y"}, {"EMPTY", ""}}));
}

struct LinkRow {
  std::string name;
  std::string variable;
  std::string value;
  bool is_link;
};

class ServiceLink : public ::testing::TestWithParam<LinkRow> {};

TEST_P(ServiceLink, IsToldFromASetting) {
  EXPECT_EQ(IsServiceLink(GetParam().variable, GetParam().value), GetParam().is_link);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ServiceLink,
    ::testing::Values(LinkRow{"Address", "OUTRIGGER_PORT", "tcp://10.0.0.1:80", true},
                      LinkRow{"PortNumber", "OUTRIGGER_PORT", "9870", false},
                      LinkRow{"Host", "OUTRIGGER_SERVICE_HOST", "10.0.0.1", true},
                      LinkRow{"ServicePort", "OUTRIGGER_SERVICE_PORT", "80", true},
                      LinkRow{"NamedServicePort", "OUTRIGGER_SAFE_SERVICE_PORT_HTTP", "80", true},
                      LinkRow{"PartOfAPort", "OUTRIGGER_PORT_80_TCP_ADDR", "10.0.0.1", true},
                      LinkRow{"WholePort", "OUTRIGGER_PORT_80_TCP", "tcp://10.0.0.1:80", true},
                      LinkRow{"OtherSettingWithUrl", "OUTRIGGER_BIND", "tcp://10.0.0.1:80", false},
                      LinkRow{"Setting", "OUTRIGGER_ADMIN_PORT", "9970", false}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
