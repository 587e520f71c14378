#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "desk/unfit_times.h"
#include "outrigger/desk/board.h"
#include "outrigger/desk/time.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// For which unit nodes are kept, and which (`reserve-after`): for the first in the order that has
/// fit in no plan for so long. Not thread-safe.
class KeptNodes {
 public:
  /// `after`: nothing for never; more than zero. `settles`: as of UnfitTimes.
  KeptNodes(std::optional<std::chrono::seconds> after, std::chrono::milliseconds settles)
      : after_(after), unfit_(settles) {}

  /// Before planning `units`, in their order: sets `options->reserve_for` and `kept`.
  void Prepare(std::span<const plan::Unit> units, Time now, plan::PlanOptions* options);
  /// The nodes that the plan keeps. `options`: as prepared.
  void OnPlan(const plan::Plan& planned, const plan::PlanOptions& options);
  /// The board of that plan, whose first units are those that were planned.
  void OnBoard(const Board& board, Time now);
  /// When nodes are to be kept for another unit, though nothing changes; nothing: never.
  std::optional<Time> next_look() const { return next_; }

 private:
  const std::optional<std::chrono::seconds> after_;
  UnfitTimes unfit_;
  std::vector<std::string> nodes_;
  size_t ahead_ = 0;  // so many units come before the one that they are kept for
  std::optional<Time> next_;
};

}  // namespace outrigger::desk
