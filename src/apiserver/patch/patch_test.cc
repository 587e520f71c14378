// What the real server answers to patches that are none; the rest is in upstream_patches_test.cc.
#include <string>

#include "apiserver/patch/patch.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kNoOperations = "error decoding patch: a JSON patch is a list of operations";
constexpr const char* kRejected = "the server rejected our request due to an error in our request";

struct Refused {
  const char* name;
  const char* type;
  const char* patch;
  int code;
  const char* message;
};

void PrintTo(const Refused& row, std::ostream* out) {
  *out << row.name;
}

class RefusedPatch : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedPatch, SaysWhy) {
  const Refused& row = GetParam();
  const Json patch = Json::parse(row.patch);
  Json object = {{"a", 1}};
  const auto failure = *row.type == 'j'   ? ApplyJsonPatch(patch, &object)
                       : *row.type == 'm' ? ApplyMergePatch(patch, &object)
                                          : ApplyStrategicMergePatch(patch, Type(), &object);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, row.code);
  EXPECT_EQ(failure->message, row.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedPatch,
    ::testing::Values(
        Refused{"object", "json", "{}", 400, kNoOperations},
        Refused{"texts", "json", R"(["a"])", 400, kNoOperations},
        Refused{"path", "json", R"([{"op":"add","path":1}])", 400, kNoOperations},
        Refused{"unknown", "json", R"([{"op":"bad","path":"/a"}])", 422, kRejected},
        Refused{"test", "json", R"([{"op":"test","path":"/a","value":2}])", 422, kRejected},
        Refused{"null", "merge", "null", 400, "error decoding patch: a merge patch is an object"},
        Refused{"list", "strategic", "[]", 400, "a strategic merge patch is an object"},
        Refused{"directive", "strategic", R"({"$patch":"turn"})", 500,
                R"(unknown patch type: turn in map: {"$patch":"turn"})"}),
    ::testing::PrintToStringParamName());

TEST(JsonPatch, BoundsOperationsCopiesAndDepth) {
  Json object = {{"a", std::string(100'000, 'x')}, {"b", Json::array()}};
  const Json copy = {{"op", "copy"}, {"from", "/a"}, {"path", "/b/-"}};
  EXPECT_FALSE(ApplyJsonPatch(Json(30, copy), &object));
  EXPECT_EQ(ApplyJsonPatch(Json(32, copy), &object)->code, 422);
  const auto failure = ApplyJsonPatch(Json(10'001, copy), &object);
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
