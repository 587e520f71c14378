#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gang/plan/group.h"
#include "gang/plan/notes.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/pod.h"

// From pods and PodGroup objects to the units that are planned, in their order.

namespace outrigger::plan {

/// The scheduling gate that is ours: a pod that it alone holds is planned.
inline constexpr std::string_view kQueueGate = "outrigger.dev/queue";

/// True if kQueueGate, and no other gate, keeps the pod from being scheduled.
bool IsQueued(const Pod& pod);

using outrigger::DialectSet;

struct GroupOptions {
  /// Whose PodGroups the API server serves now. kLabels needs none.
  DialectSet served;
  /// Dialects that are served in versions that nothing here can read: which.
  std::map<Dialect, std::string> unknown_versions;
  /// Pods of other schedulers are not planned. A pod that names none is of "default-scheduler".
  std::vector<std::string> scheduler_names{"default-scheduler"};
  /// The values of PriorityClass objects by name.
  std::map<std::string, int32_t, std::less<>> priority_classes;
  /// UIDs of pods that are going though the API server does not say so yet: they count as
  /// terminating.
  std::set<std::string, std::less<>> leaving;
  /// kube-scheduler runs its own cycle for kUpstream groups: stay out of them.
  bool leave_upstream = false;
  /// False: pod priority does not count for the order of units. Rank::priority is the same, and
  /// system-critical priorities come first all the same. If the caller also preempts, leave it
  /// true: a victim that is created again could otherwise come before the unit it was evicted for.
  bool order_by_pod_priority = true;
  /// False: once enough members of a group exist each of them takes a place that is free. For
  /// agents that do not bind members together.
  bool all_or_none = true;
  /// So many members may wait for each other at once: a gang that wants more cannot start. 0: any.
  int64_t most_waiting = 0;
  friend bool operator==(const GroupOptions&, const GroupOptions&) = default;
};

/// Why nothing of a group is planned; the first that applies.
enum class GroupCause : uint8_t {
  kNone,
  kLeftToScheduler,  ///< an upstream group, and kube-scheduler handles these
  kNotServed,        ///< the API server does not serve the dialect's PodGroups
  kUnknownVersion,   ///< it serves them in versions that are not known
  kObjectMissing,    ///< no PodGroup of that name
  kInvalidMinimum,   ///< the object's minimum, or that of a role, is out of range
  kTooManyMembers,   ///< more than kMaxMembers exist
  kTooManyWaiting,   ///< more have to wait for each other than may (GroupOptions::most_waiting)
  kTooMuch,          ///< the group or a member asks for more than is planned
  kInvalidTopology,  ///< a required topology level is no label key
  kTooFewMembers,    ///< fewer exist than the minimum, of the group or of a role
};

/// True if one of these schedulers places the pod.
bool IsOurs(const Pod& pod, std::span<const std::string> scheduler_names);

/// "members", "no PodGroup": the class of a cause, as TextOf(Cause) of plan/planner.h.
std::string_view TextOf(GroupCause cause);

/// What becomes of a gang that is bound in part, below its minimum.
enum class OnMemberLoss : uint8_t {
  kReplace,  ///< its missing members are planned before others of its priority
  kIgnore,   ///< what is left runs on; members that come are planned one by one, in their turn
  kRestart,  ///< as kReplace, and if that takes too long the rest is evicted
};

/// A group that at least one pod names. A pod counts once, in the first of finished, terminating,
/// other_scheduler, bound, gated that applies.
struct GroupState {
  UnitKey key;  // uid: of the object; empty where there is none
  GroupCause cause = GroupCause::kNone;
  /// What to tell about the cause, with its figures: "12 of 16 members exist; not counted: 3
  /// terminating, 1 gated by example.com/quota". Empty without one.
  std::string text;
  int64_t minimum = 0;   // 0: not known, or members are scheduled one by one
  int64_t existing = 0;  // bound, and those that want a place, queued ones included
  int64_t bound = 0;
  int64_t queued = 0;  // of those that want a place: only kQueueGate holds them
  int64_t gated = 0;   // held by another scheduling gate
  /// Which gates those are, in order, a few at most.
  std::vector<std::string> other_gates;
  int64_t other_scheduler = 0;
  int64_t terminating = 0;
  int64_t finished = 0;  // Succeeded or Failed
  /// Of this start of the gang: members that had a node and are finished or terminating, and those
  /// of them that succeeded. With an object a start begins when the object is created. With labels
  /// it lasts as long as the pods have the same owner, or until no pod of the group is left.
  int64_t ran = 0;
  int64_t succeeded = 0;
  /// How many living members must have a place: the minimum is for starting, so members that
  /// succeeded count towards it.
  int64_t needed = 0;
  /// The same for each role that has a minimum, by name.
  std::vector<Role> roles;
  /// The largest minimum that members of this start say they were started with (kStartedWith); 0:
  /// none does.
  int64_t started_with = 0;
  /// What members that are bound now are to say they were started with: the minimum, or what all
  /// roles together want, if that is more.
  int64_t starts_with = 0;
  /// As many members have started as the minimum, or started_with, and all roles want, and some of
  /// these run or have succeeded. Members that come later do not wait for more of them.
  bool admitted = false;
  /// Some are bound, but fewer than needed, of the group or of a role. A minimum that was raised
  /// since the gang started breaks no gang: started_with counts where it is less.
  bool broken = false;
  /// Broken by a loss: a bound member says what it was started with (kStartedWith), and less than
  /// that is bound, or the gang wants no more than that.
  bool in_part = false;
  /// In part and not kIgnore: the gang comes before others of its group priority and priority, and
  /// is not evicted. PartTimes (plan/part_times.h) takes it away after some time.
  bool preferred = false;
  OnMemberLoss on_member_loss = OnMemberLoss::kReplace;
  /// Members are scheduled one by one: nothing names a minimum, or the object says so.
  bool independent = false;
  /// The value of the object's priorityClassName, if that is known.
  std::optional<int32_t> class_priority;
  /// The object's scheduleTimeoutSeconds.
  std::optional<int64_t> schedule_timeout_seconds;
};

struct GroupedUnits {
  /// Gangs and single pods that want a place, in order (see plan/order.h), each with at least one
  /// member. `waits_on`, `reserved`, `refused` and `pinned` of members are empty, and no unit has
  /// open claims.
  std::vector<Unit> units;
  /// One for each (dialect, namespace, name) that a pod names, in the order of their keys. A group
  /// with a cause has no unit; one without may have none, too: all its members are bound.
  std::vector<GroupState> groups;
};

/// Makes units of `pods`, each of which is given once, in any order: the result does not depend on
/// it. Bound, terminal and terminating pods are needed of groups alone. Pointers are not null;
/// units share them. Of several objects with one dialect and name the newest counts.
///
/// Pods of one group, by MembershipOf(), are one unit, with those over the minimum; a pod without a
/// group is a unit of its own with its own name and uid. Of a gang
///  - the minimum is the object's; without an object that of the oldest member that names one, and
///    another one is noted, or GroupState::started_with if no living member does;
///  - groupPriority is the oldest member's, and another one is noted;
///  - the priority is the lowest of its members, which is noted if they differ, or that of the
///    object's priorityClassName if it is less; a larger one, or an unknown class, is noted;
///  - the QoS class is its lowest member's;
///  - the creation time is the object's, or else its oldest member's;
///  - roles are those of minTaskMember, topology levels are the object's annotations or, without
///    object, those of the oldest member that has them;
///  - one that is bound in part wants its minimum, or with kIgnore one member more than are bound;
///  - one that is GroupState::preferred comes before others of its group priority and priority;
///  - one whose priority is system-critical comes first;
///  - members are in the order of priority, descending, creation, and name.
/// "Oldest" is by creation time, then name, among members that are neither finished nor
/// terminating; "lowest" is among those that exist. Members of a group that is
/// GroupState::independent are single units.
///
/// Linear in pods but for sorting. Pure; `notes` may be null. Thread-safe as far as `notes` is.
GroupedUnits BuildUnits(std::span<const std::shared_ptr<const Pod>> pods,
                        std::span<const PodGroupObject> objects, const GroupOptions& options,
                        Notes* notes);

/// Units that are kept from plan to plan, for who plans over and over: only what has changed is
/// looked at again. Not thread-safe.
class UnitTable {
 public:
  UnitTable();
  ~UnitTable();
  UnitTable(const UnitTable&) = delete;
  UnitTable& operator=(const UnitTable&) = delete;

  /// Brings made() to what BuildUnits() gives for the same arguments. A pod is known by its
  /// address: one that has changed is another object, as PlannedPods gives them. Notes are made of
  /// groups that are looked at: those of which a pod, the object or the options have changed.
  /// One pass over pods, objects and units; the work itself is linear in what has changed.
  void Update(std::span<const std::shared_ptr<const Pod>> pods,
              std::span<const PodGroupObject> objects, const GroupOptions& options, Notes* notes);

  /// Of the last update. Until the next one undoes it, the caller may fill what BuildUnits() leaves
  /// empty, change `rank.turn`, `rank.first`, `rank.in_part` and GroupState::preferred, reorder the
  /// units, and take some out.
  GroupedUnits& made() { return made_; }
  /// Of the pods of the last update those that name a group, in their order.
  const std::vector<std::shared_ptr<const Pod>>& members() const;

 private:
  class Content;
  const std::unique_ptr<Content> content_;
  GroupedUnits made_;
};

/// The state of the group that `membership` names, or nullptr; points into `groups`, which are in
/// the order that BuildUnits() gave them.
const GroupState* FindGroup(std::span<const GroupState> groups, const Membership& membership);

}  // namespace outrigger::plan
