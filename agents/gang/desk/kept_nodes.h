#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gang/desk/board.h"
#include "gang/desk/time.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "sdk/base/in_step.h"

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

/// For which unit nodes are kept, and which (`reserve-after`): for the first in the order that has
/// fit in no plan for so long, and for which enough nodes would do, were they empty. None are kept
/// for a pod that can go to one node only. For a unit that does not fit though all that is kept for
/// it has room, none are for a while. Not thread-safe.
class KeptNodes {
 public:
  /// `after`: nothing for never; more than zero. `settles`: as of UnfitTimes.
  KeptNodes(std::optional<std::chrono::seconds> after, std::chrono::milliseconds settles)
      : after_(after), unfit_(settles) {}

  /// Before planning `units`, in their order: sets `options->may_reserve_for`, `kept`, and the
  /// adopted promise. The function is good until OnPlan().
  void Prepare(std::span<const plan::Unit> units, Time now, plan::PlanOptions* options);
  /// After the first plan: nodes were kept before for a gang that does not fit, and of which gated
  /// members are nominated, so it has waited long enough. Where pods leave its places it is
  /// promised these in `options`: they may have been evicted for it. True if there is one: plan
  /// once more.
  bool Adopt(std::span<const plan::Unit> units, const plan::Plan& first,
             const ClusterSnapshot& snapshot, plan::PlanOptions* options);
  /// The nodes that the plan keeps. `options`, as prepared, name that unit from now on.
  void OnPlan(const plan::Plan& planned, plan::PlanOptions& options);
  /// The board of that plan, whose first units are those that were planned.
  void OnBoard(const Board& board, Time now);
  /// True if nodes are kept for the unit, or may be once it has waited: so far it is not known that
  /// it would be in vain.
  bool MayKeepFor(const plan::UnitKey& unit) const {
    return after_ && !in_vain_.contains(unit) && !hopeless_.contains(unit);
  }
  /// When nodes are to be kept for another unit, though nothing changes; nothing: never.
  std::optional<Time> next_look() const { return next_; }

 private:
  void EndPromise(const Board& board, Time now);

  const std::optional<std::chrono::seconds> after_;
  UnfitTimes unfit_;
  std::vector<std::string> nodes_;
  std::optional<plan::UnitKey> kept_for_;
  std::optional<plan::Promise> promise_;  // adopted
  Time promised_until_;
  std::map<plan::UnitKey, Time> in_vain_;  // nodes are kept for it again from then on
  std::set<plan::UnitKey> hopeless_;       // of the last plan: empty nodes would be too few
  bool is_in_vain_ = false;
  bool has_adopted_ = false;
  Time now_;
  size_t planned_ = 0;  // units
  std::optional<Time> next_;
};

}  // namespace outrigger::desk
