#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/in_step.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/time.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// For how long units have fit in no plan. Not thread-safe.
class UnfitTimes {
 public:
  /// A unit that fits for a shorter time than `settles` has not fit: others were faster.
  explicit UnfitTimes(std::chrono::milliseconds settles = {}) : settles_(settles) {}

  /// `ahead`: so many of the board's units, its first ones, are planned and come before the one for
  /// which nodes are kept, if they are for one. `time`: as of HasNotFit().
  void OnPlan(const Board& board, size_t ahead, std::chrono::seconds time, Time now);
  /// True if the unit has fit in no plan for so long. That a gang lacks members meanwhile neither
  /// begins that time nor ends it.
  bool HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const;
  /// A unit has fit in no plan since then, as is known from before the first plan.
  void Adopt(const plan::UnitKey& key, Time since) { entries_[key] = {.since = since}; }
  /// When HasNotFit() is true of the next of those ahead in the last plan, of which it was not yet;
  /// nothing: there is none.
  std::optional<Time> NextAhead() const { return next_ahead_; }

 private:
  struct Entry {
    std::optional<Time> since = {};  // nothing: it has not been planned
    std::optional<Time> fits_since = {};
    uint64_t seen = 0;  // the last plan in which it did not fit, or lacked members
  };
  bool FitsOnlyNow(const plan::UnitKey& key, Time now);

  const std::chrono::milliseconds settles_;
  using Entries = std::map<plan::UnitKey, Entry>;
  Entries entries_;
  // Boards share units, so most are where they were.
  InStep<const BoardUnit*, Entries::value_type> in_step_;
  uint64_t plans_ = 0;
  std::optional<Time> next_ahead_;
};

}  // namespace outrigger::desk
