#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/explain/gang_events.h"
#include "cli/explain/planned_cluster.h"
#include "outrigger/plan/groups.h"
#include "outrigger/plan/notes.h"
#include "outrigger/plan/planner.h"
#include "outrigger/plan/pods.h"

// What becomes of gangs, as agent gang plans them: for people, at no particular speed.

namespace outrigger::cli {

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
  /// "bound", "placed" (gets the node now), "waits"; "gated", "terminating", "finished" and "other
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
  int64_t oldest = 0;        ///< when the first that is not through was created; 0: not known
  std::optional<Told> told;  ///< what the agent has last said of it
};

/// One plan of a cluster, which it outlives not. What the agent remembers beside the cluster (who
/// was refused where, who has timed out) is not known: what it has told of that is `told`, which
/// others fill in; the places that it has nominated are. Not thread-safe.
class GangPlan {
 public:
  /// `checks`: what kube-scheduler does not compare, without what `cluster` says.
  GangPlan(const PlannedCluster* cluster, std::vector<std::string> scheduler_names,
           plan::SchedulerChecks checks);

  /// Of every group that a pod names or that has an object, in the order of (dialect, namespace,
  /// name).
  std::span<const plan::GroupState> groups() const { return groups_; }
  /// Units that want a place, single pods included.
  size_t waiting() const { return grouped_.units.size(); }
  /// What was malformed, and how it was taken.
  const std::vector<plan::Note>& notes() const { return notes_; }

  /// `group` is one of groups(). With `figures` the text says what is short of a gang for which
  /// there is no room, which takes several plans.
  ExplainedGang Explain(const plan::GroupState& group, bool figures);

 private:
  using PodPtr = std::shared_ptr<const Pod>;
  struct Seat {
    size_t unit = 0;
    size_t member = 0;
  };
  void AddGroupsWithoutPods();
  void FilePods(std::span<const PodPtr> pods);
  ExplainedMember MemberOf(const Pod& pod) const;
  void ExplainUnit(size_t unit, bool figures, ExplainedGang* gang);

  const PlannedCluster& cluster_;
  plan::GroupOptions options_;
  plan::PlanOptions plan_options_;
  plan::PlannedPods pods_;
  plan::GroupedUnits grouped_;
  std::vector<plan::GroupState> groups_;
  std::vector<plan::Note> notes_;
  plan::Planner planner_;
  plan::Plan plan_;
  absl::flat_hash_map<const Pod*, Seat> seats_;
  std::set<plan::UnitKey> left_out_;          // by plan::TermLimit
  std::vector<std::vector<PodPtr>> pods_of_;  // index-aligned with groups_
};

}  // namespace outrigger::cli
