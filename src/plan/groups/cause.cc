#include "plan/groups/cause.h"

#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "plan/groups/history.h"
#include "plan/groups/limits.h"

namespace outrigger::plan {
namespace {

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
  const std::string_view resource = ResourceOf(gang.dialect);
  const auto unknown = options.unknown_versions.find(gang.dialect);
  if (unknown != options.unknown_versions.end()) {
    Refuse(GroupCause::kUnknownVersion,
           fmt::format("the API server serves {} in the version {}, which is not known", resource,
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
  if (!InRange(minimum)) return refuse(MinimumFieldOf(gang.dialect), minimum);
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
  if (unnamed > 0) {
    return fmt::format("; {} lack the annotation or label {}, which names the role", unnamed,
                       kVolcanoRole);
  }
  if (other == nullptr) return {};
  return fmt::format("; {} of pod {} names role {}, which minTaskMember does not have",
                     kVolcanoRole, other->pod->name, Shortened(other->role, 63));
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
  Refuse(GroupCause::kTooManyWaiting,
         fmt::format("{} members have to wait for each other, but --max-waiting-binds is {}: "
                     "raise it",
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

}  // namespace

void FindGroupCause(const Gang& gang, const GroupOptions& options, std::string_view bad_topology,
                    Findings* findings) {
  GroupState* const state = &findings->state;
  if (gang.dialect == Dialect::kUpstream && options.leave_upstream) {
    return Refuse(GroupCause::kLeftToScheduler, "kube-scheduler plans this group itself", state);
  }
  if (state->existing == state->bound && state->gated == 0) return;  // nobody waits
  RefuseByObject(gang, options, state);
  const bool independent = gang.object != nullptr && gang.object->independent;
  if (independent || state->cause != GroupCause::kNone) return;
  RefuseByMinimum(gang, state->minimum, findings->roles, state);
  if (state->cause != GroupCause::kNone) {
    state->minimum = state->needed = 0;
  } else if (state->existing > kMaxMembers) {
    Refuse(GroupCause::kTooManyMembers,
           fmt::format("{} members exist, expected {} at most", state->existing, kMaxMembers),
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

}  // namespace outrigger::plan
