#include "outrigger/k8s/quantity.h"

#include <string>
#include <type_traits>

#include "builders.h"
#include "golden.h"
#include "gtest/gtest.h"

namespace outrigger {
namespace {

using testing::Q;

struct Row {
  const char* name;
  std::string text;
  int64_t value;
  int64_t milli;
  const char* printed;
};

// The cases that a reader should know; thousands more are in upstream_test.cc.
const Row kRows[] = {
    {"Integer", "2", 2, 2000, "2"},
    {"FractionRoundsUp", "0.0001", 1, 1, "100u"},
    {"NegativeRoundsAwayFromZero", "-1.5", -2, -1500, "-1500m"},
    {"BinaryFractionTakesSmallerSuffix", "1.5Gi", 1610612736, 1610612736000, "1536Mi"},
    {"BinaryFractionThatDoesNotDivideIsDecimal", "1.1Ki", 1127, 1126400, "1126400m"},
    {"BinaryBelow1024IsDecimal", "0.5Ki", 512, 512000, "512"},
    {"LargestSuffixWins", "1024Ki", 1048576, 1048576000, "1Mi"},
    {"ExponentStays", "12e6", 12000000, 12000000000, "12e6"},
    {"BelowNanoRoundsUpToNano", "1e-12", 1, 1, "1e-9"},
    {"TextThatUpstreamTakesForCanonicalStays", "1.234", 2, 1234, "1.234"},
    {"PlusAndLeadingZerosStay", "+0005", 5, 5000, "+0005"},
    {"MilliPastInt64IsZero", "1E", 1000000000000000000, 0, "1E"},
    {"BinaryIsCappedAtInt64", "8Ei", INT64_MAX, -1000, "9223372036854775807"},
    {"ValuePastInt64IsCutInSlowForm", "9223372036854775808", INT64_MIN, 0, "9223372036854775808"},
    {"PowerOfTenWithoutSuffixIsDropped", "1000E", 0, 0, "1"},
    {"BareSuffixIsZero", "Ki", 0, 0, "0"},
};

TEST(Quantity, AnswersAsUpstream) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const auto quantity = Quantity::Parse(row.text);
    ASSERT_TRUE(quantity.ok()) << quantity.status();
    EXPECT_EQ(quantity->Value(), row.value);
    EXPECT_EQ(quantity->MilliValue(), row.milli);
    EXPECT_EQ(quantity->ToString(), row.printed);
  }
}

TEST(Quantity, HoldsTheReferenceTable) {
  size_t errors = 0;
  for (const auto& row : testing::LoadGolden("quantity.json")) {
    const auto text = row["input"].get<std::string>();
    SCOPED_TRACE(text);
    const auto quantity = Quantity::Parse(text);
    const auto& go = row["go"];
    if (go.contains("error")) {
      EXPECT_EQ(quantity.status().code(), absl::StatusCode::kInvalidArgument);
      ++errors;
      continue;
    }
    ASSERT_TRUE(quantity.ok()) << quantity.status();
    EXPECT_EQ(std::to_string(quantity->Value()), go["value"].get<std::string>());
    EXPECT_EQ(std::to_string(quantity->MilliValue()), go["milli"].get<std::string>());
    EXPECT_EQ(quantity->ToString(), go["canonical"].get<std::string>());
    EXPECT_EQ(quantity->AsInt64().has_value(), go["asint64_ok"]);
    EXPECT_EQ(std::to_string(quantity->AsInt64().value_or(0)), go["asint64"].get<std::string>());
  }
  EXPECT_EQ(errors, 10u);
}

TEST(Quantity, ErrorNamesTextAndGrammar) {
  EXPECT_EQ(
      Quantity::Parse("1.2.3").status().message(),
      "quantity \"1.2.3\": want digits with an optional sign, point, and suffix (n u m k M G T "
      "P E Ki Mi Gi Ti Pi Ei, or an exponent such as e3)");
}

TEST(Quantity, ErrorShowsHostileTextEscapedAndShort) {
  const std::string message(Quantity::Parse("1\r\n" + std::string(1000, 'x')).status().message());
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_NE(message.find("1\\r\\nxxx"), std::string::npos) << message;
  EXPECT_LT(message.size(), 200u);
}

