#include "desk/unfit_times.h"

namespace outrigger::desk {

void UnfitTimes::OnPlan(const Board& board, Time now) {
  for (auto& [key, entry] : entries_) entry.seen = false;
  for (const BoardUnit& unit : board.units()) {
    if (unit.fits) continue;
    Entry& entry = entries_[unit.key];
    entry.seen = true;
    if (!entry.since) entry.since = now;
  }
  for (const plan::GroupState& group : board.groups()) {
    const auto found = entries_.find(group.key);
    if (found != entries_.end() && Waits(group)) found->second.seen = true;
  }
  std::erase_if(entries_, [](const auto& entry) { return !entry.second.seen; });
}

bool UnfitTimes::HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.since) return false;
  return now - *found->second.since >= time;
}

}  // namespace outrigger::desk
