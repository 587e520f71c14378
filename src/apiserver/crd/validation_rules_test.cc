// What rules in CEL refuse; the real server's answers are in tests/golden/lab/rules.answers.
#include "apiserver/crd/validation_rules.h"

#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

// "field: message" of each cause; `old`: "" for a new object.
std::vector<std::string> Broken(const Json& schema, const char* object, const char* old = "") {
  ValidationRules rules;
  rules.Compile(schema);
  const Json before = Json::parse(old, nullptr, false);
  std::vector<Cause> causes;
  rules.Check(schema, Json::parse(object), before.is_discarded() ? nullptr : &before, &causes);
  std::vector<std::string> texts;
  for (const Cause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

// Of a field `a` with that schema.
Json FieldSchema(const char* field) {
  return {{"type", "object"}, {"properties", {{"a", Json::parse(field)}}}};
}

struct Row {
  const char* name;
  const char* schema;
  const char* object;
  const char* old;
  std::vector<std::string> broken;
};

class ValidationRulesTable : public ::testing::TestWithParam<Row> {};

TEST_P(ValidationRulesTable, SayWhatIsBroken) {
  const Row& row = GetParam();
  EXPECT_EQ(Broken(FieldSchema(row.schema), row.object, row.old), row.broken);
}

constexpr const char* kImmutable =
    R"json({"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]})json";
constexpr const char* kOnce =
    R"json({"type":"integer","x-kubernetes-validations":[
      {"rule":"oldSelf.hasValue() || self == 1","optionalOldSelf":true,"message":"begins at 1"}]})json";
constexpr const char* kParts =
    R"json({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"],
      "items":{"type":"object","properties":{"k":{"type":"string"},"l":{"type":"integer"},
        "n":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}})json";
constexpr const char* kPlainList =
    R"json({"type":"array","items":{"type":"integer",
      "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}})json";
constexpr const char* kPlaces =
    R"json({"type":"object","additionalProperties":{"type":"object",
      "x-kubernetes-validations":[{"rule":"!has(self.b)","message":" no b\n",
        "fieldPath":".c['d.e'].f","reason":"FieldValueForbidden"}]}})json";
constexpr const char* kNullable =
    R"json({"type":"object","properties":{"b":{"type":"string","nullable":true}},
      "x-kubernetes-validations":[{"rule":"!has(self.b)"}]})json";
constexpr const char* kEither =
    R"json({"x-kubernetes-int-or-string":true,
      "x-kubernetes-validations":[{"rule":"type(self) == int ? self < 10 : self == 'many'"}]})json";
constexpr const char* kDate =
    R"json({"type":"string","format":"date",
      "x-kubernetes-validations":[{"rule":"self.getFullYear() == 2027"}]})json";
constexpr const char* kNumber =
    R"json({"type":"number","x-kubernetes-validations":[{"rule":"self * 2.0 < 5.0"}]})json";
constexpr const char* kUnknown =
    R"json({"type":"string","x-kubernetes-validations":[{"rule":"self ="},{"rule":"f(self)"}]})json";
constexpr const char* kFree =
    R"json({"type":"object","x-kubernetes-preserve-unknown-fields":true,
      "x-kubernetes-validations":[{"rule":"self.my.b.all(x, x < 3)"}]})json";
constexpr const char* kSet =
    R"json({"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"},
      "x-kubernetes-validations":[{"rule":"self == oldSelf","message":"stays"}]})json";

