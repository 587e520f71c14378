// Schemas of custom resources against what apiextensions-apiserver answers.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/crd/structural_schema.h"
#include "apiserver/failure.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

Json SortedCauses(const std::vector<Cause>& causes) {
  Json rows = Json::array();
  for (const Cause& cause : causes) {
    rows.push_back({{"field", cause.field}, {"message", cause.message}, {"reason", cause.reason}});
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(StructuralSchema, DoesToObjectsWhatUpstreamDoes) {
  const Json table = testing::LoadGolden("upstream_definitions.json");
  ASSERT_GT(table.at("objects").size(), 80);
  for (const Json& row : table.at("objects")) {
    SCOPED_TRACE(row.dump());
    StructuralSchema schema;
    std::vector<Cause> causes;
    ASSERT_TRUE(schema.Compile(row[0], "s", &causes)) << SortedCauses(causes);
    Json object = row[1];
    schema.SetDefaults(&object);
    EXPECT_EQ(object, row[2]);
    std::vector<std::string> unknown;
    schema.Prune(&object, &unknown);
    EXPECT_EQ(object, row[3]);
    EXPECT_EQ(Json(unknown), row[4]);
    EXPECT_EQ(SortedCauses(schema.Validate(object)), row[5]);
  }
}

TEST(StructuralSchema, NamesTheRulesThatItDoesNotCheck) {
  StructuralSchema schema;
  std::vector<Cause> causes;
  ASSERT_TRUE(schema.Compile(Json::parse(R"({"type":"object","properties":{"spec":{"type":"object",
      "x-kubernetes-validations":[{"rule":"self.a > 1"}]}}})"),
                             "s", &causes));
  EXPECT_EQ(schema.UncheckedRules(),
            std::vector<std::string>{"openAPIV3Schema.properties[spec]: self.a > 1"});
}

TEST(StructuralSchema, WithoutOneEverythingIsKept) {
  Json object = Json::parse(R"({"spec":{"a":[1,null]}})");
  const Json before = object;
  const StructuralSchema schema;
  schema.SetDefaults(&object);
  schema.Prune(&object, nullptr);
  EXPECT_EQ(object, before);
  EXPECT_TRUE(schema.Validate(object).empty());
}

}  // namespace
}  // namespace outrigger::apiserver
