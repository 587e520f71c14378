// Patches against what evanphx/json-patch and apimachinery's strategicpatch answer.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/patch/patch.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

using outrigger::testing::LoadGolden;

// Patches that upstream refuses, and that are taken for what they say: an order that another list
// has, or lists whose items are of several types or have no key.
constexpr std::string_view kTaken[] = {"no elements in any",
                                       "list element types",
                                       "The order in patch list",
                                       "declared merge key: ",
                                       "invalid patch format of setElementOrder",
                                       "invalid patch format of primitive list",
                                       "expected a map[string]interface {}, but",
                                       "unable to find api field",
                                       "value for key 0"};

bool IsTaken(const std::string& refusal) {
  return std::any_of(std::begin(kTaken), std::end(kTaken), [&](std::string_view part) {
    return refusal.find(part) != std::string::npos;
  });
}

// Of null members, which are as good as none, upstream keeps some.
Json WithoutNulls(const Json& value) {
  Json object = Json::object();
  EXPECT_FALSE(ApplyMergePatch({{"v", value}}, &object));
  return object["v"];
}

class UpstreamPatches : public ::testing::Test {
 protected:
  UpstreamPatches() : table_(LoadGolden("upstream_patches.json")) {
    for (const Json& row : table_.at("fields")) {
      const std::string strategies = row[2];
      Field field;
      field.name = row[1].get_ref<const std::string&>();
      field.merges = strategies.find("merge") != std::string::npos;
      field.replaces = strategies.find("replace") != std::string::npos;
      field.merge_key = row[3].get_ref<const std::string&>();
      if (row[4] != "") field.type = &types_[row[4]];
      types_[row[0]].fields.push_back(field);
    }
    for (auto& [name, type] : types_) type.Flatten();
  }

  void CheckStrategic(const char* section, const std::string& type) {
    size_t different = 0;
    for (const Json& row : table_.at(section)) {
      SCOPED_TRACE(row.dump());
      Json object = row[0];
      const auto failure = ApplyStrategicMergePatch(row[1], types_.at(type), &object);
      if (row.size() == 3) {
        different += failure || WithoutNulls(object) != WithoutNulls(row[2]);
      } else if (failure) {
        EXPECT_TRUE(failure->code == 400 || failure->code == 500) << failure->message;
      } else {
        EXPECT_TRUE(IsTaken(row[4]));
      }
    }
    // An item whose key is null, and an order of items that none of the lists has.
    EXPECT_LE(different, 2);
  }

  Json table_;
  std::map<std::string, Type> types_;
};

TEST_F(UpstreamPatches, JsonPatchesApplyAlike) {
  size_t refused = 0;
  for (const Json& row : table_.at("json")) {
    SCOPED_TRACE(row.dump());
    Json object = row[0];
    const auto failure = ApplyJsonPatch(row[1], &object);
    const bool spaced = row[1].dump().find("/ ") != std::string::npos;  // spaces are no matter
    EXPECT_TRUE(spaced || failure.has_value() == (row.size() == 2));
    if (!failure && row.size() == 3) {
      EXPECT_EQ(object, row[2]);
    }
    refused += row.size() == 2;
  }
  EXPECT_GT(refused, 100);
}

TEST_F(UpstreamPatches, MergePatchesApplyAlike) {
  for (const Json& row : table_.at("merge")) {
    SCOPED_TRACE(row.dump());
    Json object = row[0];
    EXPECT_FALSE(ApplyMergePatch(row[1], &object));
    EXPECT_EQ(object, row[2]);
  }
}

TEST_F(UpstreamPatches, StrategicPatchesApplyAlike) {
  CheckStrategic("strategic", "whole");
}

TEST_F(UpstreamPatches, StrategicPatchesOfPodsApplyAlike) {
  CheckStrategic("pods", "Pod");
}

}  // namespace
}  // namespace outrigger::apiserver