INSTANTIATE_TEST_SUITE_P(
    Schemas, ValidationRulesTable,
    ::testing::Values(
        Row{"NewHasNoTransition", kImmutable, R"({"a":"b"})", "", {}},
        Row{"AddedHasNoTransition", kImmutable, R"({"a":"b"})", "{}", {}},
        Row{"Same", kImmutable, R"({"a":"b"})", R"({"a":"b"})", {}},
        Row{"Changed",
            kImmutable,
            R"({"a":"b"})",
            R"({"a":"c"})",
            {"a: Invalid value: \"b\": failed rule: self == oldSelf"}},
        Row{"OptionalOld", kOnce, R"({"a":2})", "", {"a: Invalid value: 2: begins at 1"}},
        Row{"OptionalOldIsThere", kOnce, R"({"a":2})", R"({"a":1})", {}},
        Row{"ItemsByKeys",
            kParts,
            R"({"a":[{"k":"x","l":2,"n":1},{"k":"x","l":1,"n":2},{"k":"y","l":1,"n":0}]})",
            R"({"a":[{"k":"x","l":1,"n":3},{"k":"x","l":2,"n":1}]})",
            {"a[1].n: Invalid value: 2: failed rule: self >= oldSelf"}},
        Row{"ItemsOfOtherListsHaveNoOld", kPlainList, R"({"a":[1]})", R"({"a":[2]})", {}},
        Row{"Places",
            kPlaces,
            R"({"a":{"x.y":{"b":1}}})",
            "",
            {"a[x.y].c[d.e].f: Forbidden: no b"}},
        Row{"NullIsAbsent", kNullable, R"({"a":{"b":null}})", "", {}},
        Row{"Null", kNullable, R"({"a":null})", "", {}},
        Row{"EitherNumber",
            kEither,
            R"({"a":10})",
            "",
            {"a: Invalid value: 10: failed rule: type(self) == int ? self < 10 : self == 'many'"}},
        Row{"EitherText", kEither, R"({"a":"many"})", "", {}},
        Row{"Date", kDate, R"({"a":"2027-12-31"})", "", {}},
        Row{"WholeNumber", kNumber, R"({"a":2})", "", {}},
        Row{"LargeNumber",
            kNumber,
            R"({"a":18446744073709551615})",
            "",
            {"a: Invalid value: 18446744073709551615: failed rule: self * 2.0 < 5.0"}},
        Row{"NotCompiled", kUnknown, R"({"a":"b"})", "", {}},
        Row{"WithoutSchema",
            kFree,
            R"({"a":{"my":{"b":[1,2.5,3]}}})",
            "",
            {"a: Invalid value: failed rule: self.my.b.all(x, x < 3)"}},
        Row{"SetInAnotherOrder", kSet, R"({"a":[1,2]})", R"({"a":[2,1]})", {}},
        Row{"OtherSet", kSet, R"({"a":[1,2]})", R"({"a":[3,1]})", {"a: Invalid value: stays"}}),
    [](const auto& row) { return row.param.name; });

TEST(ValidationRules, CostsAreBounded) {
  const Json schema = FieldSchema(
      R"json({"type":"array","items":{"type":"integer","x-kubernetes-validations":[
        {"rule":"lists.range(20000).all(i, i >= 0)"}]}})json");
  const std::string over =
      "Invalid value: \"integer\": validation failed due to running out of cost budget, no further "
      "validation rules will be run";
  const std::string list = Json({{"a", std::vector<int>(200, 1)}}).dump();
  const auto broken = Broken(schema, list.c_str());
  ASSERT_EQ(broken.size(), 1);
  EXPECT_TRUE(broken[0].ends_with(over)) << broken[0];
  EXPECT_FALSE(broken[0].starts_with("a[0]")) << "each of them is cheap enough";

  const Json costly = FieldSchema(
      R"json({"type":"integer","x-kubernetes-validations":[
        {"rule":"lists.range(1000001).size() > 0"},{"rule":"false"}]})json");
  EXPECT_EQ(Broken(costly, R"({"a":1})"), std::vector<std::string>{"a: " + over});
}

// Sets of many items in another order are compared for a while only.
TEST(ValidationRules, WorkIsBounded) {
  std::vector<int> up(20'000);
  for (int i = 0; i < 20'000; ++i) up[static_cast<size_t>(i)] = i;
  const std::vector<int> down(up.rbegin(), up.rend());
  const auto broken = Broken(FieldSchema(kSet), Json({{"a", up}}).dump().c_str(),
                             Json({{"a", down}}).dump().c_str());
  ASSERT_EQ(broken.size(), 1);
  EXPECT_NE(broken[0].find("running out of cost budget"), std::string::npos) << broken[0];
}

TEST(ValidationRules, AreSkippedForWhatIsMissing) {
  ValidationRules rules;
  std::vector<Cause> causes = {RequiredValue("a")};
  rules.AddSkipped(&causes);
  EXPECT_EQ(causes.size(), 1) << "there are none";
  rules.Compile(FieldSchema(kImmutable));
  rules.AddSkipped(&causes);
  ASSERT_EQ(causes.size(), 2);
  EXPECT_EQ(causes[1].field, "<nil>");
  causes = {InvalidValue("a", 1, "should be 2")};
  rules.AddSkipped(&causes);
  EXPECT_EQ(causes.size(), 1);
}

}  // namespace
}  // namespace outrigger::apiserver
