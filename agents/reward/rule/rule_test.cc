#include "rule/rule.h"

#include <cmath>
#include <string>

#include "common/time_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rule/experience.h"

namespace outrigger::reward {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

double ScoreIn(const Experience& experience, const char* type, const char* node, Seconds at) {
  const double mean = MeanOf(experience.All(type, at), experience.rule());
  return ScoreOf(ValueOf(experience.Find(type, node, at).sums, mean, experience.rule()), mean);
}

TEST(RewardRule, AFailureCountsBySecondsOfRunning) {
  EXPECT_EQ(SuccessShare(0, {}), 0);
  EXPECT_EQ(SuccessShare(300, {}), 0.25);
  EXPECT_EQ(SuccessShare(600, {}), 0.5);
  EXPECT_EQ(SuccessShare(86'400, {}), 0.5);
  EXPECT_EQ(SuccessShare(-5, {}), 0);
}

// m = (10 + 2) / (10 + 3 + 2), v = (0 + 2 m) / (0 + 3 + 2).
TEST(RewardRule, ComparesANodeWithAllNodesOfTheType) {
  const Rule rule;
  const double mean = MeanOf({10, 3}, rule);
  EXPECT_DOUBLE_EQ(mean, 0.8);
  const double value = ValueOf({0, 3}, mean, rule);
  EXPECT_DOUBLE_EQ(value, 0.32);
  EXPECT_DOUBLE_EQ(ScoreOf(value, mean), 0.4);
  EXPECT_DOUBLE_EQ(ScoreOf(ValueOf({10, 0}, mean, rule), mean), 1) << "never above 1";
}

TEST(RewardRule, ANodeOfWhichNothingIsKnownIsNeutral) {
  const Rule rule;
  const double mean = MeanOf({1, 50}, rule);
  EXPECT_DOUBLE_EQ(ScoreOf(ValueOf({}, mean, rule), mean), 1);
  const Rule without_prior{.half_life = kDay, .mttf = 600, .prior = 0};
  EXPECT_DOUBLE_EQ(MeanOf({}, without_prior), 1);
  EXPECT_DOUBLE_EQ(ScoreOf(ValueOf({}, 0.5, without_prior), 0.5), 1);
}

TEST(RewardRule, WhereNothingEverRanWellNoNodeIsLowered) {
  const Rule rule{.half_life = kDay, .mttf = 600, .prior = 0};
  const double mean = MeanOf({0, 9}, rule);
  EXPECT_EQ(mean, 0);
  EXPECT_EQ(ScoreOf(ValueOf({0, 9}, mean, rule), mean), 1);
}

TEST(RewardRule, ATypeThatFailsOnEveryNodeLowersNoneAgainstTheOthers) {
  Experience experience((Rule()));
  for (const char* node : {"a", "b", "c"}) {
    for (int i = 0; i < 40; ++i) experience.AddFailure("D", node, 5, kStart);
  }
  const double score = ScoreIn(experience, "D", "a", kStart);
  EXPECT_EQ(ScoreIn(experience, "D", "b", kStart), score);
  EXPECT_EQ(ScoreIn(experience, "D", "c", kStart), score);
}

TEST(RewardRule, DrawsAroundTheValueAndGivesNoNodeUp) {
  const Rule rule;
  std::mt19937_64 random(7);
  double sum = 0;
  double least = 1;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = DrawValue({6, 2}, 0.8, rule, &random);
    sum += drawn;
    least = std::min({least, drawn, DrawValue({0, 1e6}, 0.1, rule, &random)});
  }
  EXPECT_THAT(sum / kDraws, DoubleNear(ValueOf({6, 2}, 0.8, rule), 0.01));
  EXPECT_EQ(least, kLeastDraw);
  EXPECT_EQ(DrawValue({5, 0}, 1, rule, &random), 1) << "no failure of the type anywhere";
}

TEST(RewardExperience, HalfIsForgottenInAHalfLife) {
  Experience experience((Rule()));
  experience.AddFailure("D", "a", 0, kStart);
  experience.AddSuccess("D", "a", kStart);
  const Sums later = experience.Find("D", "a", kStart + kDay).sums;
  EXPECT_DOUBLE_EQ(later.failures, 0.5);
  EXPECT_DOUBLE_EQ(later.successes, 0.5);
  EXPECT_DOUBLE_EQ(experience.All("D", kStart + 2 * kDay).failures, 0.25);
}

TEST(RewardExperience, AnEarlierEventCountsAsMuchAsIsLeftOfIt) {
  Experience experience((Rule()));
  experience.AddSuccess("D", "a", kStart);
  experience.AddFailure("D", "a", 0, kStart - kDay);
  EXPECT_DOUBLE_EQ(experience.Find("D", "a", kStart).sums.failures, 0.5);
}

TEST(RewardExperience, KeepsItsAmountsOverYears) {
  Experience experience((Rule()));
  experience.AddSuccess("D", "a", kStart);
  for (Seconds at = kStart; at < kStart + 1000 * kDay; at += kDay)
    experience.AddSuccess("D", "a", at);
  EXPECT_THAT(experience.Find("D", "a", kStart + 999 * kDay).sums.successes, DoubleNear(2, 1e-9));
}

TEST(RewardExperience, PeriodsOfRunningDecayAsTheyWent) {
  Experience at_once((Rule()));
  at_once.AddRunning("D", "a", 100, kStart);
  Experience one_by_one((Rule()));
  for (int i = 99; i >= 0; --i) one_by_one.AddRunning("D", "a", 1, kStart - i * 600);
  EXPECT_THAT(at_once.Find("D", "a", kStart).sums.successes,
              DoubleNear(one_by_one.Find("D", "a", kStart).sums.successes, 1e-9));
}

TEST(RewardExperience, RemembersTheLastFailures) {
  Experience experience((Rule()));
  for (const Seconds at : {kStart + 20, kStart, kStart + 10})
    experience.AddFailure("D", "a", 0, at);
  EXPECT_THAT(experience.Find("D", "a", kStart).failed_at,
              ElementsAre(kStart + 20, kStart + 10, kStart));
  for (int i = 0; i < 20; ++i) experience.AddFailure("D", "a", 0, kStart + 30 + i);
  EXPECT_EQ(experience.Find("D", "a", kStart).failed_at.size(), Experience::kRemembered);
  EXPECT_EQ(experience.Find("D", "a", kStart).failed_at.front(), kStart + 49);
}

TEST(RewardExperience, TheLeastUsedPairsFallOutAndStayInTheSum) {
  Experience experience((Rule()));
  experience.AddFailure("D", "bad", 0, kStart);
  for (size_t i = 0; i < Experience::kMostPairs + 10; ++i) {
    experience.AddSuccess("D", "n" + std::to_string(i), kStart);
  }
  EXPECT_LE(experience.pairs(), Experience::kMostPairs);
  EXPECT_GT(experience.fallen_out(), 0U);
  EXPECT_EQ(experience.Find("D", "bad", kStart).sums.failures, 1)
      << "what has failed stays longest";
  EXPECT_THAT(experience.All("D", kStart).successes,
              DoubleNear(Experience::kMostPairs + 10.0, 1e-6));
}

TEST(RewardExperience, AFailureOfANewTypeMayFallOutAtOnce) {
  Experience experience((Rule()));
  for (size_t i = 0; i < Experience::kMostPairs; ++i) {
    const std::string type = "D" + std::to_string(i);
    for (int failure = 0; failure < 2; ++failure) experience.AddFailure(type, "a", 0, kStart);
  }
  experience.AddFailure("new", "a", 0, kStart);
  EXPECT_LE(experience.pairs(), Experience::kMostPairs);
  EXPECT_EQ(experience.Revision("new"), 0U) << "the least used of all";
  EXPECT_EQ(experience.types(), experience.pairs());
}

TEST(RewardExperience, ForgetsWhatHasDecayed) {
  Experience experience((Rule()));
  experience.AddFailure("D", "a", 0, kStart);
  experience.Forget(kStart + 5 * kDay);
  EXPECT_EQ(experience.pairs(), 1U);
  experience.Forget(kStart + 11 * kDay);
  EXPECT_EQ(experience.pairs(), 0U);
  EXPECT_EQ(experience.types(), 0U);
  EXPECT_THAT(experience.Failing("D", kStart), IsEmpty());
}

TEST(RewardExperience, AClockThatIsSetChangesNoAge) {
  Experience experience((Rule()));
  experience.AddFailure("D", "a", 0, kStart);
  experience.Shift(400 * kDay);
  EXPECT_DOUBLE_EQ(experience.Find("D", "a", kStart + 401 * kDay).sums.failures, 0.5);
  EXPECT_THAT(experience.Find("D", "a", kStart).failed_at, ElementsAre(kStart + 400 * kDay));
}

}  // namespace
}  // namespace outrigger::reward
