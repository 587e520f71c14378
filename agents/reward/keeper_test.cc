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

// e = (1 + 1) / (1 + 1), v = (0 + 2) / (3 e + 2).
TEST_F(RewardKeeper, ANodeWhereTheTypeFailsScoresLess) {
  FailOnA();
  const auto scores = Scores();
  EXPECT_THAT(SumsOf("a").failures, DoubleNear(3, 0.01));
  EXPECT_THAT(SumsOf("b").successes, DoubleNear(1, 0.01)) << "600 s without a failure";
  EXPECT_THAT(scores[0].value, DoubleNear(0.4, 0.01));
  EXPECT_EQ(scores[1].value, 1);
  EXPECT_EQ(scores[2].value, 1) << "nothing is known of it";
}

TEST_F(RewardKeeper, SaysWhy) {
  FailOnA(5);
  EXPECT_EQ(Scores()[0].why,
            "3 failures of type D (namespace default, image web:1) here in the last hour, value "
            "0.40 (1: as good as elsewhere)");
  EXPECT_THAT(Scores()[1].why.text(), HasSubstr("no failure of type D (namespace default, image "
                                                "web:1) here is known, value 1.50 (1: as"));
  Pass(5 * 3600);
  EXPECT_THAT(
      Scores()[0].why.text(),
      HasSubstr("last failure of type D (namespace default, image web:1) here 5 h ago, value"));
}

TEST_F(RewardKeeper, AnotherTypeIsNotConcerned) {
  FailOnA();
  EXPECT_LT(Scores("D")[0].value, 1);
  EXPECT_THAT(Scores("E"), Each(Field(&NodeScore::value, 1)));
}

TEST_F(RewardKeeper, AnotherNamespaceOrImageIsNotConcerned) {
  FailOnA();
  ASSERT_LT(ScoresOf(New("D"))[0].value, 0.9);
  Pod other = New("D");
  other.images = {"web:2"};
  EXPECT_THAT(ScoresOf(other), Each(Field(&NodeScore::value, 1))) << "a rollout begins anew";
  other = New("D");
  other.namespace_ = "shop";
  EXPECT_THAT(ScoresOf(other), Each(Field(&NodeScore::value, 1))) << "of another tenant";
}

TEST_F(RewardKeeper, TheTypeIsByTheLabelThatIsSet) {
  settings_.type_label = "team/kind";
  Restart();
  Run("d1", "a");
  cluster_.Change("d1", [](Pod* pod) { pod->labels.Set("team/kind", "K"); });
  Look();
  Fail("d1", 5);
  Look();
  EXPECT_GT(SumsOf("a", "K").failures, 0.9);
  EXPECT_EQ(SumsOf("a", "D").failures, -1);
}

// A burst is not given to one node before it has shown that it is good.
TEST_F(RewardKeeper, PodsWithoutAnOutcomeYetCountAgainstTheirNode) {
  FailOnA();
  ASSERT_EQ(Scores()[2].value, 1) << "nothing is known of c";
  const double good = Scores()[1].value;
  for (int i = 0; i < 9; ++i) {
    for (const char* node : {"b", "c"}) {
      Run(node + std::to_string(i), node);
      cluster_.Change(node + std::to_string(i), [&](Pod* pod) { pod->scheduled_time = now_; });
    }
  }
  EXPECT_EQ(Scores()[1].value, good) << "known to be good";
  EXPECT_LT(Scores()[2].value, 0.9);
  EXPECT_LT(Scores()[0].value, Scores()[2].value) << "known to be bad";
  EXPECT_THAT(Scores()[2].why.text(), HasSubstr("9 pods here without an outcome yet"));
  Pass(600);
  EXPECT_EQ(Scores()[2].value, 1) << "they have run well";
}

TEST_F(RewardKeeper, ATypeThatFailsWhereverItIsTriedLowersNoNode) {
  for (const char* node : {"a", "b"}) Run(std::string("d-") + node, node);
  Look();
  for (int i = 0; i < 50; ++i) {
    Pass(10);
    for (const char* node : {"a", "b"}) Fail(std::string("d-") + node, 9);
    Look();
  }
  EXPECT_THAT(Scores(), Each(Field(&NodeScore::value, DoubleNear(1, 0.001))))
      << "nor is c the favourite";
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
  map.data["pairs"] =
      "outrigger-reward 2\ntime 1795000000\nnode c\ntype default/D web:1 0 9\non 0 0 9\nhm\n";
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
  std::string text =
      "outrigger-reward 2\ntime 1795000000\nnode c\ntype default/D web:1 0 9\non 0 0 9\n";
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
