// Selectors as people copy them from what they have for DRA.

#include "devices/allocation/selectors/dra_spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "devices/allocation/selectors.h"

namespace outrigger::devices {
namespace {

using ::testing::HasSubstr;

struct SpellingRow {
  const char* name;
  const char* given;
  const char* here;
};
class DraSpelling : public ::testing::TestWithParam<SpellingRow> {};

/// A GPU as drivers describe theirs.
Attributes Gpu() {
  return {{"productName", std::string("NVIDIA A100-SXM4-80GB")},
          {"memory", *Quantity::Parse("80Gi")},
          {"rdma", std::string("true")},
          {"computeCapability", Version{"8.0"}},
          {"index", int64_t{0}}};
}

// What is given fails, its text has what is right, and that is true of the device.
TEST_P(DraSpelling, IsAnsweredWithWhatIsRightHere) {
  EXPECT_EQ(AsWrittenHere(GetParam().given), GetParam().here);
  const auto selectors = MakeCelSelectors();
  const Attributes attributes = Gpu();
  const DeviceView device{"gpu-0", attributes};
  const auto answer = [&](const std::string& text) -> absl::StatusOr<bool> {
    const auto selector = selectors->Compile(text, Environment::kPrototype);
    return selector.ok() ? (*selector)->Matches(device) : selector.status();
  };
  const std::string here = GetParam().here;
  EXPECT_THAT(std::string(answer(GetParam().given).status().message()),
              HasSubstr("; here it is written " + here));
  const absl::StatusOr<bool> right = answer(here);
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_TRUE(*right);
  EXPECT_EQ(AsWrittenHere(here), "");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DraSpelling,
    ::testing::Values(
        SpellingRow{"Attribute",
                    R"(device.attributes["gpu.nvidia.com"].productName == "NVIDIA A100-SXM4-80GB")",
                    R"(device.productName == "NVIDIA A100-SXM4-80GB")"},
        SpellingRow{"Capacity",
                    "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0",
                    "device.memory.compareTo(quantity('40Gi')) >= 0"},
        SpellingRow{"InBrackets", R"(device.attributes['d']["productName"].matches("A100"))",
                    R"(device["productName"].matches("A100"))"},
        SpellingRow{"Lines",
                    "device.attributes[\"d\"].index == 0 &&\n  device.capacity[\"d\"]\n"
                    ".memory.isGreaterThan(quantity(\"40Gi\"))\n",
                    "device.index == 0 && device .memory.isGreaterThan(quantity(\"40Gi\")) "},
        SpellingRow{
            "Driver",
            R"(device.driver == "gpu.nvidia.com" && device.attributes["d"].index in [0, 1])",
            "device.index in [0, 1]"},
        SpellingRow{"DomainAndName", R"(device.attributes["gpu.nvidia.com/index"] == 0)",
                    "device.index == 0"},
        SpellingRow{"DomainAsked",
                    R"("gpu.nvidia.com" in device.attributes && device.capacity["d"].index == 0)",
                    "device.index == 0"},
        SpellingRow{"DomainAskedLast",
                    R"(device.attributes["d"].index == 0 && 'd' in device.capacity)",
                    "device.index == 0"},
        SpellingRow{"DriverLast", R"(device.index == 0 && device.driver == 'gpu.nvidia.com')",
                    "device.index == 0"},
        SpellingRow{"Has", R"(has(device.attributes["d"].rdma) && true)",
                    "has(device.rdma) && true"},
        SpellingRow{"Lookup", R"("rdma" in device.attributes["d"])", R"("rdma" in device)"},
        SpellingRow{"Optional", R"(device.attributes["d"].?rdma.orValue("") == "true")",
                    R"(device.?rdma.orValue("") == "true")"},
        SpellingRow{"Bound",
                    R"(cel.bind(gpu, device.attributes["d"], gpu.productName.contains("A100")))",
                    R"(cel.bind(gpu, device, gpu.productName.contains("A100")))"},
        SpellingRow{"Version",
                    R"(device.attributes["d"].computeCapability.compareTo(semver("7.5.0")) >= 0)",
                    R"(semver(device.computeCapability, true).compareTo(semver("7.5.0")) >= 0)"},
        SpellingRow{"VersionGreater", R"(device.computeCapability.isGreaterThan(semver("7.5.0")))",
                    R"(semver(device.computeCapability, true).isGreaterThan(semver("7.5.0")))"},
        SpellingRow{"VersionByOperator", R"(device.computeCapability >= semver("7.5.0"))",
                    R"(semver(device.computeCapability, true).compareTo(semver("7.5.0")) >= 0)"},
        SpellingRow{"QuantityByOperator", R"(device.memory > quantity("40Gi"))",
                    R"(device.memory.compareTo(quantity("40Gi")) > 0)"},
        SpellingRow{"CapacityByOperator", R"(device.capacity["d"].memory<=quantity("80Gi"))",
                    R"(device.memory.compareTo(quantity("80Gi")) <= 0)"}),
    [](const auto& row) { return row.param.name; });

TEST(DraSpellings, OfThisApiStay) {
  for (const char* text :
       {"device.memory.isGreaterThan(quantity('40Gi'))", "device.index == 0", "x > 1",
        "device.attributes == 'a'", "quantity('1') == quantity('1')", "",
        "semver(device.computeCapability, true).isLessThan(semver('9.0.0'))"}) {
    EXPECT_EQ(AsWrittenHere(text), "") << text;
  }
  EXPECT_EQ(AsWrittenHere("device.attributes['d'].x == '" + std::string(2000, 'x') + "'"), "");
}

struct MessageRow {
  const char* name;
  const char* given;
  const char* message;
};
class SelectorMessage : public ::testing::TestWithParam<MessageRow> {};

TEST_P(SelectorMessage, NamesWhatIsRight) {
  const auto selector = MakeCelSelectors()->Compile(GetParam().given, Environment::kPrototype);
  std::string message(selector.status().message());
  const Attributes attributes = Gpu();
  if (selector.ok()) {
    message = std::string((*selector)->Matches({"gpu-0", attributes}).status().message());
  }
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SelectorMessage,
    ::testing::Values(
        MessageRow{"Bare", R"(memory > quantity("40Gi"))", "an attribute is device.memory"},
        MessageRow{"Text", "device.productName == NVIDIA", "texts need quotes"},
        MessageRow{"Operator", R"(device.memory > quantity("40Gi"))",
                   "compare with a.isGreaterThan(b), a.isLessThan(b) or a.compareTo(b)"},
        MessageRow{"Driver", "device.driver == 'gpu.nvidia.com'",
                   "no such key: driver; device has attributes alone, the driver is that of the "
                   "class"},
        MessageRow{"AllAttributes", "device.attributes.exists(name, name == 'x')",
                   "no such key: attributes; device has attributes alone, as device.memory"},
        MessageRow{"OfDraAlone", "device.allowMultipleAllocations",
                   "no such key: allowMultipleAllocations; device has attributes alone"},
        MessageRow{"CurlyQuotes", "device.productName == \u201cNVIDIA\u201d", "straight quotes"},
        MessageRow{"Amount", "device.memory >= 40Gi", "an amount is quantity('40Gi')"},
        MessageRow{"Absent", "device.vendor == 'x'", "no such key: vendor"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::devices
