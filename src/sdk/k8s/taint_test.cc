#include "outrigger/k8s/taint.h"

#include <vector>

#include "gtest/gtest.h"

namespace outrigger {
namespace {

const Taint kTaint = {"dedicated", "ml", TaintEffect::kNoSchedule};

Toleration Equal(const char* key, const char* value) {
  return {key, value, false, {}};
}
Toleration Exists(const char* key) {
  return {key, "", true, {}};
}

TEST(Toleration, EqualWantsKeyValueAndEffect) {
  EXPECT_TRUE(Equal("dedicated", "ml").Tolerates(kTaint));
  EXPECT_FALSE(Equal("dedicated", "db").Tolerates(kTaint));
  EXPECT_FALSE(Equal("other", "ml").Tolerates(kTaint));
  Toleration toleration = Equal("dedicated", "ml");
  toleration.effect = TaintEffect::kNoExecute;
  EXPECT_FALSE(toleration.Tolerates(kTaint));
}

TEST(Toleration, ExistsIgnoresTheValue) {
  EXPECT_TRUE(Exists("dedicated").Tolerates(kTaint));
}

TEST(Toleration, EmptyKeyStandsForEveryKey) {
  EXPECT_TRUE(Exists("").Tolerates(kTaint));
  EXPECT_TRUE(Equal("", "ml").Tolerates(kTaint));
  EXPECT_FALSE(Toleration().Tolerates(kTaint));
}

TEST(FindUntoleratedTaint, PassesOverPreferNoSchedule) {
  const std::vector<Taint> taints = {{"a", "", TaintEffect::kPreferNoSchedule}, kTaint};
  EXPECT_EQ(FindUntoleratedTaint(taints, {}), &taints[1]);
  EXPECT_EQ(FindUntoleratedTaint(taints, std::vector{Exists("dedicated")}), nullptr);
}

TEST(ToleratesCordon, WantsTheTaintOfACordonOrAnyTolerated) {
  EXPECT_FALSE(ToleratesCordon({}));
  EXPECT_FALSE(ToleratesCordon(std::vector{Exists("dedicated")}));
  EXPECT_TRUE(ToleratesCordon(std::vector{Exists("node.kubernetes.io/unschedulable")}));
  EXPECT_TRUE(ToleratesCordon(std::vector{Exists("dedicated"), Exists("")}));
  Toleration evicted = Exists("node.kubernetes.io/unschedulable");
  evicted.effect = TaintEffect::kNoExecute;
  EXPECT_FALSE(ToleratesCordon(std::vector{evicted}));
}

}  // namespace
}  // namespace outrigger
