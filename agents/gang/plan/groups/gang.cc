#include "gang/plan/groups/gang.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gang/plan/call_resources.h"
#include "gang/plan/groups/history.h"
#include "gang/plan/groups/limits.h"
#include "gang/plan/order.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"
#include "sdk/base/dialects.h"

namespace outrigger::plan {
namespace {

// The levels of an annotation, without blanks around them and without empty ones. The first that
// is no label key goes to `malformed` and is left out, as are all others like it. Each is given
// once; of more than kMostTopologyLevels one more than these.
std::vector<std::string> TopologyLevels(std::string_view annotation,
                                        std::optional<std::string>* malformed) {
  std::vector<std::string> levels;
  for (std::string& level : SplitList(annotation)) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) continue;
    if (levels.size() > kMostTopologyLevels) break;  // one too many says it
    if (IsLabelKey(level)) {
      levels.push_back(std::move(level));
    } else if (!level.empty() && !*malformed) {
      *malformed = std::move(level);
    }
  }
  return levels;
}

// 'annotation KEY: names more than 8 topology levels, the limit'.
std::string TooManyLevels(std::string_view key) {
  return fmt::format("annotation {}: names more than {} topology levels, the limit", key,
                     kMostTopologyLevels);
}

// 'annotation KEY: "LEVEL" is no label key'.
std::string MalformedLevel(std::string_view key, std::string_view level) {
  return fmt::format("annotation {}: \"{}\" is not a label key", key, level.substr(0, 64));
}

bool InRange(int64_t minimum) {
  return minimum >= 1 && minimum <= kMaxMembers;
}

void Refuse(GroupCause cause, std::string text, GroupState* state) {
  state->cause = cause;
  state->text = std::move(text);
}

// What stands against planning any group of this kind, or this one without its object.
void RefuseByObject(const Gang& gang, const GroupOptions& options, GroupState* state) {
  if (gang.dialect == Dialect::kLabels) return;
  const std::string resource = ResourceOf(gang.dialect);
  const auto unknown = options.unknown_versions.find(gang.dialect);
  if (unknown != options.unknown_versions.end()) {
    Refuse(GroupCause::kUnknownVersion,
           fmt::format("the API server serves {} in version {}, which is not supported", resource,
                       unknown->second),
           state);
  } else if (!options.served.Has(gang.dialect)) {
    Refuse(GroupCause::kNotServed, fmt::format("the API server does not serve {}", resource),
           state);
  } else if (gang.object == nullptr) {
    Refuse(GroupCause::kObjectMissing,
           fmt::format("there is no PodGroup {}/{} ({})", gang.namespace_, gang.name, resource),
           state);
  }
}

void RefuseByMinimum(const Gang& gang, int64_t minimum, const std::vector<GangRole>& roles,
                     GroupState* state) {
  const auto refuse = [state](std::string_view field, int64_t value) {
    Refuse(GroupCause::kInvalidMinimum,
           fmt::format("{} is {}, expected 1 to {}", field, value, kMaxMembers), state);
  };
  if (!InRange(minimum)) return refuse(RowOf(gang.dialect).minimum_field, minimum);
  for (const GangRole& role : roles) {
    if (InRange(role.minimum)) continue;
    return refuse(fmt::format("spec.minTaskMember[{}]", role.role.name), role.minimum);
  }
}

std::string NotCounted(const GroupState& state) {
  std::string text;
  const auto add = [&text](int64_t number, std::string_view what) {
    if (number != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, what);
  };
  add(state.gated, fmt::format("gated by {}", fmt::join(state.other_gates, ", ")));
  add(state.other_scheduler, "of another scheduler");
  add(state.terminating, "terminating");
  add(state.finished - state.succeeded, "finished");
  return text.empty() ? text : "; not counted: " + text;
}

// Those that succeeded count: they were there when it was their time.
std::string Succeeded(int64_t number) {
  return number == 0 ? "" : fmt::format(" ({} succeeded)", number);
}

// Why members that exist count for no role; empty if all do.
std::string WithoutRole(const Gang& gang, const std::vector<GangRole>& roles) {
  int64_t unnamed = 0;
  const GangMember* other = nullptr;
  for (const GangMember& member : gang.members) {
    if (!Exists(member.standing)) continue;
    if (member.role.empty()) {
      ++unnamed;
    } else if (FindRole(roles, member.role) == nullptr &&
               !gang.object->min_task_member.contains(member.role)) {
      if (other == nullptr || member.pod->name < other->pod->name) other = &member;
    }
  }
  const std::string_view role_key = RowOf(gang.dialect).role_key;
  if (unnamed > 0) {
    return fmt::format("; {} lack the annotation or label {} with the role", unnamed, role_key);
  }
  if (other == nullptr) return {};
  return fmt::format("; {} of pod {} names role {}, which is not in minTaskMember", role_key,
                     other->pod->name, Shortened(other->role, 63));
}

