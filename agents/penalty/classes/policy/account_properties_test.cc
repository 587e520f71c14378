// What holds of accounts whatever the policy, found by random cases.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "penalty/classes/policy/account_testing.h"
#include "rapidcheck.h"

namespace outrigger::penalty {
namespace {

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
    const Case gold = {policy, *BoundsOf(policy, 1000, Floor()), Penalised(500)};
    const std::vector<int64_t> writes = Writes(gold, 500);
    EXPECT_LE(writes.size(), 10U);
    EXPECT_TRUE(std::is_sorted(writes.begin(), writes.end()));
    ASSERT_FALSE(writes.empty());
    EXPECT_EQ(writes.back(), 1000);
  }
  // Ten are made where every step is as small as can be.
  EXPECT_EQ(Writes({Steps(1, 10), *BoundsOf(Policy(), 1000, Floor()), Penalised(500)}, 500).size(),
            10U);
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
