#include "load/commands/measured.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "load/annotate/usage_values.h"
#include "load/usage/source.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

annotate::NodeValues ValuesOf(const std::string& name, const usage::NodeReading& reading) {
  annotate::NodeValues values =
      annotate::UsageValues(reading, {"congestion-factor"}, {.end = 1'800'000'000, .window = 600});
  values.node = name;
  return values;
}

usage::Free FreeOf(double mean, double deviation) {
  return {.mean = usage::Value::Of(mean),
          .deviation = usage::Value::Of(deviation),
          .forecast = usage::Value()};
}

usage::Free None(usage::Gap gap, const std::string& why) {
  const usage::Value value = usage::Value::Missing(gap, why);
  return {.mean = value, .deviation = value, .forecast = value};
}

MeasuredNode NodeOf(const std::string& name, const std::string& series, const usage::Free& cpu,
                    const usage::Free& memory, const usage::Value& factor) {
  usage::NodeReading reading;
  reading.matched_by = series;
  reading.cpu = cpu;
  reading.memory = memory;
  reading.further = {factor};
  return {.values = ValuesOf(name, reading), .cpu = 4000, .memory = 8e9};
}

// Those of docs/annotators.md: the first has all values, the second no cpu, the third none.
std::vector<MeasuredNode> ThreeNodes() {
  const auto missing = usage::Value::Missing;
  const std::string jobs = "2 series, with job=a, job=b; a label matcher can choose one";
  const usage::Free none = None(usage::Gap::kSeveralSeries, jobs);
  return {NodeOf("worker-3", "", none, none, missing(usage::Gap::kSeveralSeries, jobs)),
          NodeOf("worker-1", "instance=10.0.0.1:9100 (address)", FreeOf(3000, 250),
                 FreeOf(2e9, 3e7), usage::Value::Of(30)),
          NodeOf("worker-2", "node=worker-2 (node name)",
                 None(usage::Gap::kNotFinite, "the value is nan"), FreeOf(9e9, 0),
                 missing(usage::Gap::kFailed, "HTTP status 503"))};
}

TEST(Measured, IsTheTableOfThePage) {
  std::ifstream file(OUTRIGGER_ANNOTATORS_PAGE);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const std::string table = MeasuredText(ThreeNodes(), "table", {});
  EXPECT_THAT(page, ::testing::HasSubstr("```\n" + table + "```\n"));
}

TEST(Measured, IsJsonAndYamlWithTheSameReasons) {
  const auto json = nlohmann::json::parse(MeasuredText(ThreeNodes(), "json", {}));
  ASSERT_EQ(json["nodes"].size(), 3U);
  const nlohmann::json a = {{"node", "worker-1"},
                            {"series", "instance=10.0.0.1:9100 (address)"},
                            {"since", "2027-01-15T07:50:00Z"},
                            {"windowSeconds", 600},
                            {"cpu", {{"usedPercent", 25.0}, {"deviationPercent", 6.3}}},
                            {"memory", {{"usedPercent", 75.0}, {"deviationPercent", 0.4}}}};
  EXPECT_EQ(json["nodes"][0], a);
  EXPECT_FALSE(json["nodes"][1].contains("cpu"));
  EXPECT_EQ(json["nodes"][1]["noValue"][0]["cause"], "not-finite");
  const nlohmann::json why = {
      {"of", {"cpu", "memory", "congestion-factor"}},
      {"cause", "several-series"},
      {"reason", "2 series, with job=a, job=b; a label matcher can choose one"}};
  EXPECT_EQ(json["nodes"][2]["noValue"], nlohmann::json::array({why}));
  EXPECT_FALSE(json["nodes"][2].contains("since"));
  const YAML::Node yaml = YAML::Load(MeasuredText(ThreeNodes(), "yaml", {}));
  EXPECT_EQ(yaml["nodes"][0]["memory"]["usedPercent"].as<double>(), 75);
  EXPECT_EQ(yaml["nodes"][2]["noValue"][0]["cause"].as<std::string>(), "several-series");
}

TEST(Measured, ANodeWithoutAllocatableHasNoShare) {
  std::vector<MeasuredNode> nodes = ThreeNodes();
  nodes[1].cpu = nodes[1].memory = 0;
  EXPECT_EQ(nlohmann::json::parse(MeasuredText({nodes[1]}, "json", {}))["nodes"][0].contains("cpu"),
            false);
}

}  // namespace
}  // namespace outrigger::cli
