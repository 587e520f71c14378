#include "console/reading/object_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Kinds(const std::string& text, absl::Status* status) {
  std::vector<std::string> kinds;
  *status = ForEachObjectInFile("f", text, [&](const json::ListedObject& object) {
    kinds.emplace_back(object.kind);
    return object.kind == "Bad" ? absl::NotFoundError("bad") : absl::OkStatus();
  });
  return kinds;
}

TEST(ObjectFile, IsJsonOrYamlOfAnyNumberOfDocuments) {
  absl::Status status;
  EXPECT_THAT(Kinds("\xEF\xBB\xBF \n{\"kind\":\"Pod\"}\n", &status), ElementsAre("Pod"));
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(Kinds("---\nkind: Node\n---\nitems: [{}, {}]\nkind: PodList\n", &status),
              ElementsAre("Node", "Pod", "Pod"));
  EXPECT_TRUE(status.ok()) << status;
}

struct Row {
  const char* name;
  const char* text;
  const char* message;
};

class BrokenObjectFile : public ::testing::TestWithParam<Row> {};

TEST_P(BrokenObjectFile, SaysWhere) {
  absl::Status status;
  Kinds(GetParam().text, &status);
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith(GetParam().message));
}

const Row kRows[] = {
    {"Empty", " \n", "f: is empty; expected objects as kubectl prints them"},
    {"JsonThatEnds", "{\"kind\":\n  \"List\", \"items\": [\n", "f:3:1: not JSON: "},
    {"JsonWithAComma", "{\"kind\":\"Pod\",\n}", "f:2:1: not JSON: "},
    {"TwoJsonObjects", "{\"kind\":\"Pod\"}\n{}", "f:2:1: not JSON: "},
    {"YamlThatEnds", "kind: [Pod\n", "f:2:1: not YAML: "},
    {"ANumberOutOfRange", "{\"kind\": 1e999}", "f: kind: expected a string, found a number"},
    {"ABreakBehindSuchANumber", "{\"a\": 1e999,\n]", "f: body: broken JSON: "},
    {"WrongType", "kind: 1", "f: kind: expected a string, found a number"},
    {"NotAnObject", "- kind: Pod", "f: body: expected a JSON object"},
    {"InALaterDocument", "kind: Pod\n---\na: 1", "f: document 2: kind: expected a kind"},
    {"OfWhoTakesThem", "kind: Bad", "f: bad"},
};
INSTANTIATE_TEST_SUITE_P(Rows, BrokenObjectFile, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
