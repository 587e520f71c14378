#include <cmath>
#include <limits>

#include "builders.h"
#include "fake_cluster.h"
#include "fmt/format.h"
#include "load/annotate/node_values.h"
#include "load/annotate/usage_source.h"
#include "load/annotate/usage_values.h"

namespace outrigger::annotate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::IsEmpty;
using testing::MakeNode;
using ::testing::Not;
using usage::Gap;
using usage::Value;

constexpr Measurement kTime{.end = 1'800'000'000, .window = 86'400};

usage::NodeReading Reading() {
  usage::NodeReading node;
  node.matched_by = "instance=10.0.0.1:9100";
  node.cpu = {Value::Of(2500.4), Value::Of(399.5), Value::Of(2000)};
  node.memory = {Value::Of(155597063), Value::Of(30372823), Value::Of(2e8)};
  return node;
}

std::string CauseOf(const NodeValues& values, const std::string& key) {
  for (const MissingValue& missing : values.missing) {
    if (missing.annotation == key) return missing.cause;
  }
  return "";
}

TEST(UsageValues, AreIntegersUnderBothSpellings) {
  EXPECT_EQ(UsageValues(Reading(), {}, kTime).values,
            (Annotations{{"mean-free-cpu", "2500"},
                         {"std-free-cpu", "400"},
                         {"forecasted-free-cpu", "2000"},
                         {"forcasted-free-cpu", "2000"},
                         {"mean-free-memory", "155597063"},
                         {"std-free-memory", "30372823"},
                         {"forecasted-free-memory", "200000000"},
                         {"forcasted-free-memory", "200000000"}}));
}

TEST(UsageValues, WhatCannotBeHadIsMissingAndNeverZero) {
  const struct {
    Value value;
    std::string cause;
    Lack lack;
  } rows[] = {
      {Value::Missing(Gap::kNoSeries, "no such node"), "no-series", Lack::kLost},
      {Value::Missing(Gap::kSeveralSeries, ""), "several-series", Lack::kLost},
      {Value::Missing(Gap::kNotFinite, ""), "not-finite", Lack::kLost},
      {Value::Missing(Gap::kUnit, ""), "unit", Lack::kLost},
      {Value::Missing(Gap::kFailed, ""), "failed", Lack::kFailed},
      {Value::Missing(Gap::kTooYoung, ""), "too-young", Lack::kLost},
      {Value::Of(std::numeric_limits<double>::quiet_NaN()), "not-finite", Lack::kLost},
      {Value::Of(std::numeric_limits<double>::infinity()), "not-finite", Lack::kLost},
      {Value::Of(1e300), "not-finite", Lack::kLost},
  };
  for (const auto& row : rows) {
    usage::NodeReading node = Reading();
    node.cpu.mean = row.value;
    const NodeValues values = UsageValues(node, {}, kTime);
    EXPECT_FALSE(values.values.contains("mean-free-cpu")) << row.cause;
    EXPECT_EQ(values.values.size(), 7U);  // the others are there
    ASSERT_EQ(values.missing.size(), 1U);
    EXPECT_EQ(values.missing[0].cause, row.cause);
    EXPECT_EQ(values.missing[0].lack, row.lack) << row.cause;
  }
}

TEST(UsageValues, ANodeOfWhichNothingIsKnownYetKeepsWhatItShows) {
  const Value young = Value::Missing(Gap::kTooYoung, "");
  usage::NodeReading node;
  node.cpu = node.memory = {young, young, young};
  NodeValues values = UsageValues(node, {}, kTime);
  ASSERT_EQ(values.missing.size(), 8U);
  for (const MissingValue& missing : values.missing) EXPECT_EQ(missing.lack, Lack::kNotYet);
  node.cpu.mean = Value::Of(1);
  values = UsageValues(node, {}, kTime);
  for (const MissingValue& missing : values.missing) EXPECT_EQ(missing.lack, Lack::kLost);
}

TEST(UsageValues, AForecastThatIsOffIsNotCounted) {
  usage::NodeReading node = Reading();
  node.cpu.forecast = {};
  const NodeValues values = UsageValues(node, {}, kTime);
  EXPECT_EQ(CauseOf(values, "forecasted-free-cpu"), "off");
  EXPECT_EQ(values.missing[0].lack, Lack::kOff);
}

