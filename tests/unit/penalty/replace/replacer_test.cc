#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "outrigger/penalty/base_value.h"
#include "outrigger/penalty/replacement.h"
#include "unit/penalty/replace/replace_testing.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Outcome = Replacement::Outcome;
using outrigger::testing::CallFate;
using outrigger::testing::ObjectCall;
using Verb = ObjectCall::Verb;

class ReplacerTest : public ::testing::Test {
 protected:
  ReplacerTest() {
    server_.SetOwner("owner-1", true);
    server_.Put(Batch());
  }
  // Lets `act` happen once, right before the first call of that kind.
  void Before(Verb verb, const std::string& kind, std::function<void()> act) {
    server_.OnCall([this, verb, kind, act](const ObjectCall& call) {
      if (call.Is(verb, kind) && !has_acted_) {
        has_acted_ = true;
        act();
      }
      return CallFate::Done();
    });
  }
  // Answers the first call of that kind so.
  void Fate(Verb verb, const std::string& kind, const CallFate& fate, int times = 1) {
    server_.OnCall([this, verb, kind, fate, times](const ObjectCall& call) {
      return call.Is(verb, kind) && ++fates_ <= times ? fate : CallFate::Done();
    });
  }
  PriorityClass Now() { return *server_.Find(kClassName); }

  testing::FakeObjects server_;
  TestProcess process_{&server_};
  bool has_acted_ = false;
  int fates_ = 0;
};

TEST_F(ReplacerTest, GivesAClassItsTargetAndKeepsAllElse) {
  const std::string uid = Now().uid;
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kReplaced);
  EXPECT_EQ(result->before, kBase);
  EXPECT_EQ(result->value, kTarget);
  EXPECT_EQ(result->gap_us, 0);  // the clock of the test stands
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
  EXPECT_EQ(Now().annotations.Get(kBaseValueAnnotation), "1000");
  EXPECT_NE(Now().uid, uid);
  EXPECT_EQ(Intents(server_), 0U);
  EXPECT_EQ(AccountedValue(server_), kTarget);
  EXPECT_FALSE(process_.HasOpenIntents());
}

TEST_F(ReplacerTest, SendsItsCallsInTheOrderOfTheDesign) {
  std::vector<std::string> calls;
  server_.OnCall([&](const ObjectCall& call) {
    if (call.verb != Verb::kGet) calls.push_back(call.Text());
    return CallFate::Done();
  });
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  EXPECT_THAT(calls, ElementsAre("create ConfigMap outrigger-penalty-intent-0",  //
                                 "try PriorityClass batch",                      //
                                 "update ConfigMap outrigger-penalty-intent-0",  //
                                 "delete PriorityClass batch",                   //
                                 "create PriorityClass batch",                   //
                                 "create ConfigMap outrigger-penalty-classes-0",
                                 "delete ConfigMap outrigger-penalty-intent-0"));
}

TEST_F(ReplacerTest, TheGapIsFromTheAnswerToDeleteToTheAnswerToCreate) {
  Fate(Verb::kCreate, "PriorityClass", CallFate::FailBefore(absl::UnavailableError("no")), 2);
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->gap_us, 50'000);  // the one pause between two attempts
}

TEST_F(ReplacerTest, BackAtItsBaseTheClassIsAsItWas) {
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  const auto result = process_.Replace(kBase);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
  EXPECT_FALSE(Now().annotations.Contains(kBaseValueAnnotation));
}

TEST_F(ReplacerTest, AClassAtItsTargetIsNotTouched) {
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  const std::string version = Now().resource_version;
  EXPECT_EQ(process_.Replace(kTarget)->outcome, Outcome::kUnchanged);
  EXPECT_EQ(Now().resource_version, version);
}

