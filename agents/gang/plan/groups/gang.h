#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gang/plan/groups.h"

// One group: what is found out about it, and the unit that it makes.

namespace outrigger::plan {

using PodPtr = std::shared_ptr<const Pod>;

/// The value of the object's priority class; nothing: it has none, or one that is not known.
std::optional<int32_t> ClassPriorityOf(const PodGroupObject& object, const GroupOptions& options);

/// What a pod is to its group.
enum class Standing : uint8_t {
  kFinished,
  kTerminating,
  kOtherScheduler,
  kBound,
  kGated,    // held by another gate than ours
  kPending,  // wants a place; our gate may hold it
};
Standing StandingOf(const Pod& pod, const GroupOptions& options);
constexpr bool Exists(Standing standing) {
  return standing == Standing::kPending || standing == Standing::kBound;
}
constexpr bool Lives(Standing standing) {
  return standing != Standing::kFinished && standing != Standing::kTerminating;
}

inline bool IsOlder(const Pod& a, const Pod& b) {
  return std::tie(a.creation_time, a.name, a.uid) < std::tie(b.creation_time, b.name, b.uid);
}

struct GangMember {
  PodPtr pod;
  Standing standing = Standing::kPending;
  int64_t minimum = 0;  // of the pod itself, and the key that has it
  std::string_view minimum_key;
  bool asks_too_much = false;
  std::string_view role;  // as the pod names it
};

/// Notes about one group, whose name is put together only if there is something to tell.
class GroupNotes {
 public:
  GroupNotes(Notes* notes, const UnitKey& group) : notes_(notes), group_(group) {}
  void Add(NoteKind kind, std::string_view text) const {
    if (notes_ != nullptr) notes_->Add(kind, TextOf(group_), text);
  }

 private:
  Notes* const notes_;
  const UnitKey& group_;
};

/// The pods that name one group, at least one, and its object.
struct Gang {
  Dialect dialect = Dialect::kNone;
  std::string namespace_;
  std::string name;
  const PodGroupObject* object = nullptr;
  std::vector<GangMember> members;
};

/// A role with a minimum.
struct GangRole {
  Role role;            // its minimum: of living members that have a place
  int64_t minimum = 0;  // as the object has it
  int64_t existing = 0;
  int64_t ran = 0;  // as of GroupState, as is what succeeded
  int64_t succeeded = 0;
};

/// What is known of a gang.
struct Findings {
  GroupState state;
  const Pod* oldest = nullptr;  // of those that live, if any does
  std::vector<GangRole> roles;  // by name
  TopologyWish topology;
};
Findings Examine(const Gang& gang, const GroupOptions& options, Notes* notes);

/// The label groupPriority: 0 if it is missing, nothing if it is malformed.
std::optional<int64_t> ReadGroupPriority(const StringMap& labels);

/// The role of `roles` that a member has, or nullptr.
template <typename Roles>
auto* FindRole(Roles& roles, std::string_view name) {
  auto* const end = roles.data() + roles.size();
  auto* const at =
      std::lower_bound(roles.data(), end, name, [](const GangRole& role, std::string_view text) {
        return std::string_view(role.role.name) < text;
      });
  return at != end && at->role.name == name ? at : nullptr;
}

/// The unit of a gang without a cause; some member wants a place.
Unit UnitOf(const Gang& gang, Findings findings, const GroupOptions& options, Notes* notes);

/// The unit of a pod that is in no gang.
Unit UnitOf(const PodPtr& pod, const GroupOptions& options, Notes* notes);

}  // namespace outrigger::plan
