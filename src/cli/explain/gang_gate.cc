// What is said of members that wait with the scheduling gate of the queue.
#include "cli/explain/gangs.h"
#include "fmt/format.h"
#include "plan/groups/gang.h"

namespace outrigger::cli {
namespace {

std::string HeldText(const plan::GroupState& group) {
  return fmt::format("{} of {} members that exist {} the gate {}", group.queued, group.existing,
                     group.queued == 1 ? "has" : "have", plan::kQueueGate);
}

}  // namespace

// Members of gangs with places that have no gate and no node.
size_t GangPlan::ReleasedWithPlaces() const {
  size_t count = 0;
  const std::vector<plan::Unit>& units = planned_.grouped.units;
  for (size_t i = 0; i < units.size(); ++i) {
    if (units[i].key.dialect == Dialect::kNone || !planned_.plan.units[i].fits) continue;
    for (const plan::Member& member : units[i].members) {
      count += member.pod->scheduling_gates.empty() ? 1U : 0U;
    }
  }
  return count;
}

// What keeps its members gated, as far as the cluster shows it; empty: none is.
std::string GangPlan::GateText(const ExplainedGang& gang, const plan::Unit* unit) const {
  const plan::GroupState& group = gang.group;
  if (group.queued == 0) return {};
  if (unit == nullptr) return HeldText(group) + ": nothing is planned for the gang";
  if (gang.state != GangState::kFits) {
    return HeldText(group) + ": the gang has no place; a few of such gangs are released in their " +
           "order, for autoscalers (ahead)";
  }
  const plan::UnitPlan& planned = planned_.plan.units[gang.place - 1];
  size_t places = 0;
  size_t nominated = 0;
  for (size_t i = 0; i < unit->members.size(); ++i) {
    if (planned.nodes[i].empty()) continue;
    ++places;
    nominated += unit->members[i].pod->nominated_node_name == planned.nodes[i] ? 1U : 0U;
  }
  if (nominated < places) {
    return fmt::format("{}: it is released once its places are nominated; {} of {} are",
                       HeldText(group), nominated, places);
  }
  return fmt::format(
      "{}: the gang has its places and is released in its turn (window): {} released members of "
      "gangs with places are not bound yet",
      HeldText(group), ReleasedWithPlaces());
}

}  // namespace outrigger::cli