TEST_F(ReplacerTest, AClassThatAPersonDeletedIsLeftSo) {
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  EXPECT_EQ(process_.Replace(kTarget)->outcome, Outcome::kAbsent);
  EXPECT_FALSE(server_.Find(kClassName));
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, AWrongChangeIsRefused) {
  for (const auto& [base, target] : std::vector<std::pair<int64_t, int64_t>>{
           {1'000'000'001, 5}, {1000, 1001}, {0, int64_t{INT32_MIN} - 1}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(process_.Replace(target, base).status()));
  }
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
}

// --- what others do in between

TEST_F(ReplacerTest, AnEditInBetweenIsKept) {
  Before(Verb::kDelete, "PriorityClass", [this] {
    ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->labels.Set("new", "x"); }).ok());
  });
  EXPECT_EQ(process_.Replace(kTarget)->outcome, Outcome::kReplaced);
  PriorityClass expected = Batch();
  expected.labels.Set("new", "x");
  EXPECT_EQ(WrongWithClass(server_, {kTarget}, expected), "");
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, AClassThatIsEditedAllTheTimeIsLeftAlone) {
  int edits = 0;
  server_.OnCall([&](const ObjectCall& call) {
    if (call.Is(Verb::kDelete, "PriorityClass")) {
      EXPECT_TRUE(
          server_
              .Edit(kClassName,
                    [&](PriorityClass* c) { c->labels.Set("edit", std::to_string(++edits)); })
              .ok());
    }
    return CallFate::Done();
  });
  const auto result = process_.Replace(kTarget);
  EXPECT_TRUE(absl::IsAborted(result.status())) << result.status();
  EXPECT_EQ(Now().value, kBase);
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, AnotherWritersClassIsAdopted) {
  Before(Verb::kCreate, "PriorityClass", [this] {
    PriorityClass other = Batch();
    other.value = 3000;
    other.managers = {"gitops"};
    server_.Put(other);
  });
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kAdopted);
  EXPECT_EQ(result->base, 3000);
  EXPECT_EQ(Now().value, 3000);
  EXPECT_EQ(Intents(server_), 0U);
  // From then on it is the base that counts: the old one is not written any more.
  EXPECT_EQ(process_.Replace(400)->outcome, Outcome::kAdopted);
  EXPECT_EQ(Now().value, 3000);
  EXPECT_EQ(process_.Replace(2000, 3000)->outcome, Outcome::kReplaced);
}

TEST_F(ReplacerTest, AnExportOfAPenalisedClassDoesNotLowerItsBase) {
  Before(Verb::kCreate, "PriorityClass", [this] {
    PriorityClass other = Batch();
    other.value = 700;
    other.annotations.Set(kBaseValueAnnotation, "1000");
    other.managers = {"kubectl-create"};
    server_.Put(other);
  });
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kAdopted);
  EXPECT_EQ(result->base, kBase);
  EXPECT_EQ(result->value, 700);
  EXPECT_EQ(process_.Replace(kBase)->outcome, Outcome::kReplaced);
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
}

TEST_F(ReplacerTest, AnnotationThatWasRemovedFromAPenalisedClassDoesNotLowerItsBase) {
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->annotations = {}; }).ok());
  EXPECT_EQ(process_.Replace(kBase)->outcome, Outcome::kAdopted);  // it is not known whose it is
  process_.written = kTarget;
  EXPECT_EQ(process_.Replace(600)->outcome, Outcome::kReplaced);
  EXPECT_EQ(Now().annotations.Get(kBaseValueAnnotation), "1000");
}

TEST_F(ReplacerTest, AClassThatAWriterMadeWithItsBaseIsPenalisedNextTime) {
  ASSERT_TRUE(process_.Replace(kTarget).ok());
  ASSERT_TRUE(server_.Remove(kClassName).ok());
  server_.Put(Batch());
  EXPECT_EQ(process_.Replace(kTarget)->outcome, Outcome::kReplaced);
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
}

TEST_F(ReplacerTest, AFinalizerInBetweenIsReportedAndTheClassComesBackWithoutIt) {
  Before(Verb::kCreate, "PriorityClass", [this] {
    // What DELETE would have met had the finalizer come right before it.
    PriorityClass kept = Batch();
    kept.uid = "uid-1";
    kept.finalizers = {"example.com/wait"};
    kept.is_deleted = true;
    server_.Put(kept);
  });
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kStuck);
  EXPECT_EQ(result->reason, "finalizers");
  EXPECT_THAT(result->message, HasSubstr("example.com/wait"));
  EXPECT_EQ(Intents(server_), 1U);

  TestProcess other(&server_, "b");  // as long as it is there, it can do no more
  auto recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kStuck);
  EXPECT_EQ(other.Replace(400)->outcome, Outcome::kStuck);
  EXPECT_TRUE(other.HasOpenIntents());

  ASSERT_TRUE(server_.Edit(kClassName, [](PriorityClass* c) { c->finalizers = {}; }).ok());
  recovered = other.Recover();
  ASSERT_THAT(recovered, SizeIs(1));
  EXPECT_EQ(recovered[0].result->outcome, Outcome::kReplaced);
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
  EXPECT_FALSE(other.HasOpenIntents());
}

// --- what the API server refuses