void RefuseByNumber(const Gang& gang, const std::vector<GangRole>& roles, GroupState* state) {
  const auto refuse = [state](int64_t existing, int64_t succeeded, int64_t minimum,
                              std::string_view which, const std::string& more) {
    Refuse(GroupCause::kTooFewMembers,
           fmt::format("{} of {} {} exist{}{}{}", existing + succeeded, minimum, which,
                       Succeeded(succeeded), NotCounted(*state), more),
           state);
  };
  if (state->existing < state->needed) {
    return refuse(state->existing, state->succeeded, state->minimum, "members", "");
  }
  for (const GangRole& role : roles) {
    if (role.existing >= role.role.minimum) continue;
    return refuse(role.existing, role.succeeded, role.minimum,
                  fmt::format("members of role {}", role.role.name), WithoutRole(gang, roles));
  }
}

void RefuseByWaiting(const GroupOptions& options, GroupState* state) {
  const int64_t waiting = state->needed - state->bound;
  if (options.most_waiting == 0 || waiting <= options.most_waiting) return;
  Refuse(
      GroupCause::kTooManyWaiting,
      fmt::format("{} members must wait for each other, but --max-waiting-binds is {}: increase it",
                  waiting, options.most_waiting),
      state);
}

// Of the object, or else of the first member, by name, that wants a place.
std::string ExcessIn(const Gang& gang) {
  std::string excess = gang.object == nullptr ? "" : ExcessOf(*gang.object);
  const Pod* first = nullptr;
  for (const GangMember& member : gang.members) {
    if (!member.asks_too_much) continue;
    if (first == nullptr || member.pod->name < first->name) first = member.pod.get();
  }
  if (!excess.empty() || first == nullptr) return excess;
  return fmt::format("pod {} {}", first->name, ExcessOf(*first));
}

// Sets cause and text of the state if something stands against planning the gang and a member
// waits. `bad_topology` is what is wrong with the required levels, or empty. A minimum that is
// out of range becomes 0.
void FindGroupCause(const Gang& gang, const GroupOptions& options, std::string_view bad_topology,
                    Findings* findings) {
  GroupState* const state = &findings->state;
  if (gang.dialect == Dialect::kUpstream && options.leave_upstream) {
    return Refuse(GroupCause::kLeftToScheduler, "kube-scheduler plans this group itself", state);
  }
  if (state->existing == state->bound && state->gated == 0) return;  // nobody waits
  RefuseByObject(gang, options, state);
  if (state->independent || state->cause != GroupCause::kNone) return;
  RefuseByMinimum(gang, state->minimum, findings->roles, state);
  if (state->cause != GroupCause::kNone) {
    state->minimum = state->needed = 0;
  } else if (state->existing > kMaxMembers) {
    Refuse(GroupCause::kTooManyMembers,
           fmt::format("{} members exist, at most {} are supported", state->existing, kMaxMembers),
           state);
  } else if (const std::string excess = ExcessIn(gang); !excess.empty()) {
    Refuse(GroupCause::kTooMuch, excess, state);
  } else if (!bad_topology.empty()) {
    Refuse(GroupCause::kInvalidTopology, std::string(bad_topology), state);
  } else if (!ComeOneByOne(*findings)) {
    RefuseByWaiting(options, state);
    if (state->cause == GroupCause::kNone) RefuseByNumber(gang, findings->roles, state);
  }
}

// The oldest living member for which `wanted` holds, or nullptr.
template <typename Wanted>
const GangMember* Oldest(const Gang& gang, Wanted wanted) {
  const GangMember* oldest = nullptr;
  for (const GangMember& member : gang.members) {
    if (!Lives(member.standing) || !wanted(member)) continue;
    if (oldest == nullptr || IsOlder(*member.pod, *oldest->pod)) oldest = &member;
  }
  return oldest;
}

// The gates of others that hold members.
std::vector<std::string> OtherGates(const Gang& gang) {
  constexpr size_t kMost = 3;
  std::set<std::string_view> found;
  for (const GangMember& member : gang.members) {
    if (member.standing != Standing::kGated) continue;
    for (const std::string& gate : member.pod->scheduling_gates) {
      if (gate != kQueueGate) found.insert(gate);
    }
  }
  std::vector<std::string> gates(found.begin(), found.end());
  gates.resize(std::min(gates.size(), kMost));
  return gates;
}

