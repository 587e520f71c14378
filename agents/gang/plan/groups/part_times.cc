#include "gang/plan/part_times.h"

#include <algorithm>
#include <set>

namespace outrigger::plan {

void PartTimes::Limit(Time now, GroupedUnits* made) {
  next_look_.reset();
  std::set<UnitKey> over;
  for (GroupState& group : made->groups) {
    const bool wants = group.in_part && group.on_member_loss != OnMemberLoss::kIgnore;
    if (wants && IsOver(group, now)) over.insert(group.key);
    group.preferred = wants && !over.contains(group.key);
  }
  // There may have been no plan for long: what is in part now is kept.
  std::erase_if(entries_,
                [now](const auto& entry) { return now - entry.second.last >= kWholeFor; });
  if (over.empty()) return;
  bool changed = false;
  for (Unit& unit : made->units) {
    if (!unit.rank.in_part || !over.contains(unit.key)) continue;
    unit.rank.in_part = false;
    changed = true;
  }
  if (!changed) return;
  std::stable_sort(made->units.begin(), made->units.end(),
                   [](const Unit& a, const Unit& b) { return a.rank < b.rank; });
}

bool PartTimes::IsOver(const GroupState& group, Time now) {
  Entry& entry = entries_.try_emplace(group.key, Entry{now, now}).first->second;
  entry.last = now;
  const Time over = entry.since + kPreferredFor;
  if (now >= over) return true;
  next_look_ = std::min(next_look_.value_or(over), over);
  return false;
}

}  // namespace outrigger::plan
