#include <fstream>
#include <ostream>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "penalty/classes/policy/account_testing.h"

namespace outrigger::penalty {
namespace {

struct ValueRow {
  std::string name;
  Policy policy;
  double penalty;
  Millis after;
  int64_t value;
};
std::ostream& operator<<(std::ostream& out, const ValueRow& row) {
  return out << row.name;
}

class ValueTest : public ::testing::TestWithParam<ValueRow> {};

TEST_P(ValueTest, IsAsTheTableHasIt) {
  const ValueRow& row = GetParam();
  const Account account = {.penalty = row.penalty, .changed = kBegin};
  EXPECT_EQ(ValueAt(account, row.policy, kGold, kBegin + row.after), row.value);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ValueTest,
    ::testing::ValuesIn(std::vector<ValueRow>{
        {"AtOnce", HalfLife(kSecond), 500, 0, 500},
        {"OneHalfLife", HalfLife(kSecond), 500, kSecond, 750},
        {"TwoHalfLives", HalfLife(kSecond), 500, 2 * kSecond, 875},
        {"TheFormulaBetweenThem", HalfLife(kSecond), 500, 500, 646},  // 1000 - 500 * 0.70711
        {"InGrace", HalfLife(kSecond, 10 * kSecond), 500, 10 * kSecond, 500},
        {"AfterGrace", HalfLife(kSecond, 10 * kSecond), 500, 11 * kSecond, 750},
        {"TimeGoesBack", HalfLife(kSecond), 500, -kSecond * 1000, 500},
        {"HalfIsRoundedAwayFromZero", HalfLife(kSecond), 1, kSecond, 1000},  // 999.5
        {"BelowFloor", HalfLife(kSecond), 5000, 0, 100},
        {"NoDebtBelowTheFloor", HalfLife(kSecond), 5000, 2 * kSecond, 775},  // 1000 - 900 / 4
        {"OfAllAges", HalfLife(kSecond), kMostPenalty, kEndOfTime - kBegin, 1000},
        {"BeforeTheFirstStep", Steps(50, kSecond), 500, 999, 500},
        {"OneStep", Steps(50, kSecond), 500, kSecond, 550},
        {"NineSteps", Steps(50, kSecond), 500, 9'999, 950},
        {"AllSteps", Steps(50, kSecond), 500, 10'000, 1000},
        {"NeverAboveBase", Steps(70, kSecond), 500, 100 * kSecond, 1000},
        {"StepsAfterGrace", Steps(50, kSecond, 5 * kSecond), 500, 6 * kSecond, 550},
    }),
    ::testing::PrintToStringParamName());

TEST(AccountTest, TheFirstCountRaisesThePenaltyAndTheTime) {
  Account account;
  const Added added = ApplyStart(HalfLife(kSecond), kGold, kBegin, &account);
  EXPECT_EQ(added, (Added{50, kBegin}));
  EXPECT_EQ(account, (Account{.penalty = 50,
                              .changed = kBegin,
                              .starts = 1,
                              .completions = 0,
                              .unwritten_since = kBegin}));
}

TEST(AccountTest, ACountIsOnTopOfWhatIsLeft) {
  Account account = {.penalty = 400, .changed = kBegin};
  EXPECT_EQ(ApplyCompletion(HalfLife(kSecond), kGold, kBegin + kSecond, &account).penalty, 20);
  EXPECT_EQ(account.penalty, 220);
  EXPECT_EQ(account.changed, kBegin + kSecond);
  EXPECT_EQ(account.completions, 1);
}

TEST(AccountTest, MultiplicativeTakesAPartOfWhatIsLeftAboveTheFloor) {
  Policy policy = HalfLife(kSecond);
  policy.start = {Kind::kMultiplicative, 0.5};
  Account account;
  ApplyStart(policy, kGold, kBegin, &account);
  EXPECT_EQ(account.penalty, 450);  // (1000 - 100) / 2
  ApplyStart(policy, kGold, kBegin, &account);
  EXPECT_EQ(account.penalty, 675);
  account.penalty = 5000;  // below the floor there is nothing to take
  EXPECT_EQ(ApplyStart(policy, kGold, kBegin, &account).penalty, 0);
  EXPECT_EQ(account.penalty, 900);
}

TEST(AccountTest, ACompletionThatIsTakenBackAtOnceHasNotBeen) {
  for (const Increment& increment :
       {Increment{Kind::kFlat, 20}, Increment{Kind::kMultiplicative, 0.25}}) {
    Policy policy = HalfLife(kSecond);
    policy.completion = increment;
    Account account = {.penalty = 400, .changed = kBegin, .starts = 3, .completions = 2};
    const Added added = ApplyCompletion(policy, kGold, kBegin, &account);
    TakeBack(policy, kGold, added, kBegin, &account);
    EXPECT_EQ(account.penalty, 400);
    EXPECT_EQ(account.completions, 2);
    EXPECT_EQ(account.starts, 3);
  }
}

TEST(AccountTest, WhatIsTakenBackHasDecayedAlike) {
  const Policy policy = HalfLife(kSecond);
  Account account = {.penalty = 400, .changed = kBegin};
  const Added added = ApplyCompletion(policy, kGold, kBegin, &account);
  TakeBack(policy, kGold, added, kBegin + kSecond, &account);
  EXPECT_EQ(account.penalty, 200);
  EXPECT_EQ(account.changed, kBegin + kSecond);
}

TEST(AccountTest, NoMoreIsTakenBackThanOneCompletionCanAdd) {
  Account account = {.penalty = 400, .changed = kBegin, .starts = 1, .completions = 0};
  TakeBack(HalfLife(kSecond), kGold, {1e300, kBegin}, kBegin, &account);
  EXPECT_EQ(account.penalty, 380);
  TakeBack(HalfLife(kSecond), kGold, {-1e300, kBegin}, kBegin, &account);
  EXPECT_EQ(account.penalty, 380);
  EXPECT_EQ(account.completions, 0);  // never negative
}

// As of the settings by default, but for the increment.
TEST(AccountTest, AClassAtItsFloorBeginsToRiseAfterGraceAndOneQuantum) {
  Policy policy;
  policy.start = {Kind::kFlat, 400};
  Account account;
  double added = 0;
  for (int i = 0; i < 10; ++i) added += ApplyStart(policy, kGold, kBegin, &account).penalty;
  EXPECT_EQ(account.penalty, 900);
  EXPECT_EQ(added, 900);
  const std::optional<Millis> due = NextDue(account, policy, kGold, 100, kBegin);
  ASSERT_TRUE(due);
  // 900 * 2^-(294 s / 3600 s) <= 850.5
  EXPECT_EQ((*due - kBegin - policy.grace) / kSecond, 293);
}

struct DueRow {
  std::string name;
  Account account;
  int64_t written;
  Millis now;  // after kBegin
  std::optional<Millis> due;
};
std::ostream& operator<<(std::ostream& out, const DueRow& row) {
  return out << row.name;
}

class DueTest : public ::testing::TestWithParam<DueRow> {};

// Half-life 1 s, coalesce 1 s, quantum 50.
TEST_P(DueTest, IsAsTheTableHasIt) {
  const DueRow& row = GetParam();
  std::optional<Millis> due =
      NextDue(row.account, HalfLife(kSecond), kGold, row.written, kBegin + row.now);
  if (due) due = *due - kBegin;
  EXPECT_EQ(due, row.due);
}

INSTANTIATE_TEST_SUITE_P(
    Table, DueTest,
    ::testing::ValuesIn(std::vector<DueRow>{
        {"NothingCounted", Account(), 1000, 0, {}},
        {"ALowerValueAfterCoalescing", Penalised(500, kBegin), 1000, 0, 1'000},
        {"ALowerValueThatWaited", Penalised(500, kBegin - 700), 1000, 0, 300},
        {"ALowerValueAtOnceWhenLate", Penalised(500, kBegin - 9'000), 1000, 0, 0},
        {"ALowerValueAtOnceWhenTimeWentBack", Penalised(500, kBegin), 1000, -9'000, -9'000},
        {"ALowerValueAtOnceWithoutACount", Penalised(500), 600, 0, 0},
        {"AQuantumHigher", Penalised(500), 500, 0, 151},  // 500 * 2^-0.151 <= 450.5
        {"WritesThatWereMissed", Penalised(500), 500, 5'000, 5'000},
        {"BackAtBase", Penalised(10), 990, 0, 4'322},  // 10 * 2^-4.322 <= 0.5
        {"WrittenAtBase", Penalised(0.4), 1000, 0, {}},
        {"WrittenAboveBase", Penalised(0), 1200, 0, 0},
        {"WrittenBelowTheFloor", Penalised(5000), 90, 0, 0},
        {"AtTheFloorUntilItRises", Penalised(1800), 100, 0, 82},  // 900 * 2^-0.082 <= 850.5
    }),
    ::testing::PrintToStringParamName());

// The table of the example of docs/penalty.md, written at the times when it is due.
TEST(AccountTest, ThePageHasTheWritesOfItsExample) {
  Policy policy = HalfLife(60 * kSecond, 30 * kSecond);
  policy.start = {Kind::kFlat, 200};
  const Bounds bounds = *BoundsOf(policy, 1000, {401, ""});
  EXPECT_EQ(bounds.floor, 401);
  EXPECT_EQ(bounds.quantum, 50);
  Account account;
  std::string table = "| time | value |\n|---|---|\n";
  int64_t written = 1000;
  Millis now = kBegin;
  const auto write_until = [&](Millis end) {
    for (auto due = NextDue(account, policy, bounds, written, now); due && *due < end;
         due = NextDue(account, policy, bounds, written, now)) {
      now = *due;
      written = ValueAt(account, policy, bounds, now);
      account.unwritten_since = 0;
      table +=
          fmt::format("| {:.3f} s | {} |\n", static_cast<double>(now - kBegin) / 1000, written);
    }
  };
  ApplyStart(policy, bounds, kBegin, &account);
  write_until(kBegin + 10 * kSecond);
  now = kBegin + 10 * kSecond;
  ApplyStart(policy, bounds, now, &account);
  write_until(kEndOfTime);
  std::ifstream file(std::string(OUTRIGGER_DOCS) + "/penalty.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), ::testing::HasSubstr(table));
}

}  // namespace
}  // namespace outrigger::penalty
