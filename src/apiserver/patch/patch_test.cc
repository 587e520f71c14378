// What the real server answers to patches that are none; the rest is in upstream_patches_test.cc.
#include <string>

#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_merge_patch.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

class NoFields final : public PatchSchema {
 public:
  std::string Name() const override { return "None"; }
  std::optional<Field> Find(std::string_view) const override { return std::nullopt; }
};

struct Refused {
  const char* name;
  const char* patch;
  int code;
  const char* message;
};

void PrintTo(const Refused& row, std::ostream* out) {
  *out << row.name;
}

class RefusedJsonPatch : public ::testing::TestWithParam<Refused> {};
class RefusedMergePatch : public ::testing::TestWithParam<Refused> {};
class RefusedStrategicPatch : public ::testing::TestWithParam<Refused> {};

void ExpectRefused(const std::optional<Failure>& failure, const Refused& row) {
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, row.code);
  EXPECT_EQ(failure->message, row.message);
}

TEST_P(RefusedJsonPatch, SaysWhatTheServerSays) {
  Json object = {{"a", 1}};
  ExpectRefused(ApplyJsonPatch(Json::parse(GetParam().patch), &object), GetParam());
}

constexpr const char* kRejected = "the server rejected our request due to an error in our request";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedJsonPatch,
    ::testing::Values(
        Refused{"object", "{}", 400,
                "error decoding patch: json: cannot unmarshal object into Go value of type "
                "[]handlers.jsonPatchOp"},
        Refused{"number", "1", 400,
                "error decoding patch: json: cannot unmarshal number into Go value of type "
                "[]handlers.jsonPatchOp"},
        Refused{"texts", R"(["a"])", 400,
                "error decoding patch: json: cannot unmarshal string into Go value of type "
                "handlers.jsonPatchOp"},
        Refused{"path", R"([{"op":"add","path":1}])", 400,
                "error decoding patch: json: cannot unmarshal number into Go struct field "
                "jsonPatchOp.path of type string"},
        Refused{"unknown", R"([{"op":"bad","path":"/a"}])", 422, kRejected},
        Refused{"test", R"([{"op":"test","path":"/a","value":2}])", 422, kRejected}),
    ::testing::PrintToStringParamName());

TEST_P(RefusedMergePatch, SaysWhatTheServerSays) {
  Json object = {{"a", 1}};
  ExpectRefused(ApplyMergePatch(Json::parse(GetParam().patch), &object), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedMergePatch,
    ::testing::Values(Refused{"null", "null", 400, "Invalid JSON Patch"},
                      Refused{"list", "[]", 400,
                              "error decoding patch: json: cannot unmarshal array into Go value "
                              "of type map[string]interface {}"}),
    ::testing::PrintToStringParamName());

TEST_P(RefusedStrategicPatch, SaysWhatTheServerSays) {
  Json object = Json::parse(R"({"a":{"b":{}}})");
  ExpectRefused(ApplyStrategicMergePatch(Json::parse(GetParam().patch), NoFields(), &object),
                GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedStrategicPatch,
    ::testing::Values(Refused{"list", "[]", 400,
                              "json: cannot unmarshal array into Go value of type "
                              "map[string]interface {}"},
                      Refused{"field", R"({"a":{}})", 500,
                              "unable to find api field in struct None for the json field \"a\""}),
    ::testing::PrintToStringParamName());

TEST(JsonPatch, BoundsOperationsCopiesAndDepth) {
  Json object = {{"a", std::string(100'000, 'x')}, {"b", Json::array()}};
  const Json copy = {{"op", "copy"}, {"from", "/a"}, {"path", "/b/-"}};
  EXPECT_FALSE(ApplyJsonPatch(Json(30, copy), &object));
  EXPECT_EQ(ApplyJsonPatch(Json(32, copy), &object)->code, 422);
  const auto failure = ApplyJsonPatch(Json(10'001, Json()), &object);
  EXPECT_EQ(failure->code, 413);
  EXPECT_EQ(failure->message,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, "
            "got 10001");

  std::string deep(990, '[');
  deep.append(990, ']');
  object = {{"a", Json::parse(deep)}, {"b", {{"c", Json::object()}}}};
  const auto move = [](const char* to) {
    return Json::array({{{"op", "move"}, {"from", "/a"}, {"path", to}}});
  };
  EXPECT_FALSE(ApplyJsonPatch(move("/b/c/d"), &object));
  EXPECT_FALSE(ApplyJsonPatch(Json::parse(R"([{"op":"move","from":"/b","path":"/a"}])"), &object));
  object["e"] = Json::parse("[[[[[[[[[]]]]]]]]]");
  EXPECT_EQ(ApplyJsonPatch(move("/e/0/0/0/0/0/0/0/0/-"), &object)->code, 422);
}

}  // namespace
}  // namespace outrigger::apiserver
