#include "statistics.h"

#include "builders.h"
#include "gmock/gmock.h"

namespace outrigger::safe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeNode;
using testing::MakePod;
using testing::OwnedRequest;
using ::testing::SizeIs;

constexpr double kForecastWeight = 0.25;

struct Read {
  explicit Read(const Node& node) : request(MakePod(), {node}) {
    statistics = ReadStatistics(*request, request->nodes[0], kForecastWeight);
  }
  const ResourceStatistics& cpu() const { return statistics[kCpuResource]; }
  const ResourceStatistics& memory() const { return statistics[kMemoryResource]; }

  OwnedRequest request;
  NodeStatistics statistics;
};

// 2 cpu, of which 900 millicores are free.
MakeNode Measured() {
  return MakeNode("n")
      .Allocatable("cpu", "2")
      .Allocatable("memory", "1Ki")
      .Annotation("mean-free-cpu", "900")
      .Annotation("std-free-cpu", "200");
}

TEST(SafeStatistics, AreWhatIsUsedOfTheAllocatableAmount) {
  const Read read(Measured().Annotation("mean-free-memory", "1e3"));
  EXPECT_TRUE(read.cpu().known);
  EXPECT_EQ(read.cpu().capacity, 2000);
  EXPECT_EQ(read.cpu().used, 1100);
  EXPECT_EQ(read.cpu().deviation, 200);
  EXPECT_TRUE(read.memory().known);
  EXPECT_EQ(read.memory().used, 24);
  EXPECT_EQ(read.memory().deviation, 0);
}

TEST(SafeStatistics, AreUnknownWithoutAMean) {
  EXPECT_FALSE(Read(MakeNode("bare")).cpu().known);
  EXPECT_FALSE(Read(MakeNode("gone").Unknown()).cpu().known);
  EXPECT_FALSE(Read(Measured()).memory().known);
}

// Correction: the original divided by zero, and took infinities for idle nodes.
TEST(SafeStatistics, AreUnknownWithoutCapacityOrWithValuesThatAreNotFinite) {
  EXPECT_FALSE(Read(Measured().Allocatable("cpu", "0")).cpu().known);
  EXPECT_FALSE(Read(Measured().NoAllocatable()).cpu().known);
  for (const char* key : {"mean-free-cpu", "std-free-cpu", "forcasted-free-cpu"}) {
    for (const char* text : {"NaN", "Inf", "-Inf"}) {
      Read read(Measured().Annotation(key, text));
      EXPECT_FALSE(read.cpu().known) << key << " " << text;
      EXPECT_THAT(
          read.request.diagnostics().entries,
          ElementsAre(testing::RecordingDiagnostics::Entry{"n", key, text, "a finite number"}));
    }
  }
}

TEST(SafeStatistics, TakeAnUnreadableDeviationAsZeroAndReportIt) {
  Read read(Measured().Annotation("std-free-cpu", "abc"));
  EXPECT_TRUE(read.cpu().known);
  EXPECT_EQ(read.cpu().deviation, 0);
  EXPECT_THAT(read.request.diagnostics().entries, SizeIs(1));
}

TEST(SafeStatistics, TakeNegativeAmountsAsTheNearestPossible) {
  const Read read(Measured().Annotation("mean-free-cpu", "9000").Annotation("std-free-cpu", "-1"));
  EXPECT_EQ(read.cpu().used, 0);
  EXPECT_EQ(read.cpu().deviation, 0);
}

TEST(SafeForecast, ShiftsTheMeanByItsWeightAndNotTheDeviation) {
  const Read read(Measured().Annotation("forcasted-free-cpu", "500"));
  EXPECT_EQ(read.cpu().used, 2000 - (0.75 * 900 + 0.25 * 500));
  EXPECT_EQ(read.cpu().deviation, 200);
}

// Correction: the annotation's right spelling is read too.
TEST(SafeForecast, OfTheRightSpellingWins) {
  EXPECT_EQ(Read(Measured().Annotation("forecasted-free-cpu", "500")).cpu().used,
            2000 - (0.75 * 900 + 0.25 * 500));
  EXPECT_EQ(
      Read(
          Measured().Annotation("forecasted-free-cpu", "500").Annotation("forcasted-free-cpu", "1"))
          .cpu()
          .used,
      2000 - (0.75 * 900 + 0.25 * 500));
}

TEST(SafeForecast, ThatAnnotatorsMarkAsMissingIsNotReported) {
  for (const char* text : {"N/A", "None"}) {
    Read read(Measured().Annotation("forcasted-free-cpu", text));
    EXPECT_EQ(read.cpu().used, 1100) << text;
    EXPECT_THAT(read.request.diagnostics().entries, IsEmpty()) << text;
  }
}

TEST(SafeForecast, ThatCannotBeReadIsIgnoredAndReported) {
  Read read(Measured().Annotation("forcasted-free-cpu", "soon"));
  EXPECT_EQ(read.cpu().used, 1100);
  EXPECT_THAT(read.request.diagnostics().entries, SizeIs(1));
}

TEST(SafeUtilization, IsAFractionOfTheCapacityAndStaysWithinIt) {
  const ResourceStatistics statistics{
      .known = true, .capacity = 2000, .used = 1100, .deviation = 200};
  EXPECT_EQ(UtilizationWith(statistics, 200).mean, 0.65);
  EXPECT_EQ(UtilizationWith(statistics, 200).deviation, 0.1);
  EXPECT_EQ(UtilizationWith(statistics, 5000).mean, 1);
  const ResourceStatistics wild{.known = true, .capacity = 1, .used = 1e308, .deviation = 1e308};
  EXPECT_EQ(UtilizationWith(wild, 0).mean, 1);
  EXPECT_EQ(UtilizationWith(wild, 0).deviation, 1);
}

// Correction: the original knew no overhead, no sidecars and no pod-level requests.
TEST(SafeDemand, IsWhatKubeSchedulerCounts) {
  EXPECT_THAT(DemandOf(MakePod().Requests({{"cpu", "200m"}, {"memory", "1Ki"}})),
              ElementsAre(200, 1024));
  EXPECT_THAT(DemandOf(MakePod().Requests({{"cpu", "200m"}}).AddInitContainer({{"cpu", "1"}})),
              ElementsAre(1000, 0));
  EXPECT_THAT(DemandOf(MakePod().Requests({{"cpu", "1"}}).AddInitContainer({{"cpu", "1"}}, true)),
              ElementsAre(2000, 0));
  EXPECT_THAT(DemandOf(MakePod().Requests({{"cpu", "1"}}).Overhead({{"cpu", "500m"}})),
              ElementsAre(1500, 0));
  EXPECT_THAT(DemandOf(MakePod().PodLevelRequests({{"cpu", "3"}})), ElementsAre(3000, 0));
}

}  // namespace
}  // namespace outrigger::safe
