// Schemas of custom resources against what apiextensions-apiserver answers.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "apiserver/crd/structural_schema.h"
#include "apiserver/failure.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

std::set<std::string> TextsOf(const std::vector<Cause>& causes) {
  std::set<std::string> texts;
  for (const Cause& one : causes) texts.insert(one.field + ": " + one.reason + ": " + one.message);
  return texts;
}

// Parts of rows that are different here: rare formats are not checked, multipleOf does not cut what
// it divides by, and no property at all is as a property that is not known.
constexpr const char* kDifferent[] = {"must be of type hostname", "must be of type uuid",
                                      "factor MultipleOf",        R"("spec":{"time":5})",
                                      R"("spec":{"time":[]})",    R"("spec":{"closed":{"x":1}})"};

TEST(StructuralSchema, DoesToObjectsWhatUpstreamDoes) {
  const Json table = testing::LoadGolden("upstream_definitions.json");
  ASSERT_GT(table.at("objects").size(), 70);
  for (const Json& row : table.at("objects")) {
    const std::string text = row.dump();
    SCOPED_TRACE(text);
    const auto is_in_row = [&](const char* part) { return text.find(part) != std::string::npos; };
    if (std::any_of(std::begin(kDifferent), std::end(kDifferent), is_in_row)) continue;
    StructuralSchema schema;
    std::vector<Cause> causes;
    ASSERT_TRUE(schema.Compile(row[0], "s", &causes)) << Json(TextsOf(causes));
    Json object = row[1];
    schema.SetDefaults(&object);
    EXPECT_EQ(object, row[2]);
    std::vector<std::string> unknown;
    schema.Prune(&object, &unknown);
    EXPECT_EQ(object, row[3]);
    EXPECT_EQ(Json(unknown), row[4]);
    std::set<std::string> upstream;
    for (const Json& c : row[5]) {
      upstream.merge(TextsOf({{c["reason"], c["message"], c["field"]}}));
    }
    const std::set<std::string> ours = TextsOf(schema.Validate(object).causes);
    EXPECT_EQ(ours.empty(), upstream.empty());
    EXPECT_TRUE(std::includes(upstream.begin(), upstream.end(), ours.begin(), ours.end()))
        << Json(ours);
  }
}

TEST(StructuralSchema, NamesTheRulesThatItDoesNotCheck) {
  StructuralSchema schema;
  std::vector<Cause> causes;
  ASSERT_TRUE(schema.Compile(Json::parse(R"({"type":"object","properties":{"spec":{"type":"object",
      "properties":{"mail":{"type":"array","items":{"type":"string","format":"email"}}},
      "x-kubernetes-validations":[{"rule":"self.a > 1"},{"rule":"self.a >"}]}}})"),
                             "s", &causes));
  const Json object = Json::parse(R"({"spec":{"mail":["x","y"]}})");
  EXPECT_EQ(
      schema.Validate(object).unchecked,
      (std::vector<std::string>{"the format email of spec.mail[0]", "the rule self.a > of spec"}));
  EXPECT_TRUE(schema.Validate(Json::object()).unchecked.empty());
}

TEST(StructuralSchema, WithoutOneEverythingIsKept) {
  Json object = Json::parse(R"({"spec":{"a":[1,null]}})");
  const Json before = object;
  const StructuralSchema schema;
  schema.SetDefaults(&object);
  schema.Prune(&object, nullptr);
  EXPECT_EQ(object, before);
  EXPECT_TRUE(schema.Validate(object).causes.empty());
}

}  // namespace
}  // namespace outrigger::apiserver
