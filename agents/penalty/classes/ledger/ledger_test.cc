#include "penalty/classes/ledger.h"

#include "penalty/classes/base_value.h"

#include <functional>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/base_value.h"
#include "penalty/classes/class_policy.h"
#include "penalty/classes/ledger/ledger_testing.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr JournalMap kFirstClasses = {JournalMapKind::kClasses, 0};
constexpr JournalMap kFirstChanges = {JournalMapKind::kChanges, 0};
constexpr JournalMap kSums = {JournalMapKind::kSums, 0};

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    policy_.start = {Increment::Kind::kFlat, 50};
    policy_.completion = {Increment::Kind::kFlat, 20};
    policy_.recovery.half_life = 1'000;
    policy_.grace = 0;
    EXPECT_TRUE(ledger_.Add(NewAccount("gold", 1000)).ok());
    Written();
  }

  void Written() {
    for (const auto urgency : {Ledger::Urgency::kNow, Ledger::Urgency::kLater}) {
      for (const JournalMap& map : ledger_.Unwritten(urgency)) ledger_.OnJournalWritten(map);
    }
  }
  absl::StatusOr<GroupState> See(const std::string& uid, const GroupState& state, Phase phase,
                                 Millis now = kNow, const std::string& queue = "research") {
    return ledger_.Count("gold", {uid, "default", queue}, state, OnPhase(state, phase, false),
                         {policy_, bounds_, policy_}, now);
  }
  const ClassAccount& gold() const { return *ledger_.Find("gold"); }
  std::vector<JournalMap> Now() const { return ledger_.Unwritten(Ledger::Urgency::kNow); }
  std::vector<JournalMap> Later() const { return ledger_.Unwritten(Ledger::Urgency::kLater); }

  Policy policy_;
  Bounds bounds_ = {.base = 1000, .floor = 100, .top = 1000, .quantum = 50};
  Ledger ledger_{kNow};
};

TEST_F(LedgerTest, AnEdgeIsCountedAndPendingUntilItsGroupIsMarked) {
  const auto state = See(UidOf(1), {}, Phase::kRunning);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(*state, (GroupState{Stage::kRunning, 1, {}}));
  EXPECT_EQ(gold().account.penalty, 50);
  EXPECT_EQ(gold().account.starts, 1);
  EXPECT_EQ(ledger_.PendingOf(UidOf(1)), *state);
  EXPECT_THAT(Now(), ElementsAre(kFirstClasses));
  EXPECT_THAT(Later(), ElementsAre(kSums));
  Written();
  ledger_.DropPending(UidOf(1));
  EXPECT_EQ(ledger_.PendingOf(UidOf(1)), std::nullopt);
  EXPECT_THAT(Now(), IsEmpty());  // with the next write
  EXPECT_THAT(Later(), ElementsAre(kFirstClasses));
}