void Count(const Gang& gang, GroupState* state) {
  for (const GangMember& member : gang.members) {
    state->finished += member.standing == Standing::kFinished ? 1 : 0;
    state->terminating += member.standing == Standing::kTerminating ? 1 : 0;
    state->other_scheduler += member.standing == Standing::kOtherScheduler ? 1 : 0;
    state->bound += member.standing == Standing::kBound ? 1 : 0;
    state->gated += member.standing == Standing::kGated ? 1 : 0;
    state->queued += member.standing == Standing::kPending && IsQueued(*member.pod) ? 1 : 0;
    state->existing += Exists(member.standing) ? 1 : 0;
  }
  if (state->gated != 0) state->other_gates = OtherGates(gang);
}

// What a bound member says it was started with, the largest; 0: none says it.
int64_t BoundStartedWith(const Gang& gang) {
  int64_t most = 0;
  for (const GangMember& member : gang.members) {
    if (member.standing == Standing::kBound) most = std::max(most, StartedWith(*member.pod));
  }
  return most;
}

// The minimum of a group without object: that of the oldest member that names one. If the one that
// named it is gone, what started goes on. 0: no minimum.
int64_t MinimumOnPods(const Gang& gang, const GroupNotes& notes) {
  const auto names_one = [](const GangMember& member) { return member.minimum != 0; };
  const GangMember* const oldest = Oldest(gang, names_one);
  if (oldest == nullptr) {
    const int64_t started_with = BoundStartedWith(gang);
    const auto is_noted = [](const GangMember& member) {  // as malformed
      return !member.pod->labels.Get(member.minimum_key).empty() ||
             !member.pod->annotations.Get(member.minimum_key).empty();
    };
    if (started_with == 0 && std::none_of(gang.members.begin(), gang.members.end(), is_noted)) {
      notes.Add(NoteKind::kUnreadMarker, NoMinimumText(gang.members[0].minimum_key));
    }
    return started_with;
  }
  const auto differs = [&](const GangMember& member) {
    return Lives(member.standing) && names_one(member) && member.minimum != oldest->minimum;
  };
  if (std::any_of(gang.members.begin(), gang.members.end(), differs)) {
    notes.Add(NoteKind::kMinimumsDiffer,
              fmt::format("members have different values of {}; {} counts, from the oldest, {}",
                          MinimumText(oldest->minimum_key), oldest->minimum, oldest->pod->name));
  }
  return oldest->minimum;
}

std::vector<GangRole> RolesOf(const Gang& gang) {
  std::vector<GangRole> roles;
  if (gang.object == nullptr) return roles;
  for (const auto& [name, minimum] : gang.object->min_task_member) {
    if (minimum != 0) roles.push_back({.role = {name, minimum, 0}, .minimum = minimum});
  }
  for (const GangMember& member : gang.members) {
    GangRole* const at = member.role.empty() ? nullptr : FindRole(roles, member.role);
    if (at == nullptr || !Exists(member.standing)) continue;
    ++at->existing;
    at->role.bound += member.standing == Standing::kBound ? 1 : 0;
  }
  return roles;
}

// Of the object, or of the oldest member that has it where there is none.
std::string_view AnnotationOf(const Gang& gang, std::string_view key) {
  if (gang.object != nullptr) return gang.object->annotations.Get(key);
  if (gang.dialect != Dialect::kLabels) return {};
  const GangMember* const member =
      Oldest(gang, [key](const GangMember& of) { return !of.pod->annotations.Get(key).empty(); });
  return member == nullptr ? std::string_view() : member->pod->annotations.Get(key);
}

// The levels of the annotation `key`; the first that is malformed goes to `malformed`.
std::vector<std::string> LevelsOf(const Gang& gang, std::string_view key, std::string* malformed) {
  std::optional<std::string> level;
  std::vector<std::string> levels = TopologyLevels(AnnotationOf(gang, key), &level);
  if (level) *malformed = MalformedLevel(key, *level);
  if (levels.size() > kMostTopologyLevels) {
    *malformed = TooManyLevels(key);
    levels.resize(kMostTopologyLevels);
  }
  return levels;
}

// Reads the levels; what is wrong with the required ones is the answer, or nothing.
std::string ReadTopology(const Gang& gang, const GroupNotes& notes, TopologyWish* topology) {
  std::string malformed;
  topology->preferred = LevelsOf(gang, kTopologyPreferred, &malformed);
  if (!malformed.empty()) notes.Add(NoteKind::kPreferredTopology, malformed);
  malformed.clear();
  topology->required = LevelsOf(gang, kTopologyRequired, &malformed);
  return malformed;
}

OnMemberLoss ReadOnMemberLoss(const Gang& gang, const GroupNotes& notes) {
  const std::string_view text = AnnotationOf(gang, kOnMemberLoss);
  if (text == "ignore") return OnMemberLoss::kIgnore;
  if (text == "restart") return OnMemberLoss::kRestart;
  if (!text.empty() && text != "replace") {
    notes.Add(NoteKind::kOnMemberLoss,
              fmt::format("annotation {} is \"{}\", expected ignore, replace or restart; replace "
                          "counts",
                          kOnMemberLoss, text.substr(0, 64)));
  }
  return OnMemberLoss::kReplace;
}

