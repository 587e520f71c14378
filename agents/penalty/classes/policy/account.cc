#include "penalty/classes/account.h"

#include <algorithm>
#include <cmath>

namespace outrigger::penalty {
namespace {

// Times are below 2^53, so their differences are exact.
double Recovering(Millis changed, const Policy& policy, Millis now) {
  return std::max(0.0, static_cast<double>(now) - static_cast<double>(changed) -
                           static_cast<double>(policy.grace));
}

double Decayed(const Added& added, const Policy& policy, Millis now) {
  const double dt = Recovering(added.at, policy, now);
  const Recovery& recovery = policy.recovery;
  if (recovery.kind == Recovery::Kind::kHalfLife) {
    return added.penalty * std::exp2(-dt / static_cast<double>(recovery.half_life));
  }
  const double steps = std::floor(dt / static_cast<double>(recovery.step_interval));
  return std::max(0.0, added.penalty - recovery.step * steps);
}

double RoomOf(const Bounds& bounds) {
  return static_cast<double>(bounds.base - bounds.floor);
}

// By how much one count raises a penalty of `penalty`.
double AmountOf(const Increment& increment, const Bounds& bounds, double penalty) {
  if (increment.kind == Increment::Kind::kFlat) return increment.amount;
  return increment.amount * std::max(0.0, RoomOf(bounds) - penalty);
}

Added Apply(const Increment& increment, const Policy& policy, const Bounds& bounds, Millis now,
            Account* account) {
  const double before = PenaltyAt(*account, policy, bounds, now);
  const double amount = std::min(AmountOf(increment, bounds, before), RoomOf(bounds) - before);
  account->penalty = before + amount;
  account->changed = now;
  if (account->unwritten_since == 0) account->unwritten_since = now;
  return {amount, now};
}

// The first time from `now` at which the value is at least `target`. Without a count it never
// falls, so halving finds it.
std::optional<Millis> FirstAt(int64_t target, const Account& account, const Policy& policy,
                              const Bounds& bounds, Millis now) {
  Millis late = now;
  for (Millis ahead = 1'000; ValueAt(account, policy, bounds, late) < target; ahead *= 2) {
    if (late == kEndOfTime) return std::nullopt;
    late = std::min(kEndOfTime, late + ahead);
  }
  Millis early = now;
  while (early < late) {
    const Millis middle = early + (late - early) / 2;
    if (ValueAt(account, policy, bounds, middle) < target) {
      early = middle + 1;
    } else {
      late = middle;
    }
  }
  return late;
}

}  // namespace

double PenaltyAt(const Account& account, const Policy& policy, Millis now) {
  return Decayed({account.penalty, account.changed}, policy, now);
}

double PenaltyAt(const Account& account, const Policy& policy, const Bounds& bounds, Millis now) {
  return Decayed({std::min(account.penalty, RoomOf(bounds)), account.changed}, policy, now);
}

int64_t ValueAt(const Account& account, const Policy& policy, const Bounds& bounds, Millis now) {
  const double value =
      std::round(static_cast<double>(bounds.base) - PenaltyAt(account, policy, bounds, now));
  if (value <= static_cast<double>(bounds.floor)) return bounds.floor;
  return std::min(bounds.top, static_cast<int64_t>(value));
}

Added ApplyStart(const Policy& policy, const Bounds& bounds, Millis now, Account* account) {
  ++account->starts;
  return Apply(policy.start, policy, bounds, now, account);
}

Added ApplyCompletion(const Policy& policy, const Bounds& bounds, Millis now, Account* account) {
  ++account->completions;
  return Apply(policy.completion, policy, bounds, now, account);
}

Added TakeBack(const Policy& policy, const Bounds& bounds, const Added& completion, Millis now,
               Account* account) {
  account->completions = std::max<int64_t>(0, account->completions - 1);
  const double most = AmountOf(policy.completion, bounds, 0);
  const Added added = {std::clamp(completion.penalty, 0.0, most), completion.at};
  const double left = Decayed(added, policy, now);
  account->penalty = std::max(0.0, PenaltyAt(*account, policy, bounds, now) - left);
  account->changed = now;
  return added;
}

std::optional<Millis> NextDue(const Account& account, const Policy& policy, const Bounds& bounds,
                              int64_t written, Millis now) {
  const Millis since = account.unwritten_since;
  const Millis coalesced = since > now ? now : std::max(now, since + policy.coalesce);
  // Until then, the value may be back.
  if (ValueAt(account, policy, bounds, coalesced) < written) return coalesced;
  if (written >= bounds.top) return std::nullopt;
  if (written < bounds.floor) return now;
  return FirstAt(std::min(bounds.top, written + bounds.quantum), account, policy, bounds, now);
}

}  // namespace outrigger::penalty
