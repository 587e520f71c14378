#include "plan/groups/gang.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "plan/groups/cause.h"
#include "plan/groups/history.h"
#include "plan/groups/limits.h"
#include "plan/groups/topology.h"

namespace outrigger::plan {
namespace {

// The oldest living member for which `wanted` holds, or nullptr.
template <typename Wanted>
const GangMember* Oldest(const Gang& gang, Wanted wanted) {
  const GangMember* oldest = nullptr;
  for (const GangMember& member : gang.members) {
    if (!Lives(member.standing) || !wanted(*member.pod)) continue;
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

// The minimum of a group without object: its oldest member's.
int64_t MinimumOnPods(const Gang& gang, const GangMember& oldest, const GroupNotes& notes) {
  const auto differs = [&oldest](const GangMember& member) {
    return Lives(member.standing) && member.minimum != oldest.minimum;
  };
  const bool differ = std::any_of(gang.members.begin(), gang.members.end(), differs);
  if (differ) {
    notes.Add(
        NoteKind::kMinimumsDiffer,
        fmt::format("members give different values of {} {}; {} counts, of the oldest, {}",
                    oldest.pod->labels.Get(oldest.minimum_key).empty() ? "annotation" : "label",
                    oldest.minimum_key, oldest.minimum, oldest.pod->name));
  }
  return oldest.minimum;
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
      Oldest(gang, [key](const Pod& pod) { return !pod.annotations.Get(key).empty(); });
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

// What a bound member says it was started with, the largest; 0: none says it.
int64_t BoundStartedWith(const Gang& gang) {
  int64_t most = 0;
  for (const GangMember& member : gang.members) {
    if (member.standing == Standing::kBound) most = std::max(most, StartedWith(*member.pod));
  }
  return most;
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

bool IsOurs(const Pod& pod, const GroupOptions& options) {
  const std::string_view scheduler =
      pod.scheduler_name.empty() ? std::string_view("default-scheduler") : pod.scheduler_name;
  const auto& ours = options.scheduler_names;
  return std::find(ours.begin(), ours.end(), scheduler) != ours.end();
}

Standing StandingOf(const Pod& pod, const GroupOptions& options) {
  if (pod.IsFinished()) return Standing::kFinished;
  if (pod.being_deleted || options.leaving.contains(pod.uid)) return Standing::kTerminating;
  if (!IsOurs(pod, options)) return Standing::kOtherScheduler;
  if (!pod.node_name.empty()) return Standing::kBound;
  return pod.scheduling_gates.empty() || IsQueued(pod) ? Standing::kPending : Standing::kGated;
}

Findings Examine(const Gang& gang, const GroupOptions& options, Notes* notes) {
  Findings findings;
  GroupState& state = findings.state;
  state.key = {gang.dialect, gang.namespace_, gang.name,
               gang.object == nullptr ? "" : gang.object->uid};
  Count(gang, &state);
  const GangMember* const oldest = Oldest(gang, [](const Pod&) { return true; });
  if (oldest != nullptr) findings.oldest = oldest->pod.get();
  if (gang.object != nullptr) {
    state.schedule_timeout_seconds = gang.object->schedule_timeout_seconds;
    state.independent = gang.object->independent;
    if (!state.independent) state.minimum = gang.object->min_member;
    state.class_priority = ClassPriorityOf(*gang.object, options);
  } else if (oldest != nullptr && gang.dialect == Dialect::kLabels) {
    state.minimum = MinimumOnPods(gang, *oldest, GroupNotes(notes, state.key));
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

}  // namespace outrigger::plan
