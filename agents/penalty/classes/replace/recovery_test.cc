// What an earlier process has begun and not ended.
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "penalty/classes/replace/replace_testing.h"
#include "penalty/classes/replace/replacer_testing.h"
#include "penalty/classes/replacement.h"

namespace outrigger::penalty {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ReplacerTest, RecoveryMakesAClassThatIsAbsent) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  EXPECT_FALSE(server_.Find(kClassName));
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  ASSERT_TRUE(recovered[0].result.ok()) << recovered[0].result.status();
  EXPECT_EQ(recovered[0].map, "kube-system/outrigger-penalty-intent-0");
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kReplaced);
  EXPECT_EQ(recovered[0].result->gap_us, -1);
  EXPECT_EQ(recovered[0].result->begun, process_.now);
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
  EXPECT_EQ(AccountedValue(server_), kTarget);
}

TEST_F(ReplacerTest, RecoveryLeavesAClassAbsentWhoseOwnersAreGone) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  server_.SetOwner("owner-1", false);
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kAbsent);
  EXPECT_FALSE(server_.Find(kClassName));
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, AnIntentThatNothingHasComeOfIsDropped) {
  Fate(Verb::kTry, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  ASSERT_TRUE(server_.Remove(kClassName).ok());  // by a person, and so it stays
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kDropped);
  EXPECT_FALSE(server_.Find(kClassName));
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, AnIntentThatWasEditedIsReportedAndNotObeyed) {
  Fate(Verb::kDelete, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  ConfigMap map = *server_.FindMap("kube-system", "outrigger-penalty-intent-0");
  std::string& text = map.data["intent"];
  text.replace(text.find("target=500"), 10, "target=999");
  server_.PutMap(map);
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_TRUE(absl::IsInvalidArgument(recovered[0].result.status()));
  EXPECT_THAT(std::string(recovered[0].result.status().message()),
              HasSubstr("outrigger-penalty-intent-0"));
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
  EXPECT_TRUE(other.HasOpenIntents());
}

TEST_F(ReplacerTest, AnEditedIntentIsRepairedFromItsManifest) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  ASSERT_FALSE(server_.Find(kClassName));
  ConfigMap map = *server_.FindMap("kube-system", "outrigger-penalty-intent-0");
  std::string& text = map.data["intent"];
  text.replace(text.find("target=500"), 10, "target=999");
  server_.PutMap(map);
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  ASSERT_TRUE(recovered[0].result.ok()) << recovered[0].result.status();
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kReplaced);
  EXPECT_THAT(recovered[0].result->message, HasSubstr("outrigger-penalty-intent-0"));
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");  // with its base, not with what was edited
  EXPECT_EQ(AccountedValue(server_), kBase);
  EXPECT_EQ(Intents(server_), 0U);
  EXPECT_FALSE(other.HasOpenIntents());
}

TEST_F(ReplacerTest, AnIntentWhoseManifestWasEditedIsLeftToAPerson) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::DieBefore());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  ConfigMap map = *server_.FindMap("kube-system", "outrigger-penalty-intent-0");
  std::string& text = map.data["manifest"];
  text.replace(text.find("batch"), 5, "gold!");
  server_.PutMap(map);
  TestProcess other(&server_, "b");
  const auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_TRUE(absl::IsInvalidArgument(recovered[0].result.status()));
  EXPECT_THAT(server_.Classes(), IsEmpty());
  EXPECT_EQ(Intents(server_), 1U);
}

TEST_F(ReplacerTest, ALateCreateOfAnEarlierReplacementDoesNotWin) {
  // Its answer is lost, and the class is made by a second one.
  Fate(Verb::kCreate, "PriorityClass", CallFate::Late());
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  ASSERT_EQ(server_.late_calls(), 1U);
  PriorityClass expected = Batch();
  expected.labels.Set("new", "x");
  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->labels.Set("new", "x"); }).ok());
  // It arrives in the gap of the next one.
  has_acted_ = false;
  Before(Verb::kCreate, "PriorityClass", [this] { EXPECT_EQ(server_.DeliverLate(), 1); });
  const auto result = process_.Replace(kBase);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kReplaced);
  EXPECT_EQ(WrongWithClass(server_, {kBase}, expected), "");
}

TEST_F(ReplacerTest, ALateCreateWithTheSameValueButOlderLabelsDoesNotWin) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::Late());
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  ASSERT_TRUE(process_.Replace(700).ok());
  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->labels.Set("new", "x"); }).ok());
  Before(Verb::kCreate, "PriorityClass", [this] { EXPECT_EQ(server_.DeliverLate(), 1); });
  EXPECT_EQ(process_.Replace(kTarget)->outcome, Outcome::kReplaced);
  PriorityClass expected = Batch();
  expected.labels.Set("new", "x");
  EXPECT_EQ(WrongWithClass(server_, {kTarget}, expected), "");
}

TEST_F(ReplacerTest, ALateIntentIsDroppedByTheNextReplacement) {
  Fate(Verb::kCreate, "ConfigMap", CallFate::Late());
  EXPECT_FALSE(process_.Replace(kTarget).ok());
  EXPECT_EQ(process_.Replace(700)->outcome, Outcome::kReplaced);
  server_.DeliverLate();
  EXPECT_EQ(Intents(server_), 1U);
  EXPECT_EQ(process_.Replace(600)->outcome, Outcome::kReplaced);
  EXPECT_EQ(Intents(server_), 0U);
  EXPECT_EQ(Now().value, 600);
}

TEST_F(ReplacerTest, EightIntentsThatWaitForTheirClassesAreTheMost) {
  for (int i = 0; i < 8; ++i) {
    PriorityClass kept;
    kept.name = "kept-" + std::to_string(i);
    kept.value = 100;
    server_.Put(kept);
  }
  server_.OnCall([](const ObjectCall& call) {
    return call.Is(Verb::kDelete, "PriorityClass")
               ? CallFate::FailBefore(absl::UnavailableError("away"))
               : CallFate::Done();
  });
  std::unique_ptr<testing::FakeObjects::Client> client = server_.Process("c");
  Replacer::Options options;
  options.clock.sleep = [](Clock::Duration, const std::stop_token&) { return true; };
  options.run_swap = RunInTurns;
  Replacer replacer(
      client.get(), client.get(), [](const Replacement&) { return absl::OkStatus(); }, options);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(absl::IsUnavailable(
        replacer.Replace({.class_name = "kept-" + std::to_string(i), .base = 100, .target = 50}, {})
            .status()));
  }
  const auto ninth = replacer.Replace({.class_name = kClassName, .base = kBase, .target = 50}, {});
  EXPECT_TRUE(absl::IsResourceExhausted(ninth.status())) << ninth.status();
  server_.OnCall(nullptr);
  EXPECT_THAT(replacer.Recover({}), SizeIs(8));
  EXPECT_FALSE(replacer.HasOpenIntents());
  EXPECT_EQ(server_.Find("kept-7")->value, 50);
}

}  // namespace
}  // namespace outrigger::penalty
