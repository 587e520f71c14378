#include "outrigger/penalty/account.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

using Kind = Increment::Kind;

constexpr Millis kBegin = 1'764'000'000'000;
constexpr Millis kSecond = 1'000;
constexpr Bounds kGold = {.base = 1000, .floor = 100, .top = 1000, .quantum = 50};

Policy HalfLife(Millis half_life, Millis grace = 0) {
  Policy policy;
  policy.start = {Kind::kFlat, 50};
  policy.completion = {Kind::kFlat, 20};
  policy.recovery.half_life = half_life;
  policy.grace = grace;
  return policy;
}

Policy Steps(double step, Millis interval, Millis grace = 0) {
  Policy policy = HalfLife(kSecond, grace);
  policy.recovery = {Recovery::Kind::kSteps, kSecond, step, interval};
  return policy;
}

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
        {"StillBelowFloor", HalfLife(kSecond), 5000, 2 * kSecond, 100},
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
  EXPECT_EQ(account.penalty, 5000);
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

TEST(AccountTest, APenaltyStaysFinite) {
  Policy policy = HalfLife(kSecond);
  policy.start = {Kind::kFlat, 1e9};
  Account account = {.penalty = kMostPenalty - 1, .changed = kBegin};
  EXPECT_EQ(ApplyStart(policy, kGold, kBegin, &account).penalty, 1);
  EXPECT_EQ(account.penalty, kMostPenalty);
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

Account Penalised(double penalty, Millis unwritten = 0) {
  return {.penalty = penalty, .changed = kBegin, .unwritten_since = unwritten};
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
        {"AtTheFloorUntilItRises", Penalised(1800), 100, 0, 1'082},  // 1800 * 2^-1.082 <= 850.5
    }),
    ::testing::PrintToStringParamName());

