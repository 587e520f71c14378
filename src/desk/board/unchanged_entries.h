#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "desk/board/seat_index.h"
#include "outrigger/desk/board.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/unit.h"

namespace outrigger::desk {

/// What a board has in common with the one before: of single pods of which the plan says the same
/// as it did, the entries. Gangs, of which there are fewer, are made each time. For use while the
/// board is made.
class UnchangedEntries {
 public:
  /// `before`, which may be null, outlives this; `units` are in order.
  UnchangedEntries(const Board* before, std::span<const plan::Unit> units,
                   std::span<const plan::UnitPlan> plans);

  /// The entry of units[i], or null.
  const std::shared_ptr<const BoardEntry>& Of(size_t i) const;
  /// The seats of single pods of the board before that are among these entries.
  std::unique_ptr<SeatIndex> Seats() const;

 private:
  static constexpr size_t kNone = ~size_t{0};
  size_t Find(const plan::Unit& unit, const plan::UnitPlan& planned);

  const BoardUnits::Entries* before_;
  const SeatIndex* seats_;
  size_t planned_;             // of before_
  size_t at_ = 0;              // in before_: what is in front of it comes before what is looked for
  std::vector<size_t> found_;  // for each unit, in before_
  std::vector<bool> is_shared_;  // of before_
};

}  // namespace outrigger::desk
