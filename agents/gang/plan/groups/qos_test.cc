#include "gang/plan/order.h"
#include "groups_testing.h"

// The table is that of Kubernetes' TestComputePodQOS.

namespace outrigger::plan {
namespace {

using testing::Q;

ResourceList Amounts(std::string_view cpu, std::string_view memory, std::string_view huge = "",
                     std::string_view ephemeral = "") {
  ResourceList list;
  if (!cpu.empty()) list.Set("cpu", Q(cpu));
  if (!memory.empty()) list.Set("memory", Q(memory));
  if (!huge.empty()) list.Set("hugepages-2Mi", Q(huge));
  if (!ephemeral.empty()) list.Set("ephemeral-storage", Q(ephemeral));
  return list;
}

struct Resources {
  ResourceList requests;
  ResourceList limits;
};
const Resources kNothing;
const Resources kZero = {Amounts("0", "0"), {}};
const Resources kEphemeral = {Amounts("", "", "", "10Gi"), {}};
const Resources kHuge = {Amounts("0", "0", "1Gi"), Amounts("0", "0", "1Gi")};
const Resources kFull = {Amounts("100m", "100Mi", "", "10Gi"), Amounts("100m", "100Mi")};
const Resources kMore = {Amounts("100m", "100Mi"), Amounts("200m", "200Mi")};
const Resources kMoreMemory = {Amounts("100m", "100Mi"), Amounts("100m", "200Mi")};
const Resources kMoreCpu = {Amounts("100m", "100Mi"), Amounts("200m", "100Mi")};
const Resources kNoLimits = {Amounts("100m", "100Mi"), {}};
const Resources kCpuLimit = {Amounts("100m", "100Mi"), Amounts("100m", "")};
const Resources kOnlyMemory = {Amounts("", "100Mi"), Amounts("", "100Mi")};
const Resources kOnlyLimits = {Amounts("0", "0"), Amounts("100m", "200Mi")};

struct Row {
  const char* name;
  std::vector<Resources> containers;
  std::vector<Resources> init_containers;
  const Resources* pod;
  QosClass expected;
};

constexpr QosClass kG = QosClass::kGuaranteed;
constexpr QosClass kB = QosClass::kBurstable;
constexpr QosClass kE = QosClass::kBestEffort;

const Row kRows[] = {
    {"GuaranteedWithEphemeralStorage", {kFull}, {}, nullptr, kG},
    {"TwoGuaranteed", {kFull, kFull}, {}, nullptr, kG},
    {"NoContainer", {}, {}, nullptr, kE},
    {"NothingAsked", {kNothing}, {}, nullptr, kE},
    {"ZeroAsked", {kZero}, {}, nullptr, kE},
    {"EphemeralStorageAlone", {kEphemeral}, {}, nullptr, kE},
    {"HugepagesAlone", {kHuge}, {}, nullptr, kE},
    {"TwoBestEffort", {kNothing, kZero}, {}, nullptr, kE},
    {"LimitsAboveRequests", {kMore}, {}, nullptr, kB},
    {"MemoryLimitAboveRequest", {kMoreMemory}, {}, nullptr, kB},
    {"CpuLimitAboveRequest", {kMoreCpu}, {}, nullptr, kB},
    {"NoLimits", {kNoLimits}, {}, nullptr, kB},
    {"CpuLimitAlone", {kCpuLimit}, {}, nullptr, kB},
    {"MemoryAlone", {kOnlyMemory}, {}, nullptr, kB},
    {"LimitsOverZeroRequests", {kOnlyLimits}, {}, nullptr, kB},
    {"BestEffortAndGuaranteed", {kNothing, kFull}, {}, nullptr, kB},
    {"GuaranteedAndBestEffort", {kFull, kZero}, {}, nullptr, kB},
    {"BestEffortAndBurstable", {kNothing, kMore}, {}, nullptr, kB},
    {"BurstableAndGuaranteed", {kMore, kFull}, {}, nullptr, kB},
    {"BurstableAndUnbounded", {kMore, kNoLimits}, {}, nullptr, kB},
    {"GuaranteedInitOfGuaranteed", {kFull}, {kFull}, nullptr, kG},
    {"BurstableInitOfBestEffort", {kNothing}, {kMore}, nullptr, kB},
    {"GuaranteedInitOfBestEffort", {kZero}, {kFull}, nullptr, kB},
    {"BestEffortInitOfGuaranteed", {kFull}, {kNothing}, nullptr, kB},
    {"PodLevelGuaranteed", {kNothing}, {}, &kFull, kG},
    {"PodLevelGuaranteedOverBurstable", {kMore}, {kMore}, &kFull, kG},
    {"PodLevelBurstable", {kNothing}, {}, &kMore, kB},
    {"PodLevelBurstableOverGuaranteed", {kFull}, {}, &kMore, kB},
    {"PodLevelRequestsAlone", {kNoLimits}, {}, &kNoLimits, kB},
    {"PodLevelCpuLimitAlone", {kNoLimits, kFull}, {}, &kCpuLimit, kB},
    {"PodLevelBestEffortOverGuaranteed", {kFull}, {}, &kZero, kE},
};

class ComputedQos : public ::testing::TestWithParam<Row> {};

TEST_P(ComputedQos, IsThatOfKubernetes) {
  const auto containers = [](const std::vector<Resources>& all) {
    std::vector<Container> made;
    for (const Resources& one : all) {
      made.push_back({.name = "c", .requests = one.requests, .limits = one.limits});
    }
    return made;
  };
  Pod pod;
  pod.containers = containers(GetParam().containers);
  pod.init_containers = containers(GetParam().init_containers);
  if (GetParam().pod != nullptr) {
    pod.pod_requests = GetParam().pod->requests;
    if (!GetParam().pod->limits.empty()) pod.pod_limits = GetParam().pod->limits;
  }
  EXPECT_EQ(QosClassOf(pod), GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(Rows, ComputedQos, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(QosClassOf, IsThatOfTheStatusWhereThereIsOne) {
  EXPECT_EQ(QosClassOf(PodOf("p").Qos("Guaranteed")), kG);
  EXPECT_EQ(QosClassOf(PodOf("p").Qos("Burstable")), kB);
  EXPECT_EQ(QosClassOf(PodOf("p").Qos("BestEffort")), kE);
  EXPECT_EQ(QosClassOf(PodOf("p").Qos("Platinum")), kE);  // computed
}

TEST(QosClassOf, OfPodLevelLimitsAloneIsBurstable) {
  Pod pod;
  pod.pod_limits = Amounts("1", "1Gi");
  EXPECT_EQ(QosClassOf(pod), kB);
}

}  // namespace
}  // namespace outrigger::plan