TEST_F(ReplacerTest, ARefusalOfAdmissionIsQuotedAndNothingIsDeleted) {
  server_.SetAdmission([](const PriorityClass& made, bool) {
    return made.value < 800 ? absl::PermissionDeniedError("webhook \"w\" denied: too low")
                            : absl::OkStatus();
  });
  const std::string version = Now().resource_version;
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kRefused);
  EXPECT_EQ(result->reason, "admission");
  EXPECT_THAT(result->message, HasSubstr("webhook \"w\" denied: too low"));
  EXPECT_EQ(Now().resource_version, version);
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, ATargetThatIsRefusedAfterDeleteLeavesTheBase) {
  server_.SetAdmission([](const PriorityClass& made, bool dry_run) {
    return made.value < 800 && !dry_run ? absl::InvalidArgumentError("not today")
                                        : absl::OkStatus();
  });
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kRefused);
  EXPECT_EQ(result->value, kBase);
  EXPECT_THAT(result->message, HasSubstr("not today"));
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
  EXPECT_EQ(AccountedValue(server_), kBase);
}

TEST_F(ReplacerTest, ADeleteThatIsForbiddenLeavesTheClassAlone) {
  Fate(Verb::kDelete, "PriorityClass", CallFate::FailBefore(absl::PermissionDeniedError("rbac")));
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kRefused);
  EXPECT_THAT(result->message, HasSubstr("rbac"));
  EXPECT_EQ(WrongWithClass(server_, {kBase}), "");
  EXPECT_EQ(Intents(server_), 0U);
}

TEST_F(ReplacerTest, ADeleteThatIsForbiddenEndsNothingWhileAnEarlierOneMayArrive) {
  int deletes = 0;
  server_.OnCall([&](const ObjectCall& call) {
    if (!call.Is(Verb::kDelete, "PriorityClass")) return CallFate::Done();
    return ++deletes == 1 ? CallFate::Late()
                          : CallFate::FailBefore(absl::PermissionDeniedError("rbac"));
  });
  EXPECT_TRUE(absl::IsPermissionDenied(process_.Replace(kTarget).status()));
  EXPECT_EQ(Intents(server_), 1U);
  EXPECT_EQ(server_.DeliverLate(), 1);
  EXPECT_FALSE(server_.Find(kClassName));
  TestProcess other(&server_, "b");
  other.Recover();
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
}

TEST_F(ReplacerTest, AClassTooLargeForTheJournalIsLeftAlone) {
  ASSERT_TRUE(
      server_.Edit(kClassName, [](PriorityClass* c) { c->description = std::string(300'000, 'x'); })
          .ok());
  const auto result = process_.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kRefused);
  EXPECT_EQ(result->reason, "too-large");
  EXPECT_EQ(Now().value, kBase);
}

// --- recovery

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

TEST_F(ReplacerTest, NothingIsSentAfterTheTerm) {
  const int calls = process_.client()->calls();
  process_.EndTerm();
  EXPECT_TRUE(absl::IsCancelled(process_.Replace(kTarget).status()));
  EXPECT_EQ(process_.client()->calls(), calls);
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

TEST_F(ReplacerTest, CreateIsSentWhileDeleteIsUnderWay) {
  TestProcess threads(&server_, "threads", RunSideBySide);
  std::atomic<int> creates = 0;
  std::atomic<bool> is_timed_out = false;
  server_.OnCall([&](const ObjectCall& call) {
    if (call.Is(Verb::kCreate, "PriorityClass")) ++creates;
    if (call.Is(Verb::kDelete, "PriorityClass")) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (creates < 3 && !is_timed_out) {  // two were answered that the class is there
        std::this_thread::yield();
        is_timed_out = std::chrono::steady_clock::now() > until;
      }
    }
    return CallFate::Done();
  });
  const auto result = threads.Replace(kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome, Outcome::kReplaced);
  EXPECT_FALSE(is_timed_out);
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
}

TEST_F(ReplacerTest, EarlyCreatesAreBounded) {
  TestProcess threads(&server_, "threads", RunSideBySide);
  std::atomic<int> creates = 0;
  server_.OnCall([&](const ObjectCall& call) {
    if (call.Is(Verb::kCreate, "PriorityClass")) ++creates;
    if (call.Is(Verb::kDelete, "PriorityClass")) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (creates < 100 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      EXPECT_LE(creates, 100);
    }
    return CallFate::Done();
  });
  ASSERT_TRUE(threads.Replace(kTarget).ok());
  EXPECT_LE(creates, 101);
  EXPECT_EQ(WrongWithClass(server_, {kTarget}), "");
}

}  // namespace
}  // namespace outrigger::penalty