// The table of the example of docs/penalty.md, written at the times when it is due.
TEST(AccountTest, ThePageHasTheWritesOfItsExample) {
  Policy policy = HalfLife(60 * kSecond, 30 * kSecond);
  policy.start = {Kind::kFlat, 200};
  const Bounds bounds = *BoundsOf(policy, 1000, {400});
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

// Random policies, penalties and bounds.
struct Case {
  Policy policy;
  Bounds bounds;
  Account account;
};

Case AnyCase() {
  Case any;
  const int64_t base = *rc::gen::inRange<int64_t>(-50, 20'000);
  any.bounds = {.base = base,
                .floor = *rc::gen::inRange<int64_t>(base - 2'000, base + 1),
                .top = base,
                .quantum = *rc::gen::inRange<int64_t>(1, 100)};
  if (*rc::gen::arbitrary<bool>()) {
    any.bounds.top = *rc::gen::inRange<int64_t>(any.bounds.floor, base + 1);
  }
  const double part = *rc::gen::inRange(0, 101) / 100.0;
  any.policy.start =
      *rc::gen::element(Increment{Kind::kFlat, part * 300}, Increment{Kind::kMultiplicative, part});
  any.policy.completion = *rc::gen::element(Increment{Kind::kFlat, part * 200},
                                            Increment{Kind::kMultiplicative, part / 2});
  any.policy.grace = *rc::gen::inRange<Millis>(0, 5'000);
  any.policy.coalesce = *rc::gen::inRange<Millis>(0, 2'000);
  any.policy.recovery = {*rc::gen::element(Recovery::Kind::kHalfLife, Recovery::Kind::kSteps),
                         *rc::gen::inRange<Millis>(1, 5'000), *rc::gen::inRange(1, 200) / 2.0,
                         *rc::gen::inRange<Millis>(1, 2'000)};
  any.account = {.penalty = *rc::gen::inRange(0, 300'000) / 100.0, .changed = kBegin};
  return any;
}

void Holds(const char* name, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(name, property));
}

TEST(AccountProperties, ARecoveryIsMonotoneWithinBoundsAndEndsAtTheTop) {
  Holds("monotone, bounded, complete", [] {
    const Case any = AnyCase();
    int64_t last = INT64_MIN;
    Millis now = kBegin;
    for (int i = 0; i < 200; ++i) {
      const int64_t value = ValueAt(any.account, any.policy, any.bounds, now);
      RC_ASSERT(value >= last);
      RC_ASSERT(value >= any.bounds.floor && value <= any.bounds.top);
      RC_ASSERT(value <= any.bounds.base);
      last = value;
      now += *rc::gen::inRange<Millis>(0, 500);
    }
    // 300 half-lives, or as many steps as any penalty needs.
    RC_ASSERT(ValueAt(any.account, any.policy, any.bounds, kBegin + 20'000'000) == any.bounds.top);
  });
}

// A penalty from an independent formula: Taylor's series of the exponential function.
double Independent(double penalty, double half_lives) {
  const double x = -half_lives * std::log(2.0) / 64;
  double sum = 1;
  double term = 1;
  for (int n = 1; n < 40; ++n) sum += term *= x / n;
  double power = 1;
  for (int i = 0; i < 64; ++i) power *= sum;
  return penalty * power;
}

TEST(AccountProperties, TheHalfLifeIsTheFormulas) {
  Holds("as Taylor's series has it", [] {
    const Millis half_life = *rc::gen::inRange<Millis>(3'000, 100'000);
    const Millis grace = *rc::gen::inRange<Millis>(0, 100'000);
    const Millis dt = *rc::gen::inRange<Millis>(0, 300'000);
    const double penalty = *rc::gen::inRange(0, 1'000'000) / 100.0;
    const double expected =
        Independent(penalty, static_cast<double>(std::max<Millis>(0, dt - grace)) /
                                 static_cast<double>(half_life));
    const double is =
        PenaltyAt({.penalty = penalty, .changed = kBegin}, HalfLife(half_life, grace), kBegin + dt);
    RC_ASSERT(std::abs(is - expected) <= 1e-9 * penalty + 1e-12);
  });
}

// One recovery, a write whenever it is due.
std::vector<int64_t> Writes(const Case& any, int64_t written) {
  std::vector<int64_t> writes;
  Millis now = kBegin;
  while (const auto due = NextDue(any.account, any.policy, any.bounds, written, now)) {
    now = *due;
    written = ValueAt(any.account, any.policy, any.bounds, now);
    writes.push_back(written);
    if (writes.size() > 100'000) break;
  }
  return writes;
}

TEST(AccountProperties, ARecoveryFrom500To1000MakesAtMostTenWrites) {
  for (const Policy& policy : {HalfLife(kSecond), HalfLife(3'600'000, 300'000), Steps(1, 10),
                               Steps(50, kSecond), Steps(49.5, kSecond), Steps(333, kSecond)}) {
    const Case gold = {policy, *BoundsOf(policy, 1000, {}), Penalised(500)};
    const std::vector<int64_t> writes = Writes(gold, 500);
    EXPECT_LE(writes.size(), 10U);
    EXPECT_TRUE(std::is_sorted(writes.begin(), writes.end()));
    ASSERT_FALSE(writes.empty());
    EXPECT_EQ(writes.back(), 1000);
  }
  // Ten are made where every step is as small as can be.
  EXPECT_EQ(Writes({Steps(1, 10), *BoundsOf(Policy(), 1000, {}), Penalised(500)}, 500).size(), 10U);
}

TEST(AccountProperties, WritesOfARecoveryAreFewMonotoneAndEndAtTheTop) {
  Holds("few, monotone, complete", [] {
    const Case any = AnyCase();
    const int64_t first = ValueAt(any.account, any.policy, any.bounds, kBegin);
    const std::vector<int64_t> writes = Writes(any, first);
    const int64_t way = any.bounds.top - first;
    RC_ASSERT(static_cast<int64_t>(writes.size()) <=
              (way + any.bounds.quantum - 1) / any.bounds.quantum);
    int64_t last = first;
    for (const int64_t write : writes) {
      RC_ASSERT(write > last);
      last = write;
    }
    RC_ASSERT(last == any.bounds.top);
  });
}

// The rule itself, without a search.
bool IsDue(const Case& any, int64_t written, Millis now) {
  const int64_t value = ValueAt(any.account, any.policy, any.bounds, now);
  if (value < written) {
    const Millis since = any.account.unwritten_since;
    return since > now || now - since >= any.policy.coalesce;
  }
  if (value == written) return false;
  return value - written >= any.bounds.quantum || value == any.bounds.top ||
         written < any.bounds.floor;
}

TEST(AccountProperties, NextDueIsTheFirstMillisecondAtWhichItIsDue) {
  Holds("as one finds that tries each millisecond", [] {
    Case any = AnyCase();
    any.account.unwritten_since = *rc::gen::element<Millis>(
        0, kBegin, kBegin - *rc::gen::inRange<Millis>(0, 3'000), kBegin + 100);
    const int64_t written = *rc::gen::inRange<int64_t>(any.bounds.floor - 20, any.bounds.base + 20);
    const Millis now = kBegin + *rc::gen::inRange<Millis>(-1'000, 8'000);
    const std::optional<Millis> due = NextDue(any.account, any.policy, any.bounds, written, now);
    constexpr Millis kTried = 20'000;
    Millis tried = now;
    while (tried < now + kTried && !IsDue(any, written, tried)) ++tried;
    if (tried < now + kTried) {
      RC_ASSERT(due == std::optional<Millis>(tried));
    } else if (due) {
      RC_ASSERT(*due >= tried);
      RC_ASSERT(IsDue(any, written, *due));
      RC_ASSERT(!IsDue(any, written, *due - 1));
    } else {
      RC_ASSERT(!IsDue(any, written, kBegin + 20'000'000));
    }
  });
}

TEST(AccountProperties, AnySeriesOfCountsStaysWithinBounds) {
  Holds("within bounds", [] {
    Case any = AnyCase();
    Millis now = kBegin;
    for (int i = 0; i < 100; ++i) {
      now += *rc::gen::inRange<Millis>(-500, 2'000);
      Added added;
      switch (*rc::gen::inRange(0, 3)) {
        case 0:
          added = ApplyStart(any.policy, any.bounds, now, &any.account);
          break;
        case 1:
          added = ApplyCompletion(any.policy, any.bounds, now, &any.account);
          break;
        default:
          TakeBack(any.policy, any.bounds, {*rc::gen::inRange(0, 400) / 1.0, now - 100}, now,
                   &any.account);
      }
      RC_ASSERT(added.penalty >= 0);
      RC_ASSERT(any.account.penalty >= 0 && any.account.penalty <= kMostPenalty);
      RC_ASSERT(any.account.starts >= 0 && any.account.completions >= 0);
      const int64_t value = ValueAt(any.account, any.policy, any.bounds, now);
      RC_ASSERT(value >= any.bounds.floor && value <= any.bounds.top);
    }
  });
}

}  // namespace
}  // namespace outrigger::penalty