TEST(UsageValues, NoAmountBecomesZeroAndFurtherValuesStayAsTheyAre) {
  usage::NodeReading node = Reading();
  node.memory.mean = Value::Of(-5);
  node.cpu.mean = Value::Of(0.12);
  node.cpu.deviation = Value::Of(0);
  node.further = {Value::Of(-0.25), Value::Of(37.4), Value::Missing(Gap::kNoSeries, "")};
  const NodeValues values =
      UsageValues(node, {"a.example/x", "congestion-factor", "a.example/z", "short"}, kTime);
  EXPECT_EQ(CauseOf(values, "mean-free-memory"), "unit");
  EXPECT_EQ(values.values.at("mean-free-cpu"), "1");
  EXPECT_EQ(values.values.at("std-free-cpu"), "0");
  EXPECT_EQ(values.values.at("a.example/x"), "-0.25");
  EXPECT_EQ(values.values.at("congestion-factor"), "37");
  EXPECT_EQ(CauseOf(values, "a.example/z"), "no-series");
  EXPECT_EQ(CauseOf(values, "short"), "no-series");
}

/// Answers what a test says.
class FakeUsage final : public usage::Source {
 public:
  absl::StatusOr<usage::Reading> Read(std::span<const usage::NodeQuestion> nodes,
                                      std::stop_token /*stop*/) override {
    questions.assign(nodes.begin(), nodes.end());
    usage::Reading reading;
    for (size_t i = 0; i < nodes.size(); ++i) {
      reading.nodes.push_back(Reading());
      reading.nodes.back().further = {Value::Of(0.5)};
      reading.nodes.back().known = known;
    }
    if (is_short) reading.nodes.pop_back();
    reading.end_ms = 1'800'000'000'999;
    reading.window = std::chrono::hours(24);
    reading.notes = {fmt::format("the clock of Prometheus is {} s ahead", 95 + reads++)};
    return reading;
  }
  std::string Name() const override { return "a fake"; }

  std::vector<usage::NodeQuestion> questions;
  bool is_short = false;
  std::chrono::seconds known{0};
  int reads = 0;
};

class UsageSourceTest : public ::testing::Test {
 protected:
  UsageSourceTest() {
    Node node = MakeNode("a").Allocatable("cpu", "3920m").Allocatable("memory", "1985744Ki");
    node.addresses = {{"Hostname", "a.example"},
                      {"InternalIP", "10.0.0.1"},
                      {"ExternalIP", "1.2.3.4"},
                      {"InternalIP", "fd00::1"}};
    cluster_.Put(node);
  }
  UsageSource Make(UsageOptions options) {
    auto fake = std::make_unique<FakeUsage>();
    fake_ = fake.get();
    return {std::move(fake), std::move(options),
            [this](const std::string& line) { warnings_.push_back(line); }};
  }

  FakeCluster cluster_;
  FakeUsage* fake_ = nullptr;
  std::vector<std::string> warnings_;
};

