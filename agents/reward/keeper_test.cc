// What is counted, stored, and read again by the next process.
#include "keeper.h"

#include "gmock/gmock.h"
#include "reward_testing.h"

namespace outrigger::reward {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using RewardKeeper = RewardTest;

// v = (0 + 2 m) / (3 + 2) with m = (3 + 2) / (3 + 3 + 2): the demo's numbers.
TEST_F(RewardKeeper, ANodeWhereTheTypeFailsScoresLess) {
  Run("d1", "a");
  Run("d2", "b");
  Look();
  for (int i = 0; i < 3; ++i) {
    Pass(200);
    Fail("d1", 0);
    Look();
  }
  const auto scores = Scores();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(3, 0.01));
  EXPECT_THAT(SumsOf("b").successes, DoubleNear(1, 0.01)) << "600 s without a failure";
  EXPECT_THAT(scores[0].value, DoubleNear(0.4, 0.01));
  EXPECT_EQ(scores[1].value, 1);
  EXPECT_EQ(scores[2].value, 1) << "nothing is known of it";
}

TEST_F(RewardKeeper, SaysWhy) {
  Run("d1", "a");
  Run("d2", "b");
  Look();
  for (int i = 0; i < 3; ++i) {
    Pass(200);
    Fail("d1", 5);
    Look();
  }
  EXPECT_EQ(Scores()[0].why,
            "3 failures of type D here in the last hour, value 0.20 against 1.00 "
            "elsewhere");
  EXPECT_EQ(Scores()[1].why, "no failure of type D here is known, 0.50 of all nodes");
  Pass(5 * 3600);
  EXPECT_THAT(Scores()[0].why.text(), HasSubstr("last failure of type D here 5 h ago, value"));
}

TEST_F(RewardKeeper, AnotherTypeIsNotConcerned) {
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  EXPECT_LT(Scores("D")[0].value, 1);
  EXPECT_THAT(Scores("E"), Each(Field(&NodeScore::value, 1)));
}

TEST_F(RewardKeeper, ATypeThatFailsEverywhereLowersNoNode) {
  for (const char* node : {"a", "b", "c"}) Run(std::string("d-") + node, node);
  Look();
  for (int i = 0; i < 50; ++i) {
    Pass(10);
    for (const char* node : {"a", "b", "c"}) Fail(std::string("d-") + node, 9);
    Look();
  }
  const auto scores = Scores();
  EXPECT_EQ(scores[0].value, scores[1].value);
  EXPECT_EQ(scores[1].value, scores[2].value);
}

TEST_F(RewardKeeper, TheNextProcessGoesOnAndCountsNothingTwice) {
  Run("d1", "a");
  Run("d2", "b");
  Look();
  Pass(1300);
  Fail("d1", 100);
  Look();
  const Sums a = SumsOf("a");
  const Sums b = SumsOf("b");
  End();
  Pass(10);
  Restart();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(a.failures, 0.001));
  EXPECT_THAT(SumsOf("a").successes, DoubleNear(a.successes, 0.001));
  EXPECT_THAT(SumsOf("b").successes, DoubleNear(b.successes, 0.001));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RewardKeeper, TheNextProcessCountsWhatWasMissed) {
  Run("d1", "a");
  Run("d2", "b");
  Look();
  End();
  Pass(3000);
  Fail("d1", 5);
  Pass(60);
  Restart();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(1, 0.01));
  EXPECT_THAT(SumsOf("b").successes, DoubleNear(5, 0.1)) << "running goes on without us";
}

TEST_F(RewardKeeper, WhatWasNotStoredIsCountedAgain) {
  Run("d1", "a");
  Look();
  End();
  Pass(2);
  Fail("d1", 2);
  keeper_->Round(term_.get_token());  // counted; the process is killed before it is stored
  Restart();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(1, 0.01));
  End();
  Restart();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(1, 0.01));
}

TEST_F(RewardKeeper, TheStateIsWrittenOnceAMinuteAtMost) {
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  const std::string version = Stored().resource_version;
  for (int i = 0; i < 59; ++i) {
    Pass(1);
    Fail("d1", 1);
    Look();
  }
  EXPECT_EQ(Stored().resource_version, version);
  Pass(1);
  Look();
  EXPECT_NE(Stored().resource_version, version);
}

TEST_F(RewardKeeper, NothingIsStoredWhileNothingHappens) {
  Run("d1", "a");
  Look();
  End();
  const std::string version = Stored().resource_version;
  for (int i = 0; i < 5; ++i) {
    Pass(100);
    Look();
  }
  EXPECT_EQ(Stored().resource_version, version);
}

TEST_F(RewardKeeper, WhatAPersonEditsIsReadAgain) {
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  ConfigMap map = Stored();
  map.data["pairs"] = "outrigger-reward 1\ntime 1795000000\nnode c\ntype D 0 9\non 0 0 9\nhm\n";
  ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  Fail("d1", 5);
  Pass(60);
  Look();
  Look();
  EXPECT_THAT(SumsOf("c").failures, DoubleNear(9, 0.01));
  EXPECT_THAT(warnings_, Contains(AllOf(HasSubstr("ConfigMap kube-system/outrigger-reward"),
                                        HasSubstr("line 6: not known: \"hm\""))));
}

