#include "lab/nodes/pod_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace outrigger::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

StringMap Annotated(std::string_view key, std::string_view value) {
  StringMap annotations;
  annotations.Set(key, value);
  return annotations;
}

PodPlan PlanOf(const StringMap& annotations, std::string_view uid = "u") {
  std::vector<std::string> problems;
  const PodPlan plan = ReadPodPlan(annotations, uid, 1, &problems);
  EXPECT_THAT(problems, IsEmpty());
  return plan;
}

TEST(PodPlan, RunsForEverWithoutAnnotations) {
  const PodPlan plan = PlanOf({});
  EXPECT_EQ(plan.start_delay, seconds(0));
  EXPECT_EQ(plan.duration, std::nullopt);
  EXPECT_EQ(plan.stop_delay, seconds(0));
  EXPECT_EQ(plan.exit_code, 0);
}

TEST(PodPlan, ReadsTimesAndCodes) {
  EXPECT_EQ(PlanOf(Annotated(kDurationAnnotation, "90s")).duration, seconds(90));
  EXPECT_EQ(PlanOf(Annotated(kDurationAnnotation, "1h30m")).duration, seconds(5400));
  EXPECT_EQ(PlanOf(Annotated(kDurationAnnotation, "0")).duration, seconds(0));
  EXPECT_EQ(PlanOf(Annotated(kStartDelayAnnotation, "250ms")).start_delay, milliseconds(250));
  EXPECT_EQ(PlanOf(Annotated(kStopDelayAnnotation, "3s")).stop_delay, seconds(3));
  EXPECT_EQ(PlanOf(Annotated(kExitCodeAnnotation, "137")).exit_code, 137);
}

TEST(PodPlan, DrawsTimesWithTheMeanThatWasAskedFor) {
  const StringMap annotations = Annotated(kDurationAnnotation, "exp(5m)");
  double sum = 0;
  double longer = 0;
  constexpr int kPods = 20'000;
  for (int i = 0; i < kPods; ++i) {
    const auto time = PlanOf(annotations, "uid-" + std::to_string(i)).duration;
    ASSERT_TRUE(time && *time >= seconds(0));
    const double minutes = std::chrono::duration<double>(*time).count() / 60;
    sum += minutes;
    if (minutes > 5) ++longer;
  }
  EXPECT_NEAR(sum / kPods, 5, 0.15);
  EXPECT_NEAR(longer / kPods, 0.3679, 0.015) << "of an exponential distribution e^-1 is longer";
  EXPECT_EQ(PlanOf(annotations, "a").duration, PlanOf(annotations, "a").duration);
  EXPECT_NE(PlanOf(annotations, "a").duration, PlanOf(annotations, "b").duration);
}

struct BadPlan {
  const char* name;
  std::string_view key;
  const char* value;
  const char* expected;
};
class PodPlanRefuses : public ::testing::TestWithParam<BadPlan> {};

TEST_P(PodPlanRefuses, WithTheNameAndWhatIsAccepted) {
  const BadPlan& row = GetParam();
  std::vector<std::string> problems;
  StringMap annotations = Annotated(row.key, row.value);
  annotations.Set("lab.outrigger.dev/other", "x");
  const PodPlan plan = ReadPodPlan(annotations, "u", 1, &problems);
  EXPECT_EQ(plan.duration, std::nullopt);
  EXPECT_EQ(plan.start_delay, seconds(0));
  EXPECT_EQ(plan.exit_code, 0);
  EXPECT_THAT(problems, ElementsAre("annotation " + std::string(row.key) + " \"" + row.value +
                                    "\" is not accepted; expected " + row.expected +
                                    ". The pod runs without it"));
}

constexpr const char* kTimes = "a time such as 90s or 1h30m, or exp(5m) for chance";
INSTANTIATE_TEST_SUITE_P(
    Rows, PodPlanRefuses,
    ::testing::Values(BadPlan{"Word", kDurationAnnotation, "soon", kTimes},
                      BadPlan{"NoUnit", kDurationAnnotation, "90", kTimes},
                      BadPlan{"Empty", kDurationAnnotation, "", kTimes},
                      BadPlan{"Negative", kStartDelayAnnotation, "-1s", kTimes},
                      BadPlan{"ForEver", kDurationAnnotation, "inf", kTimes},
                      BadPlan{"OpenChance", kDurationAnnotation, "exp(5m", kTimes},
                      BadPlan{"NoMean", kDurationAnnotation, "exp()", kTimes},
                      BadPlan{"CodeTooLarge", kExitCodeAnnotation, "256", "0 to 255"},
                      BadPlan{"CodeIsAWord", kExitCodeAnnotation, "bad", "0 to 255"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::lab
