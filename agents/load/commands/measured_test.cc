#include "load/commands/measured.h"

#include <string>
#include <vector>

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

// Of three nodes a has all, b no cpu, and c nothing.
std::vector<MeasuredNode> ThreeNodes() {
  const auto missing = usage::Value::Missing;
  const usage::Free none = None(usage::Gap::kNoSeries, "not there");
  return {NodeOf("c", "", none, none, missing(usage::Gap::kNoSeries, "not there")),
          NodeOf("a", "instance=10.0.0.1:9100 (address)", FreeOf(3000, 250), FreeOf(2e9, 0),
                 usage::Value::Of(30)),
          NodeOf("b", "node=b (node name)", None(usage::Gap::kNotFinite, "the value is \033 nan"),
                 FreeOf(9e9, 0), missing(usage::Gap::kFailed, "it is off"))};
}

TEST(Measured, IsATableOfWhatIsUsedOrWhyThatIsNotKnown) {
  const std::string heading =
      "NODE  SINCE                 WINDOW    CPU  DEVIATION  MEMORY  DEVIATION  SERIES            "
      "                NO VALUE\n";
  const std::string a =
      "a     2027-01-15T07:50:00Z    600s  25.0%       6.3%   75.0%       0.0%  "
      "instance=10.0.0.1:9100 (address)  -\n";
  const std::string b =
      "b     2027-01-15T07:50:00Z    600s      -          -    0.0%       0.0%  "
      "node=b (node name)                cpu: not-finite: the value is \\x1b nan; "
      "congestion-factor: failed: it is off\n";
  const std::string c =
      "c     -                          -      -          -       -          -  -                  "
      "               cpu, memory and congestion-factor: no-series: not there\n";
  EXPECT_EQ(MeasuredText(ThreeNodes(), "table", {}), heading + a + b + c);
}

TEST(Measured, IsJsonAndYamlWithTheSameReasons) {
  const auto json = nlohmann::json::parse(MeasuredText(ThreeNodes(), "json", {}));
  ASSERT_EQ(json["nodes"].size(), 3U);
  const nlohmann::json a = {{"node", "a"},
                            {"series", "instance=10.0.0.1:9100 (address)"},
                            {"since", "2027-01-15T07:50:00Z"},
                            {"windowSeconds", 600},
                            {"cpu", {{"usedPercent", 25.0}, {"deviationPercent", 6.3}}},
                            {"memory", {{"usedPercent", 75.0}, {"deviationPercent", 0.0}}}};
  EXPECT_EQ(json["nodes"][0], a);
  EXPECT_FALSE(json["nodes"][1].contains("cpu"));
  EXPECT_EQ(json["nodes"][1]["noValue"][0]["cause"], "not-finite");
  const nlohmann::json why = {{"of", {"cpu", "memory", "congestion-factor"}},
                              {"cause", "no-series"},
                              {"reason", "not there"}};
  EXPECT_EQ(json["nodes"][2]["noValue"], nlohmann::json::array({why}));
  EXPECT_FALSE(json["nodes"][2].contains("since"));
  const YAML::Node yaml = YAML::Load(MeasuredText(ThreeNodes(), "yaml", {}));
  EXPECT_EQ(yaml["nodes"][0]["memory"]["usedPercent"].as<double>(), 75);
  EXPECT_EQ(yaml["nodes"][2]["noValue"][0]["reason"].as<std::string>(), "not there");
}

TEST(Measured, ANodeWithoutAllocatableHasNoShare) {
  std::vector<MeasuredNode> nodes = ThreeNodes();
  nodes[1].cpu = nodes[1].memory = 0;
  EXPECT_EQ(nlohmann::json::parse(MeasuredText({nodes[1]}, "json", {}))["nodes"][0].contains("cpu"),
            false);
}

}  // namespace
}  // namespace outrigger::cli