bool IsBroken(const Findings& findings) {
  const GroupState& state = findings.state;
  if (state.bound == 0) return false;
  // Members that a raised minimum asks for were never lost.
  if (state.started_with != 0 && state.started_with < state.minimum) {
    return state.bound + state.succeeded < state.started_with;
  }
  const auto lacks = [](const GangRole& role) { return role.role.bound < role.role.minimum; };
  return state.bound < state.needed ||
         std::any_of(findings.roles.begin(), findings.roles.end(), lacks);
}

// The minimum, or what all roles together want, if that is more.
int64_t StartsWith(const Findings& findings) {
  int64_t of_roles = 0;
  for (const GangRole& role : findings.roles) {
    of_roles += std::clamp<int64_t>(role.minimum, 0, kMaxMembers);
  }
  return std::min(kMaxMembers, std::max(findings.state.minimum, of_roles));
}

// Only this agent writes the annotation. Members that are bound by hand, or that a raised minimum
// asks for, put a gang before no other.
bool IsInPart(const Gang& gang, const GroupState& state) {
  if (!state.broken) return false;
  const int64_t started_with = BoundStartedWith(gang);
  if (started_with == 0) return false;
  return state.starts_with <= started_with || state.bound + state.succeeded < started_with;
}

// What depends on the minimum.
void FindLoss(const Gang& gang, Findings* findings) {
  GroupState& state = findings->state;
  state.broken = IsBroken(*findings);
  state.starts_with = StartsWith(*findings);
  state.in_part = IsInPart(gang, state);
  state.preferred = state.in_part && state.on_member_loss != OnMemberLoss::kIgnore;
}

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

std::optional<int32_t> ClassPriorityOf(const PodGroupObject& object, const GroupOptions& options) {
  if (object.priority_class_name.empty()) return std::nullopt;
  const auto found = options.priority_classes.find(object.priority_class_name);
  if (found == options.priority_classes.end()) return std::nullopt;
  return found->second;
}

bool IsQueued(const Pod& pod) {
  const auto is_ours = [](const std::string& gate) { return gate == kQueueGate; };
  const std::vector<std::string>& gates = pod.scheduling_gates;
  return !gates.empty() && std::all_of(gates.begin(), gates.end(), is_ours);
}

bool IsOurs(const Pod& pod, std::span<const std::string> scheduler_names) {
  const std::string_view scheduler =
      pod.scheduler_name.empty() ? std::string_view("default-scheduler") : pod.scheduler_name;
  return std::find(scheduler_names.begin(), scheduler_names.end(), scheduler) !=
         scheduler_names.end();
}

Standing StandingOf(const Pod& pod, const GroupOptions& options) {
  if (pod.IsFinished()) return Standing::kFinished;
  if (pod.being_deleted || options.leaving.contains(pod.uid)) return Standing::kTerminating;
  if (!IsOurs(pod, options.scheduler_names)) return Standing::kOtherScheduler;
  if (!pod.node_name.empty()) return Standing::kBound;
  return pod.scheduling_gates.empty() || IsQueued(pod) ? Standing::kPending : Standing::kGated;
}

Findings Examine(const Gang& gang, const GroupOptions& options, Notes* notes) {
  Findings findings;
  GroupState& state = findings.state;
  state.key = {gang.dialect, gang.namespace_, gang.name,
               gang.object == nullptr ? "" : gang.object->uid};
  Count(gang, &state);
  const GangMember* const oldest = Oldest(gang, [](const GangMember&) { return true; });
  if (oldest != nullptr) findings.oldest = oldest->pod.get();
  if (gang.object != nullptr) {
    state.schedule_timeout_seconds = gang.object->schedule_timeout_seconds;
    // No minimum is none, in every dialect; minimums by role then do not count either.
    state.independent = gang.object->independent || gang.object->min_member == 0;
    if (!state.independent) state.minimum = gang.object->min_member;
    state.class_priority = ClassPriorityOf(*gang.object, options);
  } else if (oldest != nullptr && gang.dialect == Dialect::kLabels) {
    state.minimum = MinimumOnPods(gang, GroupNotes(notes, state.key));
    state.independent = state.minimum == 0;
  }
  findings.roles = RolesOf(gang);
  CountHistory(gang, options, &findings);
  const std::string malformed =
      ReadTopology(gang, GroupNotes(notes, state.key), &findings.topology);
  state.on_member_loss = ReadOnMemberLoss(gang, GroupNotes(notes, state.key));
  FindLoss(gang, &findings);
  FindGroupCause(gang, options, malformed, &findings);
  FindLoss(gang, &findings);  // a minimum that is out of range is none
  for (const GangRole& role : findings.roles) state.roles.push_back(role.role);
  return findings;
}

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
