#include "gang/plan/groups/history.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "gang/plan/group.h"
#include "gang/plan/groups/integer.h"

namespace outrigger::plan {
namespace {

bool HasRun(const GangMember& member, const GroupOptions& options) {
  const bool is_over =
      member.standing == Standing::kFinished || member.standing == Standing::kTerminating;
  return is_over && !member.pod->node_name.empty() && IsOurs(*member.pod, options.scheduler_names);
}

/// Which pods are of the present start of a gang. A Job that is created again under the name of a
/// former one starts a new gang, though pods of the former may still be there.
class Start {
 public:
  explicit Start(const Gang& gang) : object_(gang.object) {
    if (object_ != nullptr) return;
    for (const GangMember& member : gang.members) {
      if (Lives(member.standing) && member.pod->controller) {
        owners_.insert(member.pod->controller->uid);
      }
    }
  }

  bool Has(const Pod& pod) const {
    if (object_ == nullptr) return !pod.controller || owners_.contains(pod.controller->uid);
    // Times have whole seconds. What was bound before the object was there was no gang of it.
    return pod.scheduled_time == 0 || pod.scheduled_time >= object_->created;
  }

 private:
  const PodGroupObject* const object_;
  absl::flat_hash_set<std::string_view> owners_;
};

bool HaveStarted(const Findings& findings) {
  const GroupState& state = findings.state;
  if (state.started_with != 0) return true;
  return state.bound + state.ran >= state.minimum &&
         std::all_of(findings.roles.begin(), findings.roles.end(), [](const GangRole& role) {
           return role.role.bound + role.ran >= role.minimum;
         });
}

}  // namespace

int64_t StartedWith(const Pod& pod) {
  const int64_t minimum = IntegerOf(pod.annotations.Get(kStartedWith)).value_or(0);
  return minimum >= 1 && minimum <= kMaxMembers ? minimum : 0;
}

void CountHistory(const Gang& gang, const GroupOptions& options, Findings* findings) {
  GroupState& state = findings->state;
  const Start start(gang);
  for (const GangMember& member : gang.members) {
    const bool has_run = HasRun(member, options) && start.Has(*member.pod);
    if (has_run || member.standing == Standing::kBound) {
      state.started_with = std::max(state.started_with, StartedWith(*member.pod));
    }
    if (!has_run) continue;
    const int64_t succeeded = member.pod->phase == "Succeeded" ? 1 : 0;
    ++state.ran;
    state.succeeded += succeeded;
    GangRole* const role = member.role.empty() ? nullptr : FindRole(findings->roles, member.role);
    if (role == nullptr) continue;
    ++role->ran;
    role->succeeded += succeeded;
  }
  // Where nothing runs and nothing has succeeded the gang starts again, as a whole.
  state.admitted = state.bound + state.succeeded > 0 && HaveStarted(*findings);
  state.needed = std::max<int64_t>(0, state.minimum - state.succeeded);
  for (GangRole& role : findings->roles) {
    role.role.minimum = std::max<int64_t>(0, role.minimum - role.succeeded);
  }
}

bool ComeOneByOne(const Findings& findings) {
  const GroupState& state = findings.state;
  if (state.broken && state.on_member_loss == OnMemberLoss::kIgnore) return true;
  const auto lacks = [](const GangRole& role) { return role.existing < role.role.minimum; };
  return state.admitted && (state.existing < state.needed ||
                            std::any_of(findings.roles.begin(), findings.roles.end(), lacks));
}

}  // namespace outrigger::plan
