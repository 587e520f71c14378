#include "cel/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "cel/cel_testing.h"

namespace outrigger::cel {
namespace {

using ::testing::HasSubstr;

Verdict Judge(const Device& device, std::string_view text) {
  const auto program = Program::Compile(text, DraEnvironment(true));
  EXPECT_TRUE(program.ok()) << program.status();
  Evaluator evaluator;
  return program.ok() ? evaluator.Evaluate(*program, device) : Verdict::kFailed;
}

TEST(Device, NamesWithoutADomainGetTheDrivers) {
  DeviceBuilder builder;
  builder.AddInt("numa", 1);
  builder.AddInt("other.example.org/numa", 2);
  builder.AddCapacity("memory", *Quantity::Parse("1Gi"));
  const Device device = builder.BuildDra("gpu.example.com", true);
  EXPECT_EQ(Judge(device, "device.attributes['gpu.example.com'].numa == 1"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.attributes['other.example.org'].numa == 2"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.capacity['gpu.example.com'].memory.asInteger() == 1073741824"),
            Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.allowMultipleAllocations"), Verdict::kTrue);
}

TEST(Device, AnUnknownDomainIsAnEmptyMap) {
  const Device device = DeviceBuilder().BuildDra("gpu.example.com", false);
  EXPECT_EQ(Judge(device, "device.attributes['absent'] == {}"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "'absent' in device.attributes"), Verdict::kFalse);
  EXPECT_EQ(Judge(device, "device.attributes[?'absent'].hasValue()"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.attributes['absent'].x == 1"), Verdict::kFailed);
}

TEST(Device, AVersionThatIsNoneIsRefused) {
  DeviceBuilder builder;
  const absl::Status added = builder.AddVersion("version", "1.0");
  EXPECT_EQ(added.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(added.message()), HasSubstr("attribute version"));
}

TEST(Device, AttributesCanBeLists) {
  DeviceBuilder builder;
  const std::array<int64_t, 2> ints = {1, 2};
  const std::array<bool, 1> bools = {true};
  const std::array<std::string_view, 2> texts = {"1.0.0", "1.1.0"};
  builder.AddInts("ints", ints);
  builder.AddBools("bools", bools);
  builder.AddStrings("words", texts);
  ASSERT_TRUE(builder.AddVersions("versions", texts).ok());
  const Device device = builder.BuildDra("d", false);
  EXPECT_EQ(Judge(device, "device.attributes['d'].ints == [1, 2]"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.attributes['d'].bools.includes(true)"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.attributes['d'].words.exists(w, w == '1.1.0')"), Verdict::kTrue);
  EXPECT_EQ(Judge(device, "device.attributes['d'].versions.includes(semver('1.1.0'))"),
            Verdict::kTrue);
}

TEST(Device, TakesLittleBeyondItsAttributes) {
  DeviceBuilder builder;
  const size_t empty = builder.BuildDra("gpu.example.com", false).memory();
  EXPECT_LE(empty, 300U);
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) builder.AddInt(name, 1);
  EXPECT_LE(builder.BuildDra("gpu.example.com", false).memory() - empty, 8 * 32 + 100U);
}

TEST(Device, MovesWithItsValues) {
  DeviceBuilder builder;
  builder.AddString("model", "h200");
  Device first = builder.BuildDra("d", false);
  const Device second = std::move(first);
  EXPECT_EQ(Judge(second, "device.attributes['d'].model == 'h200'"), Verdict::kTrue);
}

}  // namespace
}  // namespace outrigger::cel