TEST(Quantity, RefusesWhatWouldCostUnboundedTime) {
  const struct {
    const char* name;
    std::string text;
  } rows[] = {
      {"HugeExponent", "1e999999999"},
      {"HugeNegativeExponent", "1e-999999999"},
      {"ExponentThatWrapsInt32Upstream", "1e4294967299"},
      {"ExponentPastInt64", "1e99999999999999999999"},
      {"MillionDigits", std::string(1'000'000, '9')},
      {"MillionLeadingZeros", std::string(1'000'000, '0') + "1"},
      {"MillionDecimalPlaces", "0." + std::string(1'000'000, '9')},
      {"MoreThan38Digits", std::string(39, '9')},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Quantity::Parse(row.text).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Quantity, AcceptsTheLargestThatItHolds) {
  EXPECT_TRUE(Quantity::Parse(std::string(38, '9')).ok());
  EXPECT_TRUE(Quantity::Parse("1e999").ok());
  EXPECT_TRUE(Quantity::Parse("1e-999").ok());
  EXPECT_TRUE(Quantity::Parse("0." + std::string(253, '9')).ok());
  EXPECT_EQ(Q("0." + std::string(250, '9') + "Ei").Value(), int64_t{1} << 60);
}

TEST(Quantity, ComparesValuesAcrossFormatsAndMagnitudes) {
  EXPECT_EQ(Q("1024"), Q("1Ki"));
  EXPECT_EQ(Q("0.1"), Q("100m"));
  EXPECT_EQ(Q("0e999"), Q("0"));
  EXPECT_LT(Q("1n"), Q("1e999"));
  EXPECT_LT(Q("-1e999"), Q("-1n"));
  EXPECT_LT(Q("-1n"), Q("0"));
  EXPECT_GT(Q("1e999"), Q("99999999999999999999999999999999999999"));
  EXPECT_LT(Q("9223372036854775807"), Q("9223372036854775808"));
}

TEST(Quantity, SumTakesTheFormatOfTheFirstThatIsNotZero) {
  EXPECT_EQ((Q("1Ki") + Q("1k")).ToString(), "2024");
  EXPECT_EQ((Q("1Ki") + Q("1k")).format(), Quantity::Format::kBinarySI);
  EXPECT_EQ((Quantity() + Q("1Gi")).ToString(), "1Gi");
  EXPECT_EQ((Q("1Gi") - Q("512Mi")).ToString(), "512Mi");
}

TEST(Quantity, SumForgetsHowItWasSpelled) {
  EXPECT_EQ((Q("1.234") + Quantity()).ToString(), "1234m");
}

TEST(Quantity, SumPast38DigitsRoundsAwayFromZero) {
  EXPECT_GT(Q("1e100") + Q("1n"), Q("1e100"));
  EXPECT_LT(Q("1e100") + Q("1n"), Q("2e100"));
  const Quantity largest = Q(std::string(38, '9'));
  EXPECT_EQ((largest + largest).ToDouble(), 2e38);
}

TEST(Quantity, SumOfFastFormsStaysExactPastInt64) {
  const Quantity max = Quantity::FromInt(INT64_MAX);
  EXPECT_EQ((max + Quantity::FromInt(1)).ToString(), "9223372036854775808");
  EXPECT_EQ((Quantity() - Quantity::FromInt(INT64_MIN)).ToString(), "9223372036854775808");
  EXPECT_EQ((max + max - max).ToString(), "9223372036854775807");
}

TEST(Quantity, IsAPlainValue) {
  static_assert(std::is_trivially_copyable_v<Quantity>);
  static_assert(sizeof(Quantity) <= 32);
  EXPECT_EQ(Quantity().ToString(), "0");
  EXPECT_EQ(Quantity::FromMilli(1500).ToString(), "1500m");
  EXPECT_EQ(Quantity::FromInt(1 << 20, Quantity::Format::kBinarySI).ToString(), "1Mi");
  EXPECT_EQ(Quantity::FromInt(INT64_MIN).ToString(), "-9223372036854775808");
}

TEST(Quantity, ToDoubleIsTheNearestDouble) {
  EXPECT_EQ(Q("0.1").ToDouble(), 0.1);
  EXPECT_EQ(Q("1.1Gi").ToDouble(), 1181116006.4);
  EXPECT_EQ(Q("12345678901234567890.123456789").ToDouble(), 12345678901234567890.123456789);
  EXPECT_EQ(Q("1e30").ToDouble(), 1e30);
  EXPECT_EQ(Q("-1e999").ToDouble(), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace outrigger
