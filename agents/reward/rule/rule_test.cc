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

double ScoreOfNode(const Sums& all, const Sums& here, double pending = 0, const Rule& rule = {}) {
  const Elsewhere elsewhere = ElsewhereOf(all, here);
  return ScoreOf(ValueOf(here, pending, elsewhere, rule));
}

TEST(RewardRule, AFailureCountsBySecondsOfRunning) {
  EXPECT_EQ(FailureShare(0, {}), 1);
  EXPECT_EQ(FailureShare(300, {}), 0.75);
  EXPECT_EQ(FailureShare(600, {}), 0.5);
  EXPECT_EQ(FailureShare(86'400, {}), 0.5);
  EXPECT_EQ(FailureShare(-5, {}), 1);
}

// e = (9 + 1) / (9 + 1), v = (0 + 2) / (3 e + 2).
TEST(RewardRule, ComparesANodeWithAllOthers) {
  const Elsewhere elsewhere = ElsewhereOf({9, 3}, {0, 3});
  EXPECT_DOUBLE_EQ(elsewhere.works, 1);
  const double value = ValueOf({0, 3}, 0, elsewhere, {});
  EXPECT_DOUBLE_EQ(value, 0.4);
  EXPECT_EQ(ScoreOf(value), value);
  EXPECT_EQ(ScoreOfNode({9, 3}, {9, 0}), 1) << "never above 1";
}

TEST(RewardRule, ANodeOfWhichNothingIsKnownIsNeutral) {
  EXPECT_DOUBLE_EQ(ScoreOfNode({1, 50}, {}), 1);
  EXPECT_DOUBLE_EQ(ScoreOfNode({100, 3}, {}), 1);
  EXPECT_DOUBLE_EQ(ScoreOfNode({9, 9}, {}, 0, {.prior = 0}), 1);
}

// The node may be the emptiest, and take each retry of a Job.
TEST(RewardRule, TheOnlyNodeWhereItWasTriedIsAvoidedUntilItFailsElsewhere) {
  EXPECT_DOUBLE_EQ(ScoreOfNode({0, 1}, {0, 1}), 2.0 / 3);
  EXPECT_LT(ScoreOfNode({0, 9}, {0, 9}), 0.2);
  EXPECT_GT(ScoreOfNode({0, 10}, {0, 9}), 0.75) << "it failed once on another node";
  EXPECT_GT(ScoreOfNode({0, 12}, {0, 9}), 0.95);
}

// Tried on three nodes of many.
TEST(RewardRule, AFailureOnAllNodesAlikeIsChargedToNone) {
  for (const double share : {0.0, 0.01, 0.1, 0.5, 0.9}) {
    for (const double tries : {1.0, 3.0, 50.0, 1e6}) {
      const Sums here = {share * tries, (1 - share) * tries};
      const double score = ScoreOfNode({3 * here.successes, 3 * here.failures}, here);
      EXPECT_GT(score, 0.95) << share << " of " << tries << ": 10 of 10";
    }
  }
}

TEST(RewardRule, PodsWithoutAnOutcomeCountAsFarAsPodsFailElsewhere) {
  EXPECT_EQ(ScoreOfNode({100, 0}, {}, 1000), 1) << "none has failed";
  const double none = ScoreOfNode({30, 10}, {}, 0);
  const double some = ScoreOfNode({30, 10}, {}, 5);
  const double many = ScoreOfNode({30, 10}, {}, 50);
  EXPECT_GT(none, some + 0.05);
  EXPECT_GT(some, many + 0.05);
  EXPECT_GT(ScoreOfNode({130, 10}, {100, 0}, 20), 0.99) << "where it is known to run well";
}

TEST(RewardRule, DrawsAroundTheValueAndGivesNoNodeUp) {
  const Rule rule;
  std::mt19937_64 random(7);
  double sum = 0;
  double least = 1;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = DrawValue({6, 2}, 3, {0.8, 0.1}, rule, &random);
    sum += drawn;
    least = std::min({least, drawn, DrawValue({0, 1e6}, 0, {0.1, 0.9}, rule, &random)});
  }
  EXPECT_THAT(sum / kDraws, DoubleNear(ValueOf({6, 2}, 3, {0.8, 0.1}, rule), 0.02));
  EXPECT_EQ(least, kLeastDraw);
}

TEST(RewardExperience, AFailureIsNoSuccessHoweverLateItIs) {
  Experience experience((Rule()));
  experience.AddFailure("D", "a", 590, kStart);
  EXPECT_EQ(experience.Find("D", "a", kStart).sums.successes, 0);
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
