#include "penalty/classes/policy.h"

#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "gmock/gmock.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;

struct BadRow {
  std::string name;
  std::function<void(Policy*)> change;
  std::string message;
};
std::ostream& operator<<(std::ostream& out, const BadRow& row) {
  return out << row.name;
}

class BadPolicyTest : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadPolicyTest, IsRefusedByNameAndReason) {
  Policy policy;
  GetParam().change(&policy);
  const absl::Status status = policy.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Settings, BadPolicyTest,
    ::testing::ValuesIn(std::vector<BadRow>{
        {"HalfLife0", [](Policy* p) { p->recovery.half_life = 0; },
         "half-life: 0 s is not accepted; expected more than 0 s"},
        {"HalfLifeNegative", [](Policy* p) { p->recovery.half_life = -1500; },
         "half-life: -1.5 s is not accepted"},
        {"HalfLifeOfAges", [](Policy* p) { p->recovery.half_life = INT64_MAX; }, "half-life"},
        {"StepIntervalZero", [](Policy* p) { p->recovery.step_interval = 0; },
         "step-interval: 0 s"},
        {"StepZero", [](Policy* p) { p->recovery.step = 0; }, "step: 0 is not accepted"},
        {"StepNan", [](Policy* p) { p->recovery.step = kNan; }, "step: nan is not accepted"},
        {"GraceNegative", [](Policy* p) { p->grace = -1; }, "grace: -0.001 s is not accepted"},
        {"CoalesceNegative", [](Policy* p) { p->coalesce = -1000; }, "coalesce: -1 s"},
        {"StartNegative",
         [](Policy* p) {
           p->start = {Increment::Kind::kFlat, -1};
         },
         "start: flat -1 is not accepted; expected \"flat N\""},
        {"StartNan",
         [](Policy* p) {
           p->start = {Increment::Kind::kFlat, kNan};
         },
         "start: flat nan"},
        {"CompletionAboveOne",
         [](Policy* p) {
           p->completion = {Increment::Kind::kMultiplicative, 1.5};
         },
         "completion: multiplicative 1.5 is not accepted"},
        {"QuantumZero", [](Policy* p) { p->quantum = 0; }, "quantum: 0 is not accepted"},
        {"CeilingTooHigh", [](Policy* p) { p->ceiling = 1'000'000'001; },
         "ceiling: 1000000001 is not accepted; expected an integer from -2147483648 to 1000000000"},
        {"FloorTooLow", [](Policy* p) { p->floor = INT64_MIN; }, "floor: -9223372036854775808"},
        {"FloorAboveCeiling",
         [](Policy* p) {
           p->floor = 10;
           p->ceiling = 9;
         },
         "floor: 10 is not accepted; expected at most the ceiling, 9"},
    }),
    ::testing::PrintToStringParamName());

TEST(PolicyTest, TheDefaultsAreAccepted) {
  EXPECT_TRUE(Policy().Validate().ok());
}

TEST(PolicyTest, EachSettingIsSetByItsName) {
  Policy policy;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"start", "flat 50"},
                                                        {"completion", "multiplicative 0.25"},
                                                        {"recovery", "steps"},
                                                        {"half-life", "7.5"},
                                                        {"step", "12.5"},
                                                        {"step-interval", "30"},
                                                        {"grace", "0"},
                                                        {"coalesce", "0.25"},
                                                        {"quantum", "5"},
                                                        {"floor", "-3"},
                                                        {"ceiling", "900"},
                                                        {"allow-crossing", "true"}}) {
    EXPECT_TRUE(policy.Set(name, text).ok()) << name;
  }
  const Policy expected = {.start = {Increment::Kind::kFlat, 50},
                           .completion = {Increment::Kind::kMultiplicative, 0.25},
                           .recovery = {Recovery::Kind::kSteps, 7'500, 12.5, 30'000},
                           .grace = 0,
                           .coalesce = 250,
                           .quantum = 5,
                           .floor = -3,
                           .ceiling = 900,
                           .allow_crossing = true};
  EXPECT_EQ(policy, expected);
}

TEST(PolicyTest, AMalformedTextIsRefusedAndNamedForEachSetting) {
  for (const std::string_view name : SettingNames()) {
    for (const std::string_view text : {"", "x", "1 ", " 1", "inf", "nan", "0x10", "flat", "flat x",
                                        "flat  1", "99999999999999999999999"}) {
      Policy policy;
      const absl::Status status = policy.Set(name, text);
      if (status.ok()) {  // a step may be huge, until it is validated
        EXPECT_TRUE(name == "step" && text.size() > 10) << name << " " << text;
        continue;
      }
      EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(name) + ": \""));
      EXPECT_EQ(policy, Policy());
    }
  }
  EXPECT_FALSE(Policy().Set("halflife", "1").ok());
}

TEST(PolicyTest, AnIncrementIsReadAsItWasWritten) {
  for (const Increment& increment : {Increment{}, Increment{Increment::Kind::kFlat, 1.0 / 3},
                                     Increment{Increment::Kind::kMultiplicative, 0.1}}) {
    Increment read;
    ASSERT_TRUE(ParseIncrement(IncrementText(increment), &read).ok());
    EXPECT_EQ(read, increment);
  }
}

TEST(PolicyTest, TheQuantumIsATwentiethOfBaseAndAtLeastOne) {
  EXPECT_EQ(QuantumOf(Policy(), 1000), 50);
  EXPECT_EQ(QuantumOf(Policy(), 0), 1);
  EXPECT_EQ(QuantumOf(Policy(), -1000), 50);
  Policy policy;
  policy.quantum = 7;
  EXPECT_EQ(QuantumOf(policy, 1000), 7);
}

}  // namespace
}  // namespace outrigger::penalty
