#include "gang/desk/release/priority_waits.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gang/desk/board.h"
#include "gang/plan/order.h"
#include "gang/plan/room.h"

namespace outrigger::desk {
namespace {

constexpr std::chrono::seconds kLongest{30};

using MostFree = std::map<int32_t, ResourceList>;  // on one node, by resource; by priority

bool IsLetGo(const plan::Member& member, const std::string& node) {
  return !node.empty() && member.pod->scheduling_gates.empty();
}

bool IsLetGo(const plan::Unit& unit, const plan::UnitPlan& planned) {
  for (size_t m = 0; planned.fits && m < unit.members.size(); ++m) {
    if (IsLetGo(unit.members[m], planned.nodes[m])) return true;
  }
  return false;
}

// The last unit, by index, before which one of a lower priority is let go; 0: there is none.
size_t LastOfHigherPriority(std::span<const plan::Unit> units, const plan::Plan& plan) {
  std::optional<int32_t> lowest;
  size_t last = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    const int32_t priority = units[i].rank.priority;
    const bool fits = plan.units[i].fits;
    if (fits && lowest && *lowest < priority) last = i;
    if (fits && (!lowest || priority < *lowest) && IsLetGo(units[i], plan.units[i])) {
      lowest = priority;
    }
  }
  return last;
}

bool MayWait(const plan::Unit& unit, const plan::UnitPlan& planned, bool asked) {
  if (unit.key.dialect != plan::Dialect::kNone || !planned.fits) return false;
  const Pod& pod = *unit.members[0].pod;
  return !plan::IsNeverHeld(pod) && (asked || !pod.scheduling_gates.empty());
}

bool CouldTakeOne(const plan::Unit& unit, const MostFree& free) {
  const ResourceList requests = RequestsOf(*unit.members[0].pod);
  return std::any_of(free.begin(), free.lower_bound(unit.rank.priority),
                     [&](const auto& of) { return of.second.Covers(requests); });
}

}  // namespace

void PriorityWaits::OnPlan(std::span<const plan::Unit> units, const ClusterSnapshot& snapshot,
                           const plan::SchedulerChecks* checks, bool asked, Time now,
                           plan::Plan* plan) {
  next_look_.Reset();
  const std::map<plan::UnitKey, Time> before = std::exchange(since_, {});
  const auto since_of = [&](const plan::UnitKey& unit) {
    const auto known = before.find(unit);
    return since_.emplace(unit, known == before.end() ? now : known->second).first->second;
  };
  const size_t last = LastOfHigherPriority(units, *plan);
  MostFree free;
  for (size_t i = 0; i < units.size() && i <= last; ++i) {
    plan::UnitPlan& planned = plan->units[i];
    if (MayWait(units[i], planned, asked) && CouldTakeOne(units[i], free)) {
      const Time since = since_of(units[i].key);
      if (now - since >= kLongest) continue;
      next_look_.Add(since + kLongest);
      planned = {.fits = false,
                 .nodes = std::vector<std::string>(1),
                 .cause = {plan::Cause::Class::kTurn, ""},
                 .promised = std::move(planned.nodes)};  // no later one takes it meanwhile
      continue;
    }
    if (last == 0 || !IsLetGo(units[i], planned)) continue;
    const Time since = since_of(units[i].key);
    if (now - since >= kLongest) continue;
    next_look_.Add(since + kLongest);
    for (size_t m = 0; m < units[i].members.size(); ++m) {
      if (!IsLetGo(units[i].members[m], planned.nodes[m])) continue;
      const auto room = plan::RoomOn(snapshot, planned.nodes[m], checks);
      if (room) free[units[i].rank.priority].Max(room->free);
    }
  }
}

}  // namespace outrigger::desk
