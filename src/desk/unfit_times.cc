#include "desk/unfit_times.h"

#include <algorithm>

namespace outrigger::desk {

void UnfitTimes::OnPlan(const Board& board, size_t ahead, std::chrono::seconds time, Time now) {
  ++plans_;
  next_ahead_.reset();
  size_t at = 0;
  const auto look_up = [this](const BoardUnit* unit) {
    return &*entries_.try_emplace(unit->key).first;
  };
  for (const BoardUnit& unit : board.units()) {
    const bool is_ahead = at++ < ahead;
    if (unit.fits && !FitsOnlyNow(unit.key, now)) continue;
    Entry& entry =
        in_step_.Find(&unit, look_up, [&](const auto& of) { return of.first == unit.key; })->second;
    entry.seen = plans_;
    if (unit.fits) continue;
    if (!entry.since) entry.since = now;
    entry.fits_since.reset();
    const Time due = *entry.since + time;
    if (is_ahead && due > now) next_ahead_ = std::min(next_ahead_.value_or(due), due);
  }
  in_step_.EndRound([](const Entries::value_type*) {});
  for (const plan::GroupState& group : board.groups()) {
    const auto found = entries_.find(group.key);
    if (found != entries_.end() && Waits(group)) found->second.seen = plans_;
  }
  std::erase_if(entries_, [this](const auto& entry) { return entry.second.seen != plans_; });
}

// Of one that did not fit before.
bool UnfitTimes::FitsOnlyNow(const plan::UnitKey& key, Time now) {
  if (settles_.count() == 0) return false;
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.since) return false;
  std::optional<Time>& fits_since = found->second.fits_since;
  if (!fits_since) fits_since = now;
  return now - *fits_since < settles_;
}

bool UnfitTimes::HasNotFit(const plan::UnitKey& key, std::chrono::seconds time, Time now) const {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.since) return false;
  return now - *found->second.since >= time;
}

}  // namespace outrigger::desk
