#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/replace/replace_testing.h"
#include "penalty/classes/replace/replacer_testing.h"
#include "penalty/classes/replacement.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

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

TEST_F(ReplacerTest, NothingIsSentAfterTheTerm) {
  const int calls = process_.client()->calls();
  process_.EndTerm();
  EXPECT_TRUE(absl::IsCancelled(process_.Replace(kTarget).status()));
  EXPECT_EQ(process_.client()->calls(), calls);
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
