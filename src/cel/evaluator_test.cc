#include "cel/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "absl/status/statusor.h"
#include "cel/cel_testing.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::cel {
namespace {

using ::testing::HasSubstr;
using testing::IsTrue;
using testing::Outcome;
using testing::OutcomeOf;

TEST(Evaluator, AFailureHasAReason) {
  const Outcome absent = OutcomeOf("device.attributes['gpu.example.com'].speed == 1");
  EXPECT_EQ(absent.verdict, Verdict::kFailed);
  EXPECT_EQ(absent.reason, "no such key: speed");
  EXPECT_EQ(OutcomeOf("1 / 0 == 1").reason, "division by zero");
  EXPECT_EQ(OutcomeOf("9223372036854775807 + 1 > 0").reason, "integer overflow");
  EXPECT_EQ(OutcomeOf("true").reason, "");
}

TEST(Evaluator, AnAttributeThatIsNoBoolIsNoVerdict) {
  const Outcome number = OutcomeOf("device.attributes['gpu.example.com'].numa");
  EXPECT_EQ(number.verdict, Verdict::kNotBool);
  EXPECT_EQ(number.reason, "the result is of type int, not bool");
  EXPECT_EQ(OutcomeOf("device.attributes['gpu.example.com'].healthy").verdict, Verdict::kTrue);
}

TEST(Evaluator, TheDecidingSideOfALogicalOperatorCountsEvenIfTheOtherFails) {
  EXPECT_TRUE(IsTrue("1 / 0 == 1 || true"));
  EXPECT_TRUE(IsTrue("!(false && 1 / 0 == 1)"));
  EXPECT_TRUE(IsTrue("[0, 1].exists(x, 1 / x > 0)"));
  EXPECT_EQ(OutcomeOf("[0, 1].exists_one(x, 1 / x > 0)").verdict, Verdict::kFailed);
  EXPECT_EQ(OutcomeOf("1 / 0 == 1 ? true : true").verdict, Verdict::kFailed);
}

TEST(Evaluator, MoreThanTheLimitIsNoVerdict) {
  const Outcome costly = OutcomeOf("lists.range(100).all(x, x >= 0)", 500);
  EXPECT_EQ(costly.verdict, Verdict::kCost);
  EXPECT_THAT(costly.reason, HasSubstr("cost limit"));
  EXPECT_EQ(OutcomeOf("lists.range(100).all(x, x >= 0)", 612).verdict, Verdict::kTrue);
  EXPECT_EQ(OutcomeOf("lists.range(100).all(x, x >= 0)", 611).verdict, Verdict::kCost);
  EXPECT_EQ(OutcomeOf("true || lists.range(9000000).size() > 0").verdict, Verdict::kTrue);
  EXPECT_EQ(OutcomeOf("lists.range(9000000).size() > 0 || true").verdict, Verdict::kCost)
      << "the limit is absorbed by nothing";
}

// Each doubles what the one before holds, at the cost of one operation.
TEST(Evaluator, MemoryAndWorkAreBounded) {
  std::string text = "cel.bind(a0, [1, 2], ";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    text += "cel.bind(a" + std::to_string(i) + ", " + before + " + " + before + ", ";
  }
  EXPECT_EQ(OutcomeOf(text + "a39.size() > 0" + std::string(40, ')')).verdict, Verdict::kCost);

  std::string shared = "cel.bind(b0, [1], ";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "b" + std::to_string(i - 1);
    shared += "cel.bind(b" + std::to_string(i) + ", [" + before + ", " + before + "], ";
  }
  EXPECT_EQ(OutcomeOf(shared + "b39 == [b38, b38]" + std::string(40, ')')).verdict, Verdict::kCost);
}

TEST(Evaluator, RegularExpressionsTakeNoExponentialTime) {
  EXPECT_TRUE(IsTrue("'" + std::string(2000, 'a') + "!'.matches('^(a|aa)+!$')"));
}

// What the prototype's own environment said of these attributes (devices.json, "constraints"); a
// quantity is a value here, there it failed.
struct PrototypeRow {
  const char* text;
  Verdict verdict;
};
TEST(Evaluator, DeviceIsAMapOfAttributesInThePrototype) {
  DeviceBuilder builder;
  builder.AddString("vendor", "acme");
  builder.AddString("model", "m1");
  builder.AddInt("gen", 2);
  builder.AddString("fw", "1.10.0");
  builder.AddQuantity("mem", *Quantity::Parse("8Gi"));
  builder.AddString("numa", "0");
  builder.AddString("", "x");
  builder.AddNull("none");
  const Device device = builder.BuildPrototype();
  Evaluator evaluator;
  static constexpr std::array<PrototypeRow, 18> kRows = {{
      {"device.model == 'm0'", Verdict::kFalse},
      {"device.gen >= 2", Verdict::kTrue},
      {"!(device.vendor == 'acme')", Verdict::kFalse},
      {"has(device.numa)", Verdict::kTrue},
      {"device.vendor.contains('c')", Verdict::kTrue},
      {"size(device.model) == 2", Verdict::kTrue},
      {"device['model'] == 'm1'", Verdict::kTrue},
      {"device.mem == '8Gi'", Verdict::kFailed},
      {"device.mem == quantity('8192Mi')", Verdict::kTrue},
      {"device.mem.isGreaterThan(quantity('1Gi'))", Verdict::kTrue},
      {"device.fw > '1.9.0'", Verdict::kFalse},
      {"device.gen / 0 == 1", Verdict::kFailed},
      {"device == {}", Verdict::kFalse},
      {"has(device.mem) && !has(device.absent)", Verdict::kTrue},
      {"device.all(k, k != '')", Verdict::kFalse},
      {"int(device.numa) == 0", Verdict::kTrue},
      {"1", Verdict::kNotBool},
      {"device.none == null", Verdict::kTrue},
  }};
  for (const PrototypeRow& row : kRows) {
    const auto program = Program::Compile(row.text, PrototypeEnvironment());
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_EQ(evaluator.Evaluate(*program, device), row.verdict) << row.text;
  }
  EXPECT_FALSE(Program::Compile("nodevice.gen == 1", PrototypeEnvironment()).ok());
  EXPECT_FALSE(Program::Compile("device.vendor.matches('[')", PrototypeEnvironment()).ok());
}

TEST(Evaluator, ProgramsAndDevicesCanBeUsedAgainInAnyOrder) {
  const auto grows =
      Program::Compile("device.driver.split('').map(c, c + c).join() != ''", DraEnvironment());
  const auto simple = Program::Compile("device.driver == 'b.example.com'", DraEnvironment());
  ASSERT_TRUE(grows.ok() && simple.ok());
  const DeviceBuilder builder;
  const Device a = builder.BuildDra("a.example.com", false);
  const Device b = builder.BuildDra("b.example.com", false);
  Evaluator evaluator;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(evaluator.Evaluate(*grows, a), Verdict::kTrue);
    EXPECT_EQ(evaluator.Evaluate(*simple, a), Verdict::kFalse);
    EXPECT_EQ(evaluator.Evaluate(*simple, b), Verdict::kTrue);
  }
}

}  // namespace
}  // namespace outrigger::cel
