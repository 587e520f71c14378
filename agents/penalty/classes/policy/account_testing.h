// Policies and accounts of the tests of accounts.
#pragma once

#include "penalty/classes/account.h"

namespace outrigger::penalty {

using Kind = Increment::Kind;

inline constexpr Millis kBegin = 1'764'000'000'000;
inline constexpr Millis kSecond = 1'000;
inline constexpr Bounds kGold = {.base = 1000, .floor = 100, .top = 1000, .quantum = 50};

inline Policy HalfLife(Millis half_life, Millis grace = 0) {
  Policy policy;
  policy.start = {Kind::kFlat, 50};
  policy.completion = {Kind::kFlat, 20};
  policy.recovery.half_life = half_life;
  policy.grace = grace;
  return policy;
}

inline Policy Steps(double step, Millis interval, Millis grace = 0) {
  Policy policy = HalfLife(kSecond, grace);
  policy.recovery = {Recovery::Kind::kSteps, kSecond, step, interval};
  return policy;
}

inline Account Penalised(double penalty, Millis unwritten = 0) {
  return {.penalty = penalty, .changed = kBegin, .unwritten_since = unwritten};
}

}  // namespace outrigger::penalty
