// Annotations as numbers, read as the Go programs that write them would read them back.

#include "outrigger/agent/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "builders.h"

namespace outrigger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using testing::RecordingDiagnostics;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Node Annotated(const std::string& text) {
  return MakeNode("a").Annotation("key", text);
}

struct IntRow {
  std::string name;
  std::string text;
  std::optional<int64_t> value;
};

class AnnotationInt : public ::testing::TestWithParam<IntRow> {};

TEST_P(AnnotationInt, ReadsAsParseIntReads) {
  OwnedRequest request(MakePod(), {Annotated(GetParam().text)});
  EXPECT_EQ(request->AnnotationInt(request->nodes[0], "key"), GetParam().value);
  if (GetParam().value.has_value()) {
    EXPECT_THAT(request.diagnostics().entries, IsEmpty());
  } else {
    EXPECT_THAT(
        request.diagnostics().entries,
        ElementsAre(RecordingDiagnostics::Entry{"a", "key", GetParam().text, "a base-10 integer"}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, AnnotationInt,
    ::testing::Values(
        IntRow{"Plain", "5", 5}, IntRow{"Minus", "-5", -5}, IntRow{"Plus", "+5", 5},
        IntRow{"LeadingZeros", "007", 7}, IntRow{"MinusZero", "-0", 0},
        IntRow{"Largest", "9223372036854775807", INT64_MAX},
        IntRow{"Smallest", "-9223372036854775808", INT64_MIN},
        IntRow{"AboveLargest", "9223372036854775808", std::nullopt},
        IntRow{"BelowSmallest", "-9223372036854775809", std::nullopt},
        IntRow{"Fraction", "50.0", std::nullopt}, IntRow{"LeadingBlank", " 5", std::nullopt},
        IntRow{"TrailingBlank", "5 ", std::nullopt}, IntRow{"Empty", "", std::nullopt},
        IntRow{"SignOnly", "-", std::nullopt}, IntRow{"PlusOnly", "+", std::nullopt},
        IntRow{"TwoPluses", "++5", std::nullopt}, IntRow{"PlusMinus", "+-5", std::nullopt},
        IntRow{"Hex", "0x5", std::nullopt}, IntRow{"Underscore", "1_000", std::nullopt},
        IntRow{"Exponent", "1e3", std::nullopt}, IntRow{"Word", "x", std::nullopt}),
    [](const auto& row) { return row.param.name; });

TEST(AnnotationIntAbsent, IsNothingAndNotReported) {
  OwnedRequest request(MakePod(), {MakeNode("a")});
  EXPECT_EQ(request->AnnotationInt(request->nodes[0], "key"), std::nullopt);
  EXPECT_EQ(request->AnnotationDouble(request->nodes[0], "key"), std::nullopt);
  EXPECT_THAT(request.diagnostics().entries, IsEmpty());
}

struct DoubleRow {
  std::string name;
  std::string text;
  std::optional<double> value;
};

class AnnotationDouble : public ::testing::TestWithParam<DoubleRow> {};

TEST_P(AnnotationDouble, ReadsAsParseFloatReads) {
  OwnedRequest request(MakePod(), {Annotated(GetParam().text)});
  const std::optional<double> value = request->AnnotationDouble(request->nodes[0], "key");
  if (!GetParam().value.has_value()) {
    EXPECT_EQ(value, std::nullopt);
    EXPECT_THAT(
        request.diagnostics().entries,
        ElementsAre(RecordingDiagnostics::Entry{"a", "key", GetParam().text, "a decimal number"}));
    return;
  }
  ASSERT_TRUE(value.has_value());
  EXPECT_THAT(request.diagnostics().entries, IsEmpty());
  if (std::isnan(*GetParam().value)) {
    EXPECT_TRUE(std::isnan(*value));
  } else {
    EXPECT_EQ(*value, *GetParam().value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, AnnotationDouble,
    ::testing::Values(
        DoubleRow{"Integer", "1700", 1700}, DoubleRow{"Fraction", "0.25", 0.25},
        DoubleRow{"Exponent", "1.6e3", 1600}, DoubleRow{"CapitalExponent", "1.6E+3", 1600},
        DoubleRow{"Plus", "+2.5", 2.5}, DoubleRow{"Minus", "-2.5", -2.5},
        DoubleRow{"NoLeadingDigit", ".5", 0.5}, DoubleRow{"NoTrailingDigit", "5.", 5},
        DoubleRow{"LeadingZeros", "000.5", 0.5},
        DoubleRow{"Largest", "1.7976931348623157e308", 1.7976931348623157e308},
        DoubleRow{"TooLarge", "1e309", std::nullopt}, DoubleRow{"TooLow", "-1e309", std::nullopt},
        DoubleRow{"TooSmallIsZero", "1e-400", 0.0}, DoubleRow{"Denormal", "5e-324", 5e-324}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    NotFinite, AnnotationDouble,
    ::testing::Values(DoubleRow{"NaN", "NaN", kNaN}, DoubleRow{"LowerNan", "nan", kNaN},
                      DoubleRow{"Inf", "Inf", kInf}, DoubleRow{"LowerInf", "inf", kInf},
                      DoubleRow{"Infinity", "infinity", kInf},
                      DoubleRow{"CapitalInfinity", "Infinity", kInf},
                      DoubleRow{"PlusInf", "+Inf", kInf}, DoubleRow{"MinusInf", "-Inf", -kInf},
                      DoubleRow{"PlusNaN", "+NaN", std::nullopt},
                      DoubleRow{"MinusNaN", "-nan", std::nullopt},
                      DoubleRow{"NaNWithPayload", "nan(1)", std::nullopt},
                      DoubleRow{"HalfInfinity", "infi", std::nullopt}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(Refused, AnnotationDouble,
                         ::testing::Values(DoubleRow{"Empty", "", std::nullopt},
                                           DoubleRow{"Blank", " 5", std::nullopt},
                                           DoubleRow{"TrailingBlank", "5 ", std::nullopt},
                                           DoubleRow{"Unit", "5Mi", std::nullopt},
                                           DoubleRow{"Hex", "0x1p4", std::nullopt},
                                           DoubleRow{"Underscore", "1_000", std::nullopt},
                                           DoubleRow{"Comma", "1,5", std::nullopt},
                                           DoubleRow{"TwoSigns", "+-1", std::nullopt},
                                           DoubleRow{"PointOnly", ".", std::nullopt},
                                           DoubleRow{"SignOnly", "+", std::nullopt},
                                           DoubleRow{"HalfExponent", "1e", std::nullopt}),
                         [](const auto& row) { return row.param.name; });

TEST(RequestWhy, IsFormattedOnlyForWhoReadsIt) {
  const OwnedRequest explained(MakePod(), {}, /*explaining=*/true);
  const OwnedRequest quiet(MakePod(), {}, /*explaining=*/false);
  EXPECT_EQ(explained->Why("factor {} of {}", 5, 100), "factor 5 of 100");
  EXPECT_EQ(quiet->Why("factor {} of {}", 5, 100), "");
}

}  // namespace
}  // namespace outrigger
