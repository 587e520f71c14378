#include "console/settings/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

// "key=text@line:column" for each value, with quotes where it was quoted.
std::vector<std::string> Values(const std::string& text) {
  const auto values = ParseConfigFile("o.yaml", text);
  if (!values.ok()) return {std::string(values.status().message())};
  std::vector<std::string> found;
  for (const FileValue& value : *values) {
    const std::string quote = value.quoted ? "'" : "";
    found.push_back(value.key + "=" + quote + value.text + quote + "@" + value.place.substr(7));
  }
  return found;
}

struct FileRow {
  std::string name;
  std::string text;
  std::vector<std::string> values;
};

class ConfigFile : public ::testing::TestWithParam<FileRow> {};

TEST_P(ConfigFile, ReadsValuesWithTheirPlaces) {
  EXPECT_EQ(Values(GetParam().text), GetParam().values);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ConfigFile,
    ::testing::Values(
        FileRow{"Nothing", "", {}}, FileRow{"OnlyAComment", "# nothing\n", {}},
        FileRow{
            "TopLevel", "port: 9870\nlogLevel: debug\n", {"port=9870@1:7", "logLevel=debug@2:11"}},
        FileRow{"Section", "safe:\n  maxRisk: 0.3\n", {"safe.maxRisk=0.3@2:12"}},
        FileRow{"FlowSection",
                "safe: {maxRisk: 0.3, weight: 2}",
                {"safe.maxRisk=0.3@1:17", "safe.weight=2@1:30"}},
        FileRow{"Json", R"({"safe": {"maxRisk": 0.3}})", {"safe.maxRisk=0.3@1:22"}},
        FileRow{"Quoted", "port: \"9870\"", {"port='9870'@1:7"}},
        FileRow{"ListOfAgents", "agents: [safe, congestion]", {"agents=safe,congestion@1:9"}},
        FileRow{"AgentsAsText", "agents: safe,congestion", {"agents=safe,congestion@1:9"}},
        FileRow{"Alias", "a: &x 1\nb: *x\n", {"a=1@1:4", "b=1@1:4"}}),
    [](const auto& row) { return row.param.name; });

struct ErrorRow {
  std::string name;
  std::string text;
  std::string error;
};

class ConfigFileError : public ::testing::TestWithParam<ErrorRow> {};

TEST_P(ConfigFileError, NamesThePlaceAndTheKey) {
  const auto values = ParseConfigFile("o.yaml", GetParam().text);
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(values.status().message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ConfigFileError,
    ::testing::Values(
        ErrorRow{"NotAMapping", "- a", "o.yaml:1:1: a settings file must be a mapping"},
        ErrorRow{"KeyTwice", "port: 1\nbind: x\nport: 2",
                 "o.yaml:3:1: port is given twice, first at o.yaml:1:1"},
        ErrorRow{"KeyTwiceInSection", "safe: {maxRisk: 0.1, maxRisk: 0.2}",
                 "o.yaml:1:22: safe.maxRisk is given twice"},
        ErrorRow{"KeyTwiceInTwoWays", "safe.maxRisk: 0.1\nsafe: {maxRisk: 0.2}",
                 "o.yaml:2:8: safe.maxRisk is given twice, first at o.yaml:1:1"},
        ErrorRow{"ControlCharacterInAKey", "safe: {\"a\\e[2J\": 1, \"a\\e[2J\": 2}",
                 "safe.a\\x1b[2J is given twice"},
        ErrorRow{"ControlCharacterInBrokenYaml", "a: \"\\\x07\"",
                 "unknown escape character: \\x07"},
        ErrorRow{"NoEndOfEmptyDocuments", ", a\n- b",
                 "o.yaml:1:1: not YAML: no value begins like this"},
        ErrorRow{"NoValue", "safe:\n  maxRisk:\n", "safe.maxRisk has no value"},
        ErrorRow{"EmptySection", "safe: {}", "o.yaml:1:7: safe is empty"},
        ErrorRow{"ListForAValue", "port: [1, 2]", "o.yaml:1:7: port is a list"},
        ErrorRow{"MappingForAValue", "safe: {maxRisk: {a: 1}}",
                 "o.yaml:1:17: safe.maxRisk is a mapping"},
        ErrorRow{"MappingInAddresses", "adminBind: [{a: 1}]",
                 "o.yaml:1:13: adminBind: an element must be an address"},
        ErrorRow{"MappingInAgents", "agents: [{a: 1}]",
                 "agents: an element must be the name of an agent"},
        ErrorRow{"MappingAsKey", "{a: 1}: 2", "a key must be a plain word"},
        ErrorRow{"BrokenFlow", "safe: {maxRisk: 0.3", "not YAML"},
        ErrorRow{"Tab", "safe:\n\tmaxRisk: 0.3",
                 "o.yaml:2:1: not YAML: a tab in the indentation; YAML takes blanks there"},
        ErrorRow{"UnknownAlias", "a: *x", "not YAML"},
        ErrorRow{"TwoDocuments", "a: 1\n---\nb: 2\n", "has 2 documents"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
