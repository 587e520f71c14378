// Patches against what evanphx/json-patch and apimachinery's strategicpatch answer.
#include <map>
#include <memory>
#include <string>

#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_merge_patch.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger::apiserver {
namespace {

using outrigger::testing::LoadGolden;

class TableSchema final : public PatchSchema {
 public:
  explicit TableSchema(std::string name) : name_(std::move(name)) {}
  void Add(const std::string& field, Field known) { fields_[field] = known; }
  std::string Name() const override { return name_; }
  std::optional<Field> Find(std::string_view json_name) const override {
    const auto found = fields_.find(json_name);
    if (found == fields_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::string name_;
  std::map<std::string, Field, std::less<>> fields_;
};

class UpstreamPatches : public ::testing::Test {
 protected:
  UpstreamPatches() : table_(LoadGolden("upstream_patches.json")) {
    for (const Json& row : table_.at("fields")) {
      const std::string strategies = row[2];
      const PatchSchema* type = row[4] == "" ? nullptr : &SchemaOf(row[4]);
      SchemaOf(row[0]).Add(row[1], {strategies.find("merge") != std::string::npos,
                                    strategies.find("replace") != std::string::npos,
                                    row[3].get_ref<const std::string&>(), type});
    }
  }

  TableSchema& SchemaOf(const std::string& name) {
    std::unique_ptr<TableSchema>& schema = schemas_[name];
    if (!schema) schema = std::make_unique<TableSchema>(name);
    return *schema;
  }

  void CheckStrategic(const char* section, const std::string& type) {
    for (const Json& row : table_.at(section)) {
      SCOPED_TRACE(row.dump());
      Json object = row[0];
      const auto failure = ApplyStrategicMergePatch(row[1], SchemaOf(type), &object);
      if (row.size() == 3) {
        EXPECT_FALSE(failure) << failure->message;
        EXPECT_EQ(object, row[2]);
        continue;
      }
      EXPECT_TRUE(failure);
      if (!failure) continue;
      EXPECT_EQ(failure->code, row[3]);
      if (failure->code != 422) {
        EXPECT_EQ(failure->message, row[4].get<std::string>());
      }
    }
  }

  Json table_;
  std::map<std::string, std::unique_ptr<TableSchema>> schemas_;
};

TEST_F(UpstreamPatches, JsonPatchesApplyAlike) {
  size_t refused = 0;
  for (const Json& row : table_.at("json")) {
    SCOPED_TRACE(row.dump());
    Json object = row[0];
    const auto failure = ApplyJsonPatch(row[1], &object);
    EXPECT_EQ(failure.has_value(), row.size() == 2);
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
