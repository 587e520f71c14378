#include "desk/kept_nodes.h"

#include <algorithm>

namespace outrigger::desk {

void KeptNodes::Prepare(std::span<const plan::Unit> units, Time now, plan::PlanOptions* options) {
  if (!after_) return;
  const auto first = std::find_if(units.begin(), units.end(), [&](const plan::Unit& unit) {
    return unfit_.HasNotFit(unit.key, *after_, now);
  });
  ahead_ = static_cast<size_t>(first - units.begin());
  if (first == units.end()) {
    nodes_.clear();
  } else {
    options->reserve_for = first->key;
    options->kept = nodes_;
  }
}

void KeptNodes::OnPlan(const plan::Plan& planned, const plan::PlanOptions& options) {
  // While it fits only for a moment the same nodes are to be kept for it afterwards.
  if (!planned.kept.empty() || !options.reserve_for) nodes_ = planned.kept;
}

void KeptNodes::OnBoard(const Board& board, Time now) {
  if (!after_) return;
  unfit_.OnPlan(board, ahead_, now);
  // The one after those ahead has its turn; of the units that rest none gets one by time.
  next_ = unfit_.LongestAhead();
  if (next_) *next_ += *after_;
}

}  // namespace outrigger::desk
