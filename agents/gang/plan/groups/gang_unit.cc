#include <algorithm>
#include <limits>
#include <utility>

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/groups/gang.h"
#include "gang/plan/groups/history.h"
#include "gang/plan/order.h"

namespace outrigger::plan {
namespace {

bool ComesFirst(const Member& a, const Member& b) {
  const Pod& x = *a.pod;
  const Pod& y = *b.pod;
  if (x.priority != y.priority) return x.priority > y.priority;
  return IsOlder(x, y);
}

// What comes from all members that exist.
struct Lowest {
  int32_t priority = std::numeric_limits<int32_t>::max();
  int32_t highest_priority = std::numeric_limits<int32_t>::min();
  QosClass qos = QosClass::kGuaranteed;
};
Lowest LowestOf(const Gang& gang) {
  Lowest lowest;
  for (const GangMember& member : gang.members) {
    if (!Exists(member.standing)) continue;
    const Pod& pod = *member.pod;
    lowest.priority = std::min(lowest.priority, pod.priority);
    lowest.highest_priority = std::max(lowest.highest_priority, pod.priority);
    lowest.qos = std::min(lowest.qos, QosClassOf(pod));
  }
  return lowest;
}

// Kubernetes checks which priority a pod may have, and not what a PodGroup says: that may only be
// less.
int32_t PriorityOf(const Gang& gang, const GroupState& state, const Lowest& lowest,
                   const GroupNotes& notes) {
  const std::optional<int32_t>& of_class = state.class_priority;
  if (of_class && *of_class <= lowest.priority) return *of_class;
  if (gang.object != nullptr && !gang.object->priority_class_name.empty()) {
    notes.Add(
        NoteKind::kPriorityClass,
        fmt::format("spec.priorityClassName is \"{}\", {}; {} counts, the lowest priority of "
                    "its pods",
                    gang.object->priority_class_name,
                    of_class ? fmt::format("of priority {}", *of_class) : "which does not exist",
                    lowest.priority));
  }
  if (lowest.priority != lowest.highest_priority) {
    notes.Add(NoteKind::kPriorities,
              fmt::format("pods have priorities from {} to {}; the lowest counts", lowest.priority,
                          lowest.highest_priority));
  }
  return lowest.priority;
}

// groupPriority is the oldest member's.
int64_t OldestGroupPriority(const Gang& gang, const Pod& oldest, const UnitKey& key, Notes* notes) {
  const int64_t value = GroupPriorityOf(oldest.labels, key, notes);
  const auto counts = ReadGroupPriority(oldest.labels);
  const auto differs = [&counts](const GangMember& member) {
    return Lives(member.standing) && ReadGroupPriority(member.pod->labels) != counts;
  };
  if (std::any_of(gang.members.begin(), gang.members.end(), differs)) {
    GroupNotes(notes, key)
        .Add(
            NoteKind::kGroupPrioritiesDiffer,
            fmt::format("members have different values of label {}; {} counts, from the oldest, {}",
                        kGroupPriorityLabel, value, oldest.name));
  }
  return value;
}

Rank RankOfGang(const Gang& gang, const Findings& findings, const GroupOptions& options,
                Notes* notes) {
  const UnitKey& key = findings.state.key;
  const Lowest lowest = LowestOf(gang);
  Rank rank;
  rank.group_priority = OldestGroupPriority(gang, *findings.oldest, key, notes);
  rank.priority = PriorityOf(gang, findings.state, lowest, GroupNotes(notes, key));
  rank.by_priority = options.order_by_pod_priority;
  rank.first = rank.priority >= kSystemCriticalPriority;
  rank.in_part = findings.state.preferred;
  rank.qos = lowest.qos;
  rank.created = gang.object != nullptr && gang.object->created != 0
                     ? gang.object->created
                     : findings.oldest->creation_time;
  rank.namespace_ = key.namespace_;
  rank.name = key.name;
  rank.uid = key.uid;
  return rank;
}

void AddMembers(const Gang& gang, const std::vector<GangRole>& roles, Unit* unit) {
  for (const GangMember& member : gang.members) {
    if (member.standing == Standing::kBound) {
      unit->topology.bound_on.push_back(member.pod->node_name);
    } else if (member.standing == Standing::kPending) {
      Member& added = unit->members.emplace_back();
      added.pod = member.pod;
      if (FindRole(roles, member.role) != nullptr) added.role = member.role;
    }
  }
  std::sort(unit->members.begin(), unit->members.end(), ComesFirst);
  auto& nodes = unit->topology.bound_on;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

Unit UnitOf(const Gang& gang, Findings findings, const GroupOptions& options, Notes* notes) {
  Unit unit;
  unit.rank = RankOfGang(gang, findings, options, notes);
  unit.key = std::move(findings.state.key);
  const bool one_by_one = ComeOneByOne(findings) || !options.all_or_none;
  unit.minimum = findings.state.needed;
  unit.bound = findings.state.bound;
  unit.topology = std::move(findings.topology);
  if (gang.object != nullptr && !findings.state.admitted && !one_by_one) {
    // Controllers make the sum of all requests of the templates.
    unit.min_resources = gang.object->min_resources;
    LeaveCallsOutOf(&unit.min_resources);
  }
  AddMembers(gang, findings.roles, &unit);
  unit.roles.reserve(findings.roles.size());
  for (GangRole& role : findings.roles) unit.roles.push_back(std::move(role.role));
  if (one_by_one) {
    unit.minimum = unit.bound + 1;
    unit.roles.clear();
    for (Member& member : unit.members) member.role.clear();
  }
  return unit;
}

Unit UnitOf(const PodPtr& pod, const GroupOptions& options, Notes* notes) {
  Unit unit;
  unit.key = {Dialect::kNone, pod->namespace_, pod->name, pod->uid};
  unit.rank = RankOf(*pod, options.order_by_pod_priority, notes);
  unit.members.emplace_back().pod = pod;
  return unit;
}

}  // namespace outrigger::plan
