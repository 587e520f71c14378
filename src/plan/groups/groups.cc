#include "outrigger/plan/groups.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "plan/groups/gang.h"
#include "plan/groups/queue.h"

namespace outrigger::plan {
namespace {

// A group without its UID, of which only one exists at a time. Views into pods and objects.
using Name = std::tuple<Dialect, std::string_view, std::string_view>;

bool IsNewer(const PodGroupObject& a, const PodGroupObject& b) {
  return std::tie(a.created, a.uid) > std::tie(b.created, b.uid);
}

class Builder {
 public:
  Builder(const GroupOptions& options, Notes* notes, GroupedUnits* result)
      : options_(options), notes_(notes), result_(result) {}

  void AddObject(const PodGroupObject& object) {
    const auto [at, is_new] =
        objects_.try_emplace({object.dialect, object.namespace_, object.name}, &object);
    if (!is_new && IsNewer(object, *at->second)) at->second = &object;
  }

  void AddPod(const PodPtr& pod) {
    const Standing standing = StandingOf(*pod, options_);
    const auto membership = MembershipOf(*pod, notes_);
    if (membership) {
      GangOf(*membership)
          .members.push_back({&pod, standing, membership->minimum, membership->role});
    } else if (WantsPlace(standing)) {
      queue_.AddSingle(pod, notes_);
    }
  }

  void Finish();

 private:
  Gang& GangOf(const Membership& of);
  void Judge(const Gang& gang);

  const GroupOptions& options_;
  Notes* const notes_;
  absl::flat_hash_map<Name, const PodGroupObject*> objects_;
  absl::flat_hash_map<Name, size_t> gang_at_;
  std::deque<Gang> gangs_;
  Queue queue_;
  GroupedUnits* const result_;
};

Gang& Builder::GangOf(const Membership& of) {
  const Name name{of.dialect, of.namespace_, of.name};
  const auto [at, is_new] = gang_at_.try_emplace(name, gangs_.size());
  if (is_new) {
    const auto object = objects_.find(name);
    gangs_.push_back({of.dialect,
                      of.namespace_,
                      of.name,
                      object == objects_.end() ? nullptr : object->second,
                      {}});
  }
  return gangs_[at->second];
}

void Builder::Judge(const Gang& gang) {
  Findings findings = Examine(gang, options_, notes_);
  const GroupState& state = result_->groups.emplace_back(findings.state);
  if (state.cause != GroupCause::kNone) return;
  if (gang.object != nullptr && gang.object->independent) {
    for (const GangMember& member : gang.members) {
      if (WantsPlace(member.standing)) queue_.AddSingle(*member.pod, notes_);
    }
  } else if (state.existing > state.bound) {
    queue_.AddGang(UnitOf(gang, std::move(findings), notes_));
  }
}

void Builder::Finish() {
  // Pointers are sorted, since gangs are large.
  std::vector<const Gang*> order;
  order.reserve(gangs_.size());
  for (const Gang& gang : gangs_) order.push_back(&gang);
  std::sort(order.begin(), order.end(), [](const Gang* a, const Gang* b) {
    return std::tie(a->dialect, a->namespace_, a->name) <
           std::tie(b->dialect, b->namespace_, b->name);
  });
  result_->groups.clear();
  result_->groups.reserve(order.size());
  for (const Gang* gang : order) Judge(*gang);
  queue_.Take(&result_->units);
}

}  // namespace

GroupedUnits BuildUnits(std::span<const std::shared_ptr<const Pod>> pods,
                        std::span<const PodGroupObject> objects, const GroupOptions& options,
                        Notes* notes) {
  GroupedUnits result;
  BuildUnits(pods, objects, options, notes, &result);
  return result;
}

void BuildUnits(std::span<const std::shared_ptr<const Pod>> pods,
                std::span<const PodGroupObject> objects, const GroupOptions& options, Notes* notes,
                GroupedUnits* result) {
  Builder builder(options, notes, result);
  for (const PodGroupObject& object : objects) builder.AddObject(object);
  for (const PodPtr& pod : pods) builder.AddPod(pod);
  builder.Finish();
}

const GroupState* FindGroup(std::span<const GroupState> groups, const Membership& membership) {
  const auto name_of = [](const auto& value) {
    return Name(value.dialect, value.namespace_, value.name);
  };
  const auto at = std::lower_bound(groups.begin(), groups.end(), membership,
                                   [&](const GroupState& group, const Membership& wanted) {
                                     return name_of(group.key) < name_of(wanted);
                                   });
  return at != groups.end() && name_of(at->key) == name_of(membership) ? &*at : nullptr;
}

}  // namespace outrigger::plan
