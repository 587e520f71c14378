// A gang of one is planned exactly where upstream's own Filter plugins let a single pod pass,
// whatever the configuration switches off: rows of tests/support/cmd/scheduler-fits.

#include <set>

#include "cli/scheduler_config/unchecked.h"
#include "console/explain_testing.h"
#include "golden.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

using nlohmann::json;

std::string UncheckedOf(const json& row) {
  return UncheckedText(ReadUnchecked(MapReader(YAML::Load(row["config"].get<std::string>()), {})));
}

// The node of the pod in the plan; empty: it has none.
std::string PlannedNode(const json& row) {
  json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", row["objects"]}};
  list["items"].push_back(row["pod"]);
  const testing::TempFile dump(list.dump(), "dump.json");
  const testing::Ran ran = RunIt({"explain", "gang", "default/p", "--cluster", dump.path(),
                                  "--unchecked", UncheckedOf(row), "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json answer = json::parse(ran.out, nullptr, false);
  for (const json& pod : answer.at("gangs").at(0).at("pods")) {
    if (pod["name"] == "p") return pod.value("node", "");
  }
  ADD_FAILURE() << ran.out;
  return "";
}

TEST(UpstreamFits, AreWhereAGangOfOneIsPlanned) {
  const json table = testing::LoadGolden("upstream_fits.json");
  ASSERT_GE(table.size(), 300U);
  size_t somewhere = 0;
  size_t unchecked = 0;
  for (const json& row : table) {
    SCOPED_TRACE(row.dump());
    const std::set<std::string> fits = row["fits"];
    const std::string node = PlannedNode(row);
    EXPECT_EQ(node.empty(), fits.empty()) << node << ", unchecked: " << UncheckedOf(row);
    EXPECT_TRUE(node.empty() || fits.contains(node)) << node << ", unchecked: " << UncheckedOf(row);
    somewhere += fits.empty() ? 0 : 1;
    unchecked += UncheckedOf(row).empty() ? 0 : 1;
  }
  EXPECT_GT(somewhere, table.size() / 4);
  EXPECT_LT(somewhere, table.size() * 3 / 4);
  EXPECT_GT(unchecked, table.size() / 4);
}

}  // namespace
}  // namespace outrigger::cli
