// The prototype's own tests, byte for byte, and its table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/commands/schedule/schedule_testing.h"
#include "golden.h"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;
using ::testing::HasSubstr;
using testing::LoadGolden;
using testing::Ran;

constexpr std::string_view kConstraintsPrefix = "error evaluating constraints: ";

std::vector<Tree> ObjectsOf(const Tree& input) {
  std::vector<Tree> objects;
  for (const char* key : {"claims", "pools", "classes", "drivers"}) {
    if (!input.contains(key)) continue;
    objects.insert(objects.end(), input[key].begin(), input[key].end());
  }
  return objects;
}

Ran Original(const Tree& input, std::vector<std::string> further = {},
             const Environment& environment = {}) {
  further.insert(further.begin(), "--original-results");
  return ScheduleOn(ObjectsOf(input), further, environment);
}

TEST(OriginalResults, OfItsOwnTestsAreTheSameBytes) {
  const Tree table = LoadGolden("device_schedules.json");
  ASSERT_EQ(table.at("cases").size(), 8U);
  for (const Tree& row : table.at("cases")) {
    SCOPED_TRACE(row.at("id"));
    EXPECT_EQ(Original(row).out, row.at("text"));
    EXPECT_EQ(Original(row, {"-v"}).out, row.at("verbose"));
    EXPECT_EQ(Original(row, {}, {{"VERBOSE", "y"}}).out, row.at("verbose"));
    EXPECT_EQ(Original(row, {}, {{"VERBOSE", "n"}}).out, row.at("text"));
    EXPECT_EQ(Original(row).err, "");
  }
}

// The text after this prefix is for information.
void CutReasons(Tree* value) {
  if (value->is_object() && value->contains("failureReason")) {
    const std::string text = (*value)["failureReason"];
    if (text.starts_with(kConstraintsPrefix)) (*value)["failureReason"] = kConstraintsPrefix;
  }
  if (!value->is_structured()) return;
  for (Tree& part : *value) CutReasons(&part);
}

TEST(OriginalResults, OfItsTableAreTheSame) {
  const Tree table = LoadGolden("devices.json");
  for (const Tree& row : table.at("pools_dialect")) {
    SCOPED_TRACE(row.at("id"));
    const Ran ran = Original(row.at("input"), {"-o", "json"});
    const Tree& prototype = row.at("prototype");
    if (prototype.contains("panic")) {
      EXPECT_EQ(ran.code, 2);
      EXPECT_THAT(ran.err, HasSubstr("there are no claims"));
      continue;
    }
    Tree nodes = Tree::array();
    Tree summaries = Tree::array();
    for (const Tree& node : prototype.at("nodes")) {
      nodes.push_back({{"NodeName", node.at("node")}, {"DeviceClaimResults", node.at("claims")}});
      summaries.push_back(node.at("summary"));
    }
    Tree results = Tree::parse(ran.out);
    CutReasons(&nodes);
    CutReasons(&results["nodeResults"]);
    EXPECT_EQ(results["nodeResults"], nodes);
    EXPECT_EQ(results["summaries"], summaries);
    const Tree& winners = prototype.at("winners");
    EXPECT_EQ(results["node"], winners.empty() ? Tree() : winners.at(0));
    EXPECT_EQ(results["score"], winners.empty() ? 0 : 100);
  }
}

}  // namespace
}  // namespace outrigger::cli