TEST_F(RewardKeeper, AConfigMapOfAMebibyteIsReadAndWrittenSmaller) {
  std::string text = "outrigger-reward 1\ntime 1795000000\nnode c\ntype D 0 9\non 0 0 9\n";
  while (text.size() < (size_t{1} << 20) - 200) text += "# filling, filling, filling, filling\n";
  ConfigMap map;
  map.namespace_ = "kube-system";
  map.name = "outrigger-reward";
  map.data["pairs"] = text;
  map.data["notes"] = "of a person";
  ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  Restart();
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  EXPECT_THAT(SumsOf("c").failures, DoubleNear(9, 0.01));
  EXPECT_LT(Stored().data["pairs"].size(), 1000U);
  EXPECT_EQ(Stored().data["notes"], "of a person");
}

TEST_F(RewardKeeper, ForeignTextsOfTooManyBytesGiveWay) {
  ConfigMap map;
  map.namespace_ = "kube-system";
  map.name = "outrigger-reward";
  map.data["huge"] = std::string(size_t{1000} * 1024, 'x');
  ASSERT_TRUE(cluster_.WriteConfigMap(map, {}).ok());
  Restart();
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  EXPECT_THAT(Stored().data, SizeIs(1));
}

TEST_F(RewardKeeper, AClockThatJumpsChangesNoAgeAndPaysForNothing) {
  Run("d1", "a");
  Run("d2", "b");
  Look();
  Fail("d1", 5);
  Look();
  const Sums before = SumsOf("a");
  now_ += 400 * kDay;
  Look();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(before.failures, 0.001));
  EXPECT_EQ(SumsOf("b").successes, -1) << "400 days that were not";
  EXPECT_THAT(warnings_, Contains(HasSubstr("the clock was set by 34560000 s")));
  now_ -= 400 * kDay;
  Look();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(before.failures, 0.001));
  Pass(600);
  Look();
  EXPECT_THAT(SumsOf("b").successes, DoubleNear(1, 0.001));
}

TEST_F(RewardKeeper, APodThatIsDeletedCountsForNothing) {
  Run("d1", "a");
  Look();
  Pass(30);
  cluster_.RemovePod("d1");
  Look();
  EXPECT_EQ(SumsOf("a").failures, -1);
}

TEST_F(RewardKeeper, OnlyPodsThatAreAskedForCount) {
  settings_.pod_namespaces = "default, batch";
  settings_.pod_selector = "podtype in (E)";
  Restart();
  Run("d1", "a");
  Run("e1", "a", "E");
  Look();
  for (const char* name : {"d1", "e1"}) Fail(name, 5);
  Look();
  EXPECT_EQ(SumsOf("a", "D").failures, -1);
  EXPECT_GT(SumsOf("a", "E").failures, 0.9);
}

TEST_F(RewardKeeper, APodThatIsNoLongerTakenIsNotPaid) {
  settings_.pod_selector = "podtype in (D)";
  Restart();
  Run("d1", "a");
  Look();
  const auto label = [this](const std::string& type) {
    cluster_.Change("d1", [&](Pod* pod) { pod->labels.Set("podtype", type); });
    Look();
  };
  for (const char* type : {"E", ""}) {  // another one, and none
    label(type);
    Pass(1300);
    Look();
    EXPECT_EQ(SumsOf("a").successes, -1) << type;
  }
  Fail("d1", 5);
  Look();
  Pass(1300);
  label("D");
  EXPECT_EQ(SumsOf("a").successes, -1) << "what went on meanwhile is not counted later";
  Pass(600);
  Look();
  EXPECT_THAT(SumsOf("a").successes, DoubleNear(1, 0.01));
  EXPECT_EQ(SumsOf("a").failures, 0);
}

TEST_F(RewardKeeper, WithoutAViewItWaits) {
  cluster_.SetUsable(absl::UnavailableError("pods are too old"));
  Look();
  Look();
  EXPECT_THAT(warnings_, SizeIs(1)) << "said once";
  cluster_.SetUsable(absl::OkStatus());
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  EXPECT_GT(SumsOf("a").failures, 0.9);
}

TEST_F(RewardKeeper, AnotherProcessReadsWhatIsStored) {
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  const auto store = MakeStateStore(options_.store, Deps());
  RuleMethod other(options_.rule, options_.filter, false);
  Keeper follower(Deps(), &other, store->get());
  ASSERT_TRUE(follower.ReadAgain({}).ok());
  EXPECT_EQ(other.Pairs(), 1U);
}

TEST_F(RewardKeeper, AStateThatIsDeletedBeginsWithWhatPodsStillShow) {
  Run("d1", "a");
  Look();
  Fail("d1", 5);
  Look();
  ASSERT_TRUE(cluster_.DeleteConfigMap(Stored(), {}).ok());
  Fail("d1", 5);
  Pass(60);
  Look();
  Look();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(2, 0.02));
}

}  // namespace
}  // namespace outrigger::reward
