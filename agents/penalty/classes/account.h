#pragma once

#include <cstdint>
#include <optional>

#include "penalty/classes/bounds.h"
#include "penalty/classes/policy.h"
#include "penalty/classes/time.h"

// The arithmetic of a penalty (docs/penalty.md has the formulas). Pure and thread-safe. Times are
// from 0 to kEndOfTime. A clock that goes back counts as one that stands still.

namespace outrigger::penalty {

/// The penalty of one class, or of a queue or namespace.
struct Account {
  double penalty = 0;  // P0: as of `changed`; of a class at most base - floor counts
  Millis changed = 0;  // when a count last changed
  int64_t starts = 0;
  int64_t completions = 0;
  /// The first count that no written value has in it yet; 0: none.
  Millis unwritten_since = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

/// What one count added to a penalty, and when.
struct Added {
  double penalty = 0;
  Millis at = 0;
  friend bool operator==(const Added&, const Added&) = default;
};

/// P(now) of a queue or namespace, which has no floor.
double PenaltyAt(const Account& account, const Policy& policy, Millis now);
/// P(now) of a class: P0 is at most base - floor, so that a class at its floor rises once P falls.
double PenaltyAt(const Account& account, const Policy& policy, const Bounds& bounds, Millis now);

/// The value that the class should have: base - P(now), rounded half away from zero, and between
/// floor and top.
int64_t ValueAt(const Account& account, const Policy& policy, const Bounds& bounds, Millis now);

/// Counts a start, and returns what it added.
Added ApplyStart(const Policy& policy, const Bounds& bounds, Millis now, Account* account);
/// Counts a completion, and returns what it added.
Added ApplyCompletion(const Policy& policy, const Bounds& bounds, Millis now, Account* account);
/// Takes a completion back: its count, and what is left by now of what it added. That is at most
/// what one completion can add. Returns what the completion had added, with that limit.
Added TakeBack(const Policy& policy, const Bounds& bounds, const Added& completion, Millis now,
               Account* account);

/// Returns when the class has to get another value than `written`, at least `now`; nothing: never,
/// as long as nothing is counted. The value is ValueAt() then.
///  - A lower value is due Policy::coalesce after the first unwritten count.
///  - A higher value is due once it is a quantum above `written`, or is at the top; at once if
///    `written` is below the floor.
std::optional<Millis> NextDue(const Account& account, const Policy& policy, const Bounds& bounds,
                              int64_t written, Millis now);

}  // namespace outrigger::penalty
