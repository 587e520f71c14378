// Settings of agents: one declaration, read as flags, files and older programs' variables are.

#include "outrigger/agent/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrigger {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Settings {
  double max_risk = 0.3;
  int64_t count = 100;
  int64_t any = -7;
  bool forecast = true;
  std::string objective = "pack";
  std::string label = "none";

  static constexpr auto kFields = std::tuple{
      Setting{"max-risk", &Settings::max_risk, Range{0, 1}, "accepted risk"}.LegacyEnv(
          "SAFEPERCENTILE", LegacyForm::kPercent),
      Setting{"count", &Settings::count, Range{1, 1'000'000'000}, "how many"}.LegacyEnv("COUNT"),
      Setting{"any", &Settings::any, "any integer"},
      Setting{"forecast", &Settings::forecast, "use forecasts"},
      Setting{"objective", &Settings::objective, "pack|balance", "what to aim at"},
      Setting{"label", &Settings::label, "a label"},
  };
};

class AgentSettings : public ::testing::Test {
 protected:
  // The error of setting `name` from `text`, or "" if it was accepted.
  std::string Set(std::string_view name, std::string_view text) {
    const SettingSpec* spec = schema_.Find(name);
    return Message(spec->parse(values_.get(), text));
  }
  std::string SetLegacy(std::string_view name, std::string_view text) {
    return Message(schema_.Find(name)->parse_legacy(values_.get(), text));
  }
  const Settings& values() const { return values_.As<Settings>(); }

  const SettingsSchema schema_ = SettingsSchema::Of<Settings>();
  SettingsValues values_ = schema_.Defaults();

 private:
  static std::string Message(const absl::Status& status) {
    if (status.ok()) return "";
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }
};

TEST_F(AgentSettings, DescribesEverySettingInOrder) {
  ASSERT_THAT(schema_.specs(), SizeIs(6));
  const SettingSpec& risk = schema_.specs()[0];
  EXPECT_EQ(risk.name, "max-risk");
  EXPECT_EQ(risk.type, "number");
  EXPECT_EQ(risk.default_text, "0.3");
  EXPECT_EQ(risk.accepted, "a number from 0 to 1");
  EXPECT_EQ(risk.help, "accepted risk");
  EXPECT_EQ(risk.legacy_env, "SAFEPERCENTILE");
  EXPECT_EQ(schema_.Find("count")->accepted, "an integer from 1 to 1000000000");
  EXPECT_EQ(schema_.Find("any")->accepted, "an integer");
  EXPECT_EQ(schema_.Find("forecast")->accepted, "true or false");
  EXPECT_EQ(schema_.Find("objective")->accepted, "one of pack|balance");
  EXPECT_EQ(schema_.Find("label")->accepted, "a text");
  EXPECT_EQ(schema_.Find("max_risk"), nullptr);
}

TEST_F(AgentSettings, StartsAtTheDefaults) {
  EXPECT_EQ(values().max_risk, 0.3);
  EXPECT_EQ(values().count, 100);
  EXPECT_EQ(values().objective, "pack");
}

TEST_F(AgentSettings, NewDefaultsAreUntouchedByEarlierValues) {
  ASSERT_EQ(Set("count", "5"), "");
  EXPECT_EQ(schema_.Defaults().As<Settings>().count, 100);
}

TEST_F(AgentSettings, PrintsThePresentValue) {
  ASSERT_EQ(Set("max-risk", "0.25"), "");
  EXPECT_EQ(schema_.Find("max-risk")->print(values_.get()), "0.25");
  EXPECT_EQ(schema_.Find("forecast")->print(values_.get()), "true");
}

TEST_F(AgentSettings, KeepsTheOldValueWhenTheNewOneIsRefused) {
  ASSERT_EQ(Set("count", "5"), "");
  ASSERT_NE(Set("count", "0"), "");
  EXPECT_EQ(values().count, 5);
}

TEST_F(AgentSettings, TakesAnOlderVariableWithoutPercentAsTheSettingItself) {
  EXPECT_EQ(SetLegacy("count", "7"), "");
  EXPECT_EQ(values().count, 7);
}

struct Row {
  std::string name;
  std::string setting;
  std::string text;
  std::string error;  // empty: accepted
};

std::string RowName(const ::testing::TestParamInfo<Row>& row) {
  return row.param.name;
}

class AgentSettingsParse : public AgentSettings, public ::testing::WithParamInterface<Row> {};

TEST_P(AgentSettingsParse, SaysWhatIsAccepted) {
  EXPECT_EQ(Set(GetParam().setting, GetParam().text), GetParam().error);
}

constexpr const char* kRisk = "a number from 0 to 1";
constexpr const char* kCount = "an integer from 1 to 1000000000";

INSTANTIATE_TEST_SUITE_P(
    Rows, AgentSettingsParse,
    ::testing::Values(
        Row{"LowestNumber", "max-risk", "0", ""}, Row{"HighestNumber", "max-risk", "1", ""},
        Row{"NumberWithExponent", "max-risk", "3e-1", ""},
        Row{"NumberPlus", "max-risk", "+0.3", ""}, Row{"NumberBelow", "max-risk", "-0.1", kRisk},
        Row{"NumberAbove", "max-risk", "1.01", kRisk}, Row{"NaN", "max-risk", "NaN", kRisk},
        Row{"Infinity", "max-risk", "Inf", kRisk}, Row{"NumberWithUnit", "max-risk", "0.3%", kRisk},
        Row{"NumberWithBlank", "max-risk", " 0.3", kRisk},
        Row{"NumberWithComma", "max-risk", "0,3", kRisk},
        Row{"NumberHex", "max-risk", "0x1p-2", kRisk}, Row{"NumberEmpty", "max-risk", "", kRisk},
        Row{"LowestInteger", "count", "1", ""}, Row{"HighestInteger", "count", "1000000000", ""},
        Row{"IntegerBelow", "count", "0", kCount},
        Row{"IntegerAbove", "count", "1000000001", kCount},
        Row{"IntegerBeyond64Bits", "count", "99999999999999999999", kCount},
        Row{"IntegerWithPoint", "count", "5.0", kCount}, Row{"IntegerHex", "count", "0x10", kCount},
        Row{"IntegerTwoSigns", "count", "+-5", kCount},
        Row{"IntegerSignOnly", "count", "+", kCount},
        Row{"IntegerWithoutRange", "any", "-9223372036854775808", ""},
        Row{"True", "forecast", "true", ""}, Row{"False", "forecast", "false", ""},
        Row{"BooleanNumber", "forecast", "1", "true or false"},
        Row{"BooleanCapital", "forecast", "True", "true or false"},
        Row{"FirstChoice", "objective", "pack", ""}, Row{"LastChoice", "objective", "balance", ""},
        Row{"ChoicePrefix", "objective", "pac", "one of pack|balance"},
        Row{"ChoicesTogether", "objective", "pack|balance", "one of pack|balance"},
        Row{"ChoiceEmpty", "objective", "", "one of pack|balance"},
        Row{"AnyText", "label", "a b|c", ""}),
    RowName);

struct PercentRow {
  std::string name;
  std::string text;
  double value;  // below 0: refused
};

std::string PercentName(const ::testing::TestParamInfo<PercentRow>& row) {
  return row.param.name;
}

class LegacyPercent : public AgentSettings, public ::testing::WithParamInterface<PercentRow> {};

// The older program read these by Go's Atoi and took its default for anything else.
TEST_P(LegacyPercent, ReadsAsAtoiReads) {
  const std::string error = SetLegacy("max-risk", GetParam().text);
  if (GetParam().value < 0) {
    EXPECT_EQ(error, "an integer from 0 to 100");
    EXPECT_EQ(values().max_risk, 0.3) << "the default stays";
  } else {
    EXPECT_EQ(error, "");
    EXPECT_EQ(values().max_risk, GetParam().value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, LegacyPercent,
    ::testing::Values(PercentRow{"Plain", "40", 0.4}, PercentRow{"Plus", "+40", 0.4},
                      PercentRow{"LeadingZeros", "0040", 0.4}, PercentRow{"Zero", "0", 0},
                      PercentRow{"MinusZero", "-0", 0}, PercentRow{"Hundred", "100", 1},
                      PercentRow{"Above", "101", -1}, PercentRow{"Negative", "-1", -1},
                      PercentRow{"Fraction", "0.8", -1}, PercentRow{"LeadingBlank", " 20", -1},
                      PercentRow{"TrailingBlank", "20 ", -1}, PercentRow{"Newline", "20\n", -1},
                      PercentRow{"PercentSign", "20%", -1}, PercentRow{"Hex", "0x14", -1},
                      PercentRow{"Underscore", "1_0", -1}, PercentRow{"Exponent", "1e1", -1},
                      PercentRow{"TwoSigns", "+-4", -1}, PercentRow{"Empty", "", -1},
                      PercentRow{"Beyond64Bits", "99999999999999999999", -1}),
    PercentName);

TEST_F(AgentSettings, PercentIsOnlyTheOlderForm) {
  EXPECT_EQ(Set("max-risk", "40"), kRisk);
}

TEST(AgentSettingsNone, AnAgentMayHaveNone) {
  EXPECT_THAT(SettingsSchema::Of<NoSettings>().specs(), SizeIs(0));
}

using AgentSettingsDeathTest = AgentSettings;

TEST_F(AgentSettingsDeathTest, StopsWhenAskedForAnotherStruct) {
  EXPECT_DEATH(values_.As<NoSettings>(), "");
}

}  // namespace
}  // namespace outrigger
