#include <string>

#include "builders.h"
#include "fmt/format.h"
#include "wire_testing.h"

// Values that cannot be used cost themselves, never the call, and are told.

namespace outrigger::wire {
namespace {

using ::outrigger::testing::Q;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kQuantity = "a quantity such as 250m, 1.5Gi or 2e3";

std::string NodeWithCpu(std::string_view cpu) {
  return CallWithNodes("{}", fmt::format(R"([{{"status":{{"allocatable":{{"cpu":{},"pods":"5"}}}},)"
                                         R"("metadata":{{"name":"a"}}}}])",
                                         cpu));
}

TEST(Malformed, QuantityOfANodeIsLeftOutAndListedWithItsNode) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(NodeWithCpu(R"("lots")"), Needs::All(), &args), IsOk());
  EXPECT_EQ(args.nodes[0].allocatable.Find("cpu"), nullptr);
  EXPECT_EQ(args.nodes[0].allocatable.Get("pods"), Q("5"));
  ASSERT_THAT(args.malformed, SizeIs(1));
  EXPECT_EQ(args.malformed[0].node, "a");  // though its name came later
  EXPECT_EQ(args.malformed[0].field, "status.allocatable.cpu");
  EXPECT_EQ(args.malformed[0].value, "lots");
  EXPECT_EQ(args.malformed[0].accepted, kQuantity);
}

TEST(Malformed, QuantityOfThePodHasNoNode) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(
      R"({"spec":{"containers":[{},{"resources":{"requests":{"nvidia.com/gpu":"1 GPU"}}}]}})",
      "[]");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  ASSERT_THAT(args.malformed, SizeIs(1));
  EXPECT_EQ(args.malformed[0].node, "");
  EXPECT_EQ(args.malformed[0].field, "spec.containers[1].resources.requests.nvidia.com/gpu");
}

TEST(Malformed, IsToldOnlyForWhatIsNeeded) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(NodeWithCpu(R"("lots")"), Needs().NodeCapacity(), &args), IsOk());
  EXPECT_THAT(args.malformed, IsEmpty());
}

TEST(Malformed, IsForgottenByTheNextCall) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(NodeWithCpu(R"("lots")"), Needs::All(), &args), IsOk());
  ASSERT_THAT(DecodeArgs(NodeWithCpu(R"("4")"), Needs::All(), &args), IsOk());
  EXPECT_THAT(args.malformed, IsEmpty());
}

TEST(Malformed, ValuesAreCutBetweenCharacters) {
  ExtenderArgs args;
  const std::string value = std::string(63, 'x') + "öööö";
  ASSERT_THAT(DecodeArgs(NodeWithCpu('"' + value + '"'), Needs::All(), &args), IsOk());
  ASSERT_THAT(args.malformed, SizeIs(1));
  EXPECT_EQ(args.malformed[0].value, std::string(63, 'x'));
}

TEST(Malformed, ListIsBounded) {
  std::string cpus = R"("x")";
  for (int i = 0; i < 500; ++i) cpus += fmt::format(R"(,"r{}":"x")", i);
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(NodeWithCpu(cpus), Needs::All(), &args), IsOk());
  EXPECT_THAT(args.malformed, SizeIs(kMaxMalformed));
  EXPECT_EQ(args.nodes[0].allocatable.size(), 1U);
}

struct Amount {
  const char* name;
  const char* json;
  const char* same_as;  // null: malformed
};

class Amounts : public ::testing::TestWithParam<Amount> {};

TEST_P(Amounts, AreReadOrLeftOut) {
  ExtenderArgs args;
  ASSERT_THAT(DecodeArgs(NodeWithCpu(GetParam().json), Needs::All(), &args), IsOk());
  const Quantity* cpu = args.nodes[0].allocatable.Find("cpu");
  if (GetParam().same_as == nullptr) {
    EXPECT_EQ(cpu, nullptr);
    EXPECT_THAT(args.malformed, SizeIs(1));
  } else {
    ASSERT_NE(cpu, nullptr);
    EXPECT_EQ(*cpu, Q(GetParam().same_as));
    EXPECT_THAT(args.malformed, IsEmpty());
  }
}

const Amount kAmounts[] = {
    {"Text", R"("1500m")", "1500m"},
    {"Integer", "2", "2"},
    {"Fraction", "1.5", "1500m"},
    {"Exponent", "1e3", "1000"},
    {"Negative", "-3", "-3"},
    {"NumberBeforeBlank", "7 ", "7"},
    {"EscapedText", R"("\u0031\u0035m")", "15m"},
    {"Null", "null", "0"},
    {"EmptyText", R"("")", nullptr},
    {"AbsurdExponent", R"("1e999999999")", nullptr},
    {"AbsurdNumber", "1e999999999", nullptr},
    {"UnknownSuffix", R"("1kb")", nullptr},
};
INSTANTIATE_TEST_SUITE_P(Wire, Amounts, ::testing::ValuesIn(kAmounts),
                         [](const auto& row) { return row.param.name; });

TEST(Malformed, TaintOfUnknownEffectIsLeftOut) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(
      "{}", R"([{"metadata":{"name":"a"},"spec":{"taints":[)"
            R"({"key":"k","effect":"NoThanks"},{"key":"l","effect":"NoSchedule"}]}}])");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  ASSERT_THAT(args.nodes[0].taints, SizeIs(1));
  EXPECT_EQ(args.nodes[0].taints[0].key, "l");
  ASSERT_THAT(args.malformed, SizeIs(1));
  EXPECT_EQ(args.malformed[0].node, "a");
  EXPECT_EQ(args.malformed[0].field, "spec.taints[0].effect");
  EXPECT_EQ(args.malformed[0].value, "NoThanks");
  EXPECT_EQ(args.malformed[0].accepted, "NoSchedule, PreferNoSchedule or NoExecute");
}

TEST(Malformed, TolerationOfUnknownOperatorOrEffectToleratesNothing) {
  ExtenderArgs args;
  const std::string json = CallWithNodes(
      R"({"spec":{"tolerations":[{"key":"a","operator":"Near"},{"key":"b","effect":"No"},)"
      R"({"key":"c","operator":"Exists"}]}})",
      "[]");
  ASSERT_THAT(DecodeArgs(json, Needs::All(), &args), IsOk());
  ASSERT_THAT(args.pod.tolerations, SizeIs(1));
  EXPECT_EQ(args.pod.tolerations[0].key, "c");
  ASSERT_THAT(args.malformed, SizeIs(2));
  EXPECT_EQ(args.malformed[0].field, "spec.tolerations[0].operator");
  EXPECT_EQ(args.malformed[0].accepted, "Exists or Equal");
  EXPECT_EQ(args.malformed[1].field, "spec.tolerations[1].effect");
}

}  // namespace
}  // namespace outrigger::wire
