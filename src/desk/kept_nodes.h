#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "desk/unfit_times.h"
#include "outrigger/agent/cluster_snapshot.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/time.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

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
