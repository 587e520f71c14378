#include "load/usage/units.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::usage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Resource kCpu = Resource::kCpu;
constexpr Resource kMemory = Resource::kMemory;

enum class Says : uint8_t { kNothing, kOdd, kImpossible };

struct UnitRow {
  const char* name;
  Resource resource;
  std::vector<double> values;  // of nodes with 4 cpus and 16 GiB, then with 64 and 256
  Says says;
  const char* text = "";
  bool is_deviation = false;
};
class UnitOfValues : public ::testing::TestWithParam<UnitRow> {};

TEST_P(UnitOfValues, IsSeenByComparisonWithAllNodes) {
  const UnitRow& row = GetParam();
  const std::vector<std::string> names = {"a", "b", "c"};
  const double small = row.resource == kCpu ? 4000 : 17179869184.0;
  std::vector<UnitSample> samples;
  for (size_t i = 0; i < row.values.size(); ++i) {
    samples.push_back({&names[i], row.values[i], i == 0 ? small : 16 * small});
  }
  const UnitVerdict verdict = JudgeUnit(row.resource, row.is_deviation, samples);
  EXPECT_EQ(verdict.is_impossible, row.says == Says::kImpossible) << verdict.why;
  EXPECT_EQ(verdict.why.empty(), row.says == Says::kNothing) << verdict.why;
  EXPECT_THAT(verdict.why, HasSubstr(row.text));
}

constexpr auto kNothing = Says::kNothing;
constexpr auto kOdd = Says::kOdd;
constexpr auto kImpossible = Says::kImpossible;

INSTANTIATE_TEST_SUITE_P(
    Rows, UnitOfValues,
    ::testing::Values(
        UnitRow{"None", kCpu, {}, kNothing}, UnitRow{"Millicores", kCpu, {3500, 200}, kNothing},
        UnitRow{"OneNodeIsFull", kCpu, {0.2, 900}, kNothing},
        UnitRow{"NothingIsFree", kCpu, {0, 0}, kNothing},
        UnitRow{"AllNodesAreBusy", kCpu, {150, 1800}, kNothing},
        UnitRow{"MachineHasMoreThanIsAllocatable", kCpu, {7600, 70000}, kNothing},
        UnitRow{"CpuRatio",
                kCpu,
                {0.12, 0.31},
                kImpossible,
                "gives at most 0.31 (node b, which has 64000), expected free millicores. It looks "
                "like a ratio: multiply it by 1000 and the number of cpus"},
        UnitRow{"CpuRatioOfOneNode", kCpu, {0.97}, kImpossible, "a ratio"},
        UnitRow{"CpuPercent", kCpu, {88, 31}, kOdd, "percent: multiply it by 10"},
        UnitRow{"Cores", kCpu, {3.2, 41}, kOdd, "cores: multiply it by 1000"},
        UnitRow{"CoresOrAFullCluster", kCpu, {2, 9}, kOdd, "cores"},
        UnitRow{"Nanocores", kCpu, {3.2e9, 4e10}, kImpossible, "expected free millicores"},
        UnitRow{"CounterWithoutRate", kCpu, {9e6, 3e8}, kImpossible},
        UnitRow{"CpuDeviation", kCpu, {12, 40}, kNothing, "", true},
        UnitRow{"CpuDeviationAsRatio",
                kCpu,
                {0.03, 0.05},
                kImpossible,
                "deviations in millicores",
                true},
        UnitRow{"Bytes", kMemory, {9e9, 1e8}, kNothing},
        UnitRow{"OneNodeHasNoMemory", kMemory, {1e6, 1e11}, kNothing},
        UnitRow{"MemoryRatio", kMemory, {0.5, 0.25}, kImpossible, "a ratio"},
        UnitRow{"MemoryPercent", kMemory, {50, 25}, kImpossible, "percent"},
        UnitRow{"GiB", kMemory, {7.5, 140}, kImpossible, "GiB: multiply it by 1073741824"},
        UnitRow{"MiB", kMemory, {7000, 140000}, kImpossible, "MiB: multiply it by 1048576"},
        UnitRow{"KiB", kMemory, {7e6, 1.4e8}, kImpossible, "KiB: multiply it by 1024"},
        UnitRow{"MemoryDeviation", kMemory, {3e5, 4e6}, kNothing, "", true},
        UnitRow{"MemoryDeviationOfNone", kMemory, {0, 0}, kNothing, "", true},
        UnitRow{"MemoryDeviationInMiB", kMemory, {900, 2000}, kImpossible, "MiB", true}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::usage
