#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "console/args/command.h"
#include "console/reading/agent_events.h"
#include "console/reading/planned_cluster.h"
#include "gang/commands/cluster_plan.h"
#include "gang/plan/group.h"
#include "gang/plan/groups.h"
#include "gang/plan/notes.h"

// What becomes of gangs, as agent gang plans them: for people, at no particular speed.

namespace outrigger::cli {

/// The last of `all` that is about that gang, without the words that name it and in whole seconds;
/// nothing if there is none. What was told of another one of that name is not: its object had
/// another UID or, of a gang without one, it was told before `oldest`, when the oldest member was
/// created, in seconds since 1970 (0: not known).
std::optional<Told> LastTold(std::span<const Told> all, const plan::UnitKey& gang, int64_t oldest);

enum class GangState : uint8_t {
  kWhole,      ///< all that exist are bound, no fewer than the minimum
  kPart,       ///< some are bound, fewer than the minimum, and nobody waits
  kFits,       ///< all that it needs get places now
  kWaits,      ///< for what `cause` says
  kOneByOne,   ///< its object says that members are scheduled like single pods
  kNoMembers,  ///< no pod exists
};
/// "whole", "bound in part", "fits", "waits", "one by one", "no members".
std::string_view TextOf(GangState state);

/// "labels", "scheduling.x-k8s.io": short names of dialects.
std::string_view DialectText(Dialect dialect);

struct ExplainedMember {
  std::string name;
  /// "bound", "placed" (gets the node now), "waits", "queued" (with the gate of the queue; it may
  /// have its node); "gated", "terminating", "finished" and "other
  /// scheduler" are not counted.
  std::string_view state;
  std::string node;  ///< empty: none
  std::string role;
};

struct ExplainedGang {
  plan::GroupState group;
  GangState state = GangState::kNoMembers;
  std::string cause;         ///< of one that waits: "cpu"
  std::string text;          ///< the cause with its figures; may be empty
  size_t place = 0;          ///< among the units that want a place, from 1; 0: it is not there
  size_t placed_before = 0;  ///< units before it that get places now
  std::vector<ExplainedMember> members;  ///< by name
  /// Members that do not ask for the calls of the agent (plan/call_resources.h), by what they do
  /// not ask for: of gangs of which others do, or where all have to.
  std::map<std::string_view, std::vector<std::string>> not_asking;
  std::string gate;          ///< of members with the gate of the queue: why it is there still
  int64_t oldest = 0;        ///< when the first that is not through was created; 0: not known
  std::optional<Told> told;  ///< what the agent has last said of it
};

/// The gangs of one plan of a cluster, which outlives it. What the agent has told of what only it
/// remembers is `told`, which others fill in. Not thread-safe.
class GangPlan {
 public:
  /// `only_groups`: the agent is called about members alone that ask for it.
  GangPlan(const PlannedCluster* cluster, PlanFlags flags, bool only_groups = false);

  /// Of every group that a pod names or that has an object, in the order of (dialect, namespace,
  /// name).
  std::span<const plan::GroupState> groups() const { return groups_; }
  /// Units that want a place, single pods included.
  size_t waiting() const { return planned_.grouped.units.size(); }
  /// What was malformed, and how it was taken.
  const std::vector<plan::Note>& notes() const { return planned_.notes; }

  /// `group` is one of groups(). With `figures` the text says what is short of a gang for which
  /// there is no room, which takes several plans.
  ExplainedGang Explain(const plan::GroupState& group, bool figures);

 private:
  using PodPtr = ClusterPlan::PodPtr;
  struct Seat {
    size_t unit = 0;
    size_t member = 0;
  };
  void AddGroupsWithoutPods();
  void FilePods();
  ExplainedMember MemberOf(const Pod& pod) const;
  void AddNotAsking(std::span<const PodPtr> pods, ExplainedGang* gang) const;
  size_t ReleasedWithPlaces() const;
  std::string GateText(const ExplainedGang& gang, const plan::Unit* unit) const;
  void ExplainUnit(size_t unit, bool figures, ExplainedGang* gang);

  const PlannedCluster& cluster_;
  const bool only_groups_;
  ClusterPlan planned_;
  std::vector<plan::GroupState> groups_;
  absl::flat_hash_map<const Pod*, Seat> seats_;
  std::set<plan::UnitKey> left_out_;          // by plan::TermLimit
  std::vector<std::vector<PodPtr>> pods_of_;  // index-aligned with groups_
};

}  // namespace outrigger::cli
