#include "settings.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::penalty {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PenaltyOptions, SelectLabelledClassesByDefault) {
  const auto options = OptionsFrom(Settings());
  ASSERT_TRUE(options.ok()) << options.status();
  ASSERT_TRUE(options->selector.has_value());
  EXPECT_TRUE(options->selector->Matches({{"outrigger.dev/penalise", "true"}}));
  EXPECT_FALSE(options->selector->Matches({}));
  EXPECT_EQ(options->claim.namespace_, "kube-system");
  EXPECT_EQ(options->claim.name, "outrigger-penalty");
}

TEST(PenaltyOptions, HaveTheTimesOfTheLeaseAsClientGoHasThem) {
  const auto options = OptionsFrom(Settings());
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->claim.lease_duration, std::chrono::seconds(15));
  EXPECT_EQ(options->claim.renew_deadline, std::chrono::seconds(10));
  EXPECT_EQ(options->claim.retry_period, std::chrono::seconds(2));
}

TEST(PenaltyOptions, ReadTimesInSecondsWithFractions) {
  Settings settings;
  settings.half_life = 0.25;
  settings.grace = 1.5;
  const auto options = OptionsFrom(settings);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->policy.recovery.half_life, 250);
  EXPECT_EQ(options->policy.grace, 1500);
}

struct RefusedRow {
  std::string name;
  void (*set)(Settings* settings);
  std::string setting;
  std::string value;
};

class PenaltyOptionsRefuse : public ::testing::TestWithParam<RefusedRow> {};

TEST_P(PenaltyOptionsRefuse, ByNameAndValue) {
  Settings settings;
  GetParam().set(&settings);
  const auto options = OptionsFrom(settings);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()),
              AllOf(HasSubstr(GetParam().setting + ":"), HasSubstr(GetParam().value)));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PenaltyOptionsRefuse,
    ::testing::Values(
        RefusedRow{"HalfLifeZero", [](Settings* s) { s->half_life = 0; }, "half-life", "0 s"},
        RefusedRow{"HalfLifeNegative", [](Settings* s) { s->half_life = -1; }, "half-life", "-1"},
        RefusedRow{"StepIntervalZero", [](Settings* s) { s->step_interval = 0; }, "step-interval",
                   "0 s"},
        RefusedRow{"CeilingTooHigh", [](Settings* s) { s->ceiling = "1000000001"; }, "ceiling",
                   "1000000001"},
        RefusedRow{"FloorAboveCeiling",
                   [](Settings* s) {
                     s->floor = "10";
                     s->ceiling = "9";
                   },
                   "floor", "10"},
        RefusedRow{"FloorNoNumber", [](Settings* s) { s->floor = "low"; }, "floor", "low"},
        RefusedRow{"QuantumZero", [](Settings* s) { s->quantum = "0"; }, "quantum", "0"},
        RefusedRow{"StartAboveOne", [](Settings* s) { s->start = "multiplicative 1.5"; }, "start",
                   "1.5"},
        RefusedRow{"StartWithoutKind", [](Settings* s) { s->start = "50"; }, "start", "50"},
        RefusedRow{"CompletionNegative", [](Settings* s) { s->completion = "flat -1"; },
                   "completion", "-1"},
        RefusedRow{"Selector", [](Settings* s) { s->class_selector = "a in ("; }, "class-selector",
                   "a in ("},
        RefusedRow{"NoNamespace", [](Settings* s) { s->name_space = ""; }, "namespace", "\"\""},
        RefusedRow{"NamespaceWithSpaces", [](Settings* s) { s->name_space = "Not A Name"; },
                   "namespace", "Not A Name"},
        RefusedRow{"LeaseWithTwoDots", [](Settings* s) { s->lease = "a..b"; }, "lease", "a..b"},
        RefusedRow{"NoLease", [](Settings* s) { s->lease = ""; }, "lease", "\"\""}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::penalty
