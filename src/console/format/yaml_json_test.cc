#include "console/format/yaml_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Documents(const std::string& yaml, absl::Status* status) {
  std::vector<std::string> documents;
  *status = ForEachYamlDocument("f.yaml", yaml, [&](std::string* json) {
    documents.push_back(*json);
    return absl::OkStatus();
  });
  return documents;
}

struct Row {
  const char* name;
  const char* yaml;
  const char* json;
};

class YamlAsJson : public ::testing::TestWithParam<Row> {};

TEST_P(YamlAsJson, SaysTheSame) {
  absl::Status status;
  EXPECT_THAT(Documents(GetParam().yaml, &status), ElementsAre(GetParam().json));
  EXPECT_TRUE(status.ok()) << status;
}

const Row kRows[] = {
    {"Nested", "a: {b: [1, x]}\nc:\n- d: e\n- []\n", R"({"a":{"b":[1,"x"]},"c":[{"d":"e"},[]]})"},
    {"QuotedStaysText", "[\"1\", '1', 'true', \"\", 'null']", R"(["1","1","true","","null"])"},
    {"Integers", "[0, -7, +7, 017, 0o17, 0x1F, 0b101, 1_000]", "[0,-7,7,15,15,31,5,1000]"},
    {"LargestIntegers", "[18446744073709551615, -9223372036854775808]",
     "[18446744073709551615,-9223372036854775808]"},
    {"Floats", "[1.50, .5, 1., 1e3, +2.5, 09.5, 99999999999999999999]",
     "[1.50,0.5,1,1e3,2.5,9.5,99999999999999999999]"},
    {"TruthValues", "[yes, No, on, OFF, True, y]", "[true,false,true,false,true,true]"},
    {"Nulls", "[~, null, NULL, ]", "[null,null,null]"},
    {"EmptyValue", "a:\nb: 1\n", R"({"a":null,"b":1})"},
    {"WhatOnlyLooksLikeANumber", "[1Gi, 500m, 2024-01-01, 1.2.3, 12:30, -, 0x, 1e, 1__, .]",
     R"(["1Gi","500m","2024-01-01","1.2.3","12:30","-","0x","1e",1,"."])"},
    {"KeysAreTexts", "1: a\ntrue: b\n", R"({"1":"a","true":"b"})"},
    {"BlockText", "a: |\n  x \"y\"\n  z\n", R"({"a":"x \"y\"\nz\n"})"},
    {"Tags", "[!!str 1, !!int 2, !other 3]", R"(["1",2,"3"])"},
    {"Aliases", "a: &x {b: [1]}\nc: *x\nd: [*x, &y z, *y]\n",
     R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},"z","z"]})"},
};
INSTANTIATE_TEST_SUITE_P(Rows, YamlAsJson, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

class YamlThatIsRefused : public ::testing::TestWithParam<Row> {};

TEST_P(YamlThatIsRefused, NamesThePlace) {
  absl::Status status;
  Documents(GetParam().yaml, &status);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().json));
}

const Row kRefused[] = {
    {"Broken", "a: 1\nb: [1\n", "f.yaml:3:1: not YAML: "},
    {"MergeKey", "a: &x {b: 1}\nc:\n  <<: *x\n", "f.yaml:3:3: not YAML: merge keys (<<)"},
    {"Infinity", "a: .inf", "f.yaml:1:4: not YAML: .inf is a number that JSON cannot represent"},
    {"KeyIsAMap", "{a: 1}: b", "a key must be a plain word"},
    {"AliasInItself", "&x [*x]", "not YAML: an alias of a key, or of what it is part of"},
    {"EndlessDocuments", ", a", "not YAML"},
};
INSTANTIATE_TEST_SUITE_P(Rows, YamlThatIsRefused, ::testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(YamlDocuments, AreGivenOneByOneWithoutEmptyOnes) {
  absl::Status status;
  EXPECT_THAT(Documents("---\na: 1\n---\n# nothing\n---\n- &x 2\n...\n---\n[3]\n", &status),
              ElementsAre(R"({"a":1})", "[2]", "[3]"));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(YamlDocuments, CannotBeBlownUpByAliases) {
  std::string bomb = "a0: &a0 [xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += "*a" + std::to_string(i - 1) + ", ";
    bomb += "]\n";
  }
  absl::Status status;
  Documents(bomb, &status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("aliases make the document larger"));
}

TEST(YamlDocuments, AreLimitedInDepth) {
  absl::Status status;
  Documents(std::string(100'000, '['), &status);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
}

}  // namespace
}  // namespace outrigger::cli