TEST_F(LedgerTest, ACompletionHasWhatItAddedSoThatItCanBeTakenBack) {
  const auto completed = See(UidOf(1), {Stage::kRunning, 1, {}}, Phase::kCompleted);
  ASSERT_TRUE(completed.ok());
  EXPECT_EQ(completed->completion, (Added{20, kNow}));
  const auto running = See(UidOf(1), *completed, Phase::kRunning, kNow + 1'000);
  ASSERT_TRUE(running.ok());
  EXPECT_EQ(*running, (GroupState{Stage::kRunning, 1, {}}));
  EXPECT_EQ(gold().account.penalty, 0);
  EXPECT_EQ(gold().account.completions, 0);
  EXPECT_EQ(ledger_.queues().at("research").penalty, 0);
  EXPECT_EQ(ledger_.namespaces().at("default").completions, 0);
  EXPECT_EQ(ledger_.PendingOf(UidOf(1)), *running);
}

TEST_F(LedgerTest, AMissedRunIsTwoEdgesAndOnePendingMark) {
  const auto state = See(UidOf(1), {}, Phase::kCompleted);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(gold().account.penalty, 70);
  EXPECT_EQ(gold().account.starts, 1);
  EXPECT_EQ(gold().account.completions, 1);
  EXPECT_EQ(ledger_.pending().size(), 1U);
}

TEST_F(LedgerTest, WhatCountsNothingChangesNothing) {
  const Ledger before = ledger_;
  EXPECT_TRUE(See(UidOf(1), {}, Phase::kWaiting).ok());
  EXPECT_EQ(ledger_, before);
  EXPECT_THAT(Now(), IsEmpty());
}

TEST_F(LedgerTest, WhatCannotBeCountedChangesNothing) {
  for (const std::string& uid : {std::string(), std::string("a b"), std::string(65, 'x')}) {
    const Ledger before = ledger_;
    EXPECT_EQ(See(uid, {}, Phase::kRunning).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(ledger_, before);
  }
  EXPECT_EQ(ledger_
                .Count("silver", {UidOf(1), "default", ""}, {}, OnPhase({}, Phase::kRunning, false),
                       {policy_, bounds_, policy_}, kNow)
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LedgerTest, OnlySoManyMarksArePendingAtOnce) {
  for (size_t i = 0; i < kMostPending; ++i) {
    ASSERT_TRUE(See(UidOf(static_cast<int64_t>(i)), {}, Phase::kRunning).ok());
  }
  const Ledger before = ledger_;
  EXPECT_EQ(See(UidOf(99), {}, Phase::kRunning).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ledger_, before);
  // One that is pending already goes on.
  EXPECT_TRUE(See(UidOf(0), {Stage::kRunning, 1, {}}, Phase::kCompleted).ok());
  ledger_.DropPending(UidOf(0));
  EXPECT_TRUE(See(UidOf(99), {}, Phase::kRunning).ok());
}

TEST_F(LedgerTest, CoalescingBeginsWithTheFirstCountThatIsNotWritten) {
  ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, kNow).ok());
  ASSERT_TRUE(See(UidOf(2), {}, Phase::kRunning, kNow + 400).ok());
  EXPECT_EQ(gold().account.unwritten_since, kNow);
  EXPECT_EQ(NextDue(gold().account, policy_, bounds_, gold().written, kNow + 400), kNow + 1'000);
  ledger_.OnReplaced("gold", {.at = kNow + 1'000, .before = 1000, .after = 940, .cause = "start"});
  EXPECT_EQ(gold().account.unwritten_since, 0);
  ASSERT_TRUE(See(UidOf(3), {}, Phase::kRunning, kNow + 5'000).ok());
  EXPECT_EQ(gold().account.unwritten_since, kNow + 5'000);
}

TEST_F(LedgerTest, ACountThatChangesNoValueBeginsNoCoalescing) {
  policy_.start.amount = 0.2;
  ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, kNow).ok());
  policy_.start.amount = 50;
  ASSERT_TRUE(See(UidOf(2), {}, Phase::kRunning, kNow + 5'000).ok());
  EXPECT_EQ(gold().account.unwritten_since, kNow + 5'000);
}

TEST_F(LedgerTest, TheLastHundredChangesAreKept) {
  for (int i = 0; i < 130; ++i) {
    ledger_.OnReplaced("gold", {.at = kNow + i,
                                .before = 1000,
                                .after = 999 - i,
                                .gap_us = 4'000 + i,
                                .cause = fmt::format("start default/job-{}\n", i)});
  }
  EXPECT_EQ(gold().changes.size(), kKeptChanges);
  EXPECT_EQ(gold().changes.back(),
            (ValueChange{kNow + 129, 1000, 870, 4'129, "start default/job-129?x0a"}));
  EXPECT_EQ(gold().changes.front().at, kNow + 30);
  EXPECT_EQ(gold().written, 870);
  EXPECT_EQ(gold().replaced, kNow + 129);
  EXPECT_EQ(gold().gap_us, 4'129);
  EXPECT_THAT(Now(), ElementsAre(kFirstClasses));
  EXPECT_THAT(Later(), ElementsAre(kFirstChanges));
}

TEST_F(LedgerTest, AForeignClassIsAdopted) {
  PriorityClass gold_class;
  gold_class.name = "gold";
  gold_class.value = 1000;
  EXPECT_FALSE(ledger_.Adopt(gold_class, kNow));
  gold_class.value = 700;  // a person made it again
  EXPECT_TRUE(ledger_.Adopt(gold_class, kNow));
  EXPECT_EQ(gold().base, 700);
  EXPECT_EQ(gold().written, 700);
  EXPECT_EQ(gold().changes.back(), (ValueChange{kNow, 1000, 700, 0, "adopted"}));
  gold_class.annotations.Set(kBaseValueAnnotation, "1000");  // of an export while it was penalised
  EXPECT_TRUE(ledger_.Adopt(gold_class, kNow));
  EXPECT_EQ(gold().base, 1000);
  EXPECT_EQ(gold().written, 700);
}

TEST_F(LedgerTest, ALostAccountIsRebuiltFromTheClassAndItsGroups) {
  PriorityClass gold_class;
  gold_class.name = "gold";
  gold_class.value = 700;
  gold_class.annotations.Set(kBaseValueAnnotation, "1000");
  const ClassAccount rebuilt = RebuildAccount(gold_class,
                                              {{Stage::kRunning, 3, {}},
                                               {Stage::kCompleted, 2, {}},
                                               {Stage::kWaiting, 1, {}},
                                               {Stage::kWaiting, 0, {}},
                                               {Stage::kCompleted, 0, {}},
                                               {}},
                                              kNow - 5, kNow);
  EXPECT_EQ(rebuilt.base, 1000);
  EXPECT_EQ(rebuilt.written, 700);
  EXPECT_EQ(rebuilt.since, kNow - 5);
  EXPECT_EQ(rebuilt.account,
            (Account{.penalty = 300, .changed = kNow, .starts = 6, .completions = 5}));
  EXPECT_EQ(ValueAt(rebuilt.account, policy_, bounds_, kNow), 700);
}

TEST_F(LedgerTest, ClassesThatDoNotFitAreRefused) {
  int accepted = 1;
  absl::Status status;
  for (int i = 0; i < 2'000; ++i) {
    status = ledger_.Add(NewAccount(fmt::format("class-{}", i), 1000));
    if (!status.ok()) break;
    ++accepted;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr(fmt::format("it has {} classes", accepted)));
  EXPECT_GE(accepted, 500);
  // Room that a class leaves is used again, and adding again is no more.
  EXPECT_TRUE(ledger_.Add(NewAccount("gold", 1000)).ok());
  ledger_.Remove("class-77");
  EXPECT_TRUE(ledger_.Add(NewAccount("new", 1000)).ok());
  for (const char* name : {"", "Gold", "_meta", "-x", "a b", "a\n"}) {
    EXPECT_EQ(ledger_.Add(NewAccount(name, 1)).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(LedgerTest, SumsThatDecayedToNothingAreDroppedFirst) {
  bounds_.floor = -100'000;  // each start adds its all
  for (size_t i = 0; i < kMostSums; ++i) {
    // The sum of queue 7 is small and old, that of queue 3 smaller than that of the others.
    policy_.start.amount = i == 7 ? 1 : i == 3 ? 40 : 50;
    ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, i == 7 ? kNow - 10'000 : kNow,
                    fmt::format("queue-{}", i))
                    .ok());
  }
  EXPECT_EQ(ledger_.queues().size(), kMostSums);
  policy_.start.amount = 60;
  ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, kNow, "one-more").ok());
  EXPECT_FALSE(ledger_.queues().contains("queue-7"));
  ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, kNow, "another").ok());
  EXPECT_FALSE(ledger_.queues().contains("queue-3"));
  EXPECT_EQ(ledger_.queues().size(), kMostSums);
  EXPECT_EQ(ledger_.namespaces().size(), 1U);
  EXPECT_EQ(ledger_.namespaces().at("default").starts, static_cast<int64_t>(kMostSums) + 2);
}

TEST_F(LedgerTest, AGroupWithoutAQueueIsInNoSumOfOne) {
  ASSERT_TRUE(See(UidOf(1), {}, Phase::kRunning, kNow, "").ok());
  EXPECT_THAT(ledger_.queues(), IsEmpty());
}

TEST_F(LedgerTest, ACauseIsOnePrintableLine) {
  EXPECT_EQ(CauseText("a\nb"), "a?x0ab");
  EXPECT_TRUE(rc::check("idempotent, short", [](const std::string& text) {
    const std::string cause = CauseText(text + text + text);
    RC_ASSERT(cause.size() <= 90U);
    RC_ASSERT(CauseText(cause) == cause);
  }));
}

}  // namespace
}  // namespace outrigger::penalty