TEST_F(UsageSourceTest, StatesTheWindowThatANodeHas) {
  UsageSource source = Make({});
  const auto stated = [&](std::chrono::seconds known) {
    fake_->known = known;
    return source.Compute(cluster_.Take()->snapshot, Scope::kAll, {})->at(0).measured->window;
  };
  EXPECT_EQ(stated(std::chrono::seconds(0)), 86'400) << "not known";
  EXPECT_EQ(stated(std::chrono::seconds(600)), 600);
  EXPECT_EQ(stated(std::chrono::hours(23)), 86'400) << "some scrapes were missed";
}

TEST_F(UsageSourceTest, AsksForNodesByNameAndInternalAddresses) {
  UsageSource source = Make({});
  const auto values = source.Compute(cluster_.Take()->snapshot, Scope::kAll, {});
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_EQ(fake_->questions.size(), 1U);
  EXPECT_EQ(fake_->questions[0].name, "a");
  EXPECT_THAT(fake_->questions[0].addresses, ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_EQ(fake_->questions[0].cpu, 3920);
  EXPECT_EQ(fake_->questions[0].memory, 1985744.0 * 1024);
  EXPECT_EQ(values->at(0).node, "a");
  EXPECT_EQ(values->at(0).series, "instance=10.0.0.1:9100");
  EXPECT_EQ(PrintMeasurement(*values->at(0).measured), "2027-01-15T08:00:00Z/86400s");
  for (const auto& [key, text] : values->at(0).values) EXPECT_THAT(source.Keys(), Contains(key));
  EXPECT_THAT(source.Keys(), Contains(kMeasured));
}

TEST_F(UsageSourceTest, NotesOfTheSourceAreWarnedAboutOnce) {
  UsageSource source = Make({});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(source.Compute(cluster_.Take()->snapshot, Scope::kAll, {}).ok());
  }
  EXPECT_THAT(warnings_, ElementsAre("the clock of Prometheus is 95 s ahead"));
}

TEST_F(UsageSourceTest, AFactorThatIsARatioIsWarnedAbout) {
  UsageSource source = Make(
      {.further = {"congestion-factor"}, .original_arithmetic = false, .needs_history = false});
  ASSERT_TRUE(source.Compute(cluster_.Take()->snapshot, Scope::kAll, {}).ok());
  EXPECT_THAT(warnings_, Contains("congestion-factor: no value is above 0.5, but agents read "
                                  "integers: multiply a ratio by 100"));
}

TEST(UsageValues, FactorsAreOddIfAllAreFractions) {
  const auto odd = [](double a, double b) {
    std::vector<usage::NodeReading> nodes(2);
    nodes[0].further = {Value::Of(a)};
    nodes[1].further = {Value::Of(b)};
    return !OddFactors(nodes, {"congestion-factor"}).empty();
  };
  EXPECT_TRUE(odd(0.2, 0));
  EXPECT_FALSE(odd(0, 1)) << "rounded by the query";
  EXPECT_FALSE(odd(0.2, 40));
}

TEST_F(UsageSourceTest, AnAnswerForOtherNodesIsAnError) {
  UsageSource source = Make({});
  fake_->is_short = true;
  EXPECT_FALSE(source.Compute(cluster_.Take()->snapshot, Scope::kAll, {}).ok());
}

TEST_F(UsageSourceTest, OriginalArithmeticHasItsUnitsAndAnnotations) {
  Pod pod = testing::MakePod("p").Requests({{"memory", "260Mi"}}).AddContainer({{"memory", "1Gi"}});
  pod.node_name = "a";
  pod.phase = "Running";
  cluster_.Put(pod);
  UsageSource source =
      Make({.further = {"own"}, .original_arithmetic = true, .needs_history = false});
  const auto values = source.Compute(cluster_.Take()->snapshot, Scope::kAll, {});
  ASSERT_TRUE(values.ok());
  Annotations texts = values->at(0).values;
  EXPECT_EQ(texts["allocatable_memory"], "1985744000");
  EXPECT_EQ(texts["reqested_memory"], "261000000");
  EXPECT_EQ(texts["mean-free-memory"], "155597063");
  EXPECT_EQ(texts["forcasted-free-memory"], "200000000");
  EXPECT_FALSE(texts.contains("forcasted-free-cpu"));
  EXPECT_FALSE(values->at(0).measured.has_value());
  // What annotate usage wrote before is removed, and what the settings ask for is written.
  std::vector<std::string> off;
  for (const MissingValue& missing : values->at(0).missing) {
    if (missing.lack == Lack::kOff) off.push_back(missing.annotation);
    EXPECT_THAT(source.Keys(), Contains(missing.annotation));
  }
  EXPECT_THAT(off, ::testing::UnorderedElementsAre("forecasted-free-cpu", "forcasted-free-cpu",
                                                   "forecasted-free-memory", kMeasured));
  EXPECT_EQ(texts["own"], "0.5");
  EXPECT_EQ(fake_->questions[0].memory, 1985744000);
  EXPECT_EQ(fake_->questions[0].requested_memory, 261000000);
}

TEST(OriginalUsage, AbsurdAmountsAreTheLargest) {
  EXPECT_EQ(OriginalAmount("1985744Ki", 1000), 1'985'744'000);
  EXPECT_EQ(OriginalAmount("9999999999999999Ki", 1'000'000), std::numeric_limits<int64_t>::max());
}

TEST_F(UsageSourceTest, AbsurdRequestsAreTheLargestInSum) {
  for (const char* name : {"p", "q", "r"}) {
    Pod pod = testing::MakePod(name).Requests({{"memory", "9000000000001"}});
    pod.node_name = "a";
    pod.phase = "Running";
    cluster_.Put(pod);
  }
  UsageSource source = Make({.further = {}, .original_arithmetic = true, .needs_history = false});
  const auto values = source.Compute(cluster_.Take()->snapshot, Scope::kAll, {});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values->at(0).values.at("reqested_memory"), "9223372036854775807");
}

TEST(OriginalUsage, AForecastThatIsOffOrFailedIsAText) {
  usage::NodeReading node = Reading();
  node.memory.forecast = {};
  EXPECT_EQ(OriginalUsageValues(node, {}, {}).values.at("forcasted-free-memory"), "N/A");
  node.memory.forecast = Value::Missing(Gap::kFailed, "");
  EXPECT_EQ(OriginalUsageValues(node, {}, {}).values.at("forcasted-free-memory"), "None");
}

}  // namespace
}  // namespace outrigger::annotate
