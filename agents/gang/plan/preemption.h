#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gang/plan/groups.h"
#include "gang/plan/planner.h"
#include "gang/plan/unit.h"
#include "outrigger/k8s/disruption_budget.h"
#include "outrigger/k8s/pod.h"

// Who would have to go for a unit to fit. docs/planner.md says what may be relied on.

namespace outrigger::plan {

/// Pods that are evicted together or not at all: all members of a gang that have a place, or a
/// single pod. Pods that say they are in a gang of another scheduler go together, too.
struct Victim {
  UnitKey key;  // of a gang of another scheduler: kNone, the first pod's name and the gang as uid
  int32_t priority = 0;  // the highest of its pods
  int64_t since = 0;     // when the last of them got its place; seconds since 1970, 0: not known
  std::vector<std::shared_ptr<const Pod>> pods;  // by name
};

struct PreemptionOptions {
  int64_t now = 0;           // seconds since 1970
  int64_t min_run_time = 0;  // seconds: who got its place later than that stays
  std::vector<DisruptionBudget> budgets = {};
  /// As GroupOptions: pods of other schedulers stay, as their replacements are not planned.
  std::vector<std::string> scheduler_names{"default-scheduler"};
  /// Why the API server refused to evict pods, by UID: they stay.
  std::map<std::string, std::string, std::less<>> refused = {};
  /// The search gives up after so many plans.
  size_t most_plans = 128;
  /// It gives up, too, once the sets that it has looked at have so many members in all: budgets can
  /// forbid any number of sets without a plan. At 8 bytes each this bounds its memory.
  size_t most_looked_at = size_t{1} << 21;
  /// Ends the search with kEffort, after the plan that is under way.
  std::stop_token stop = {};
};

/// What would let a unit fit that does not.
struct Preemption {
  enum class Answer : uint8_t {
    kVictims,    ///< with these gone it fits
    kNotNeeded,  ///< it fits, or will once pods are gone that are being deleted already
    kNever,      ///< a member has preemptionPolicy Never
    kNobody,     ///< no set of those that may be evicted would do
    kEffort,     ///< the search was given up
  };
  Answer answer = Answer::kNobody;
  std::vector<Victim> victims = {};     // by key
  std::vector<std::string> nodes = {};  // of the unit's members, as UnitPlan::nodes; of kVictims
  /// Of kNobody, where pods of lower priority that may not be evicted are why: how many, why, and
  /// the first of them.
  std::string protected_pods = {};
};

/// The cheapest set of victims of lower priority than units[index] without which it fits, after the
/// units before it have taken what they can. Sets are compared by the highest priority among the
/// victims, then by the number of pods, then by the seconds that they have run; the first is the
/// cheapest. A gang is evicted whole or not at all. Never evicted are pods of a DaemonSet, static
/// pods, those whose place is not confirmed yet, gangs that are bound in part, what has not run for
/// min_run_time, pods of other schedulers, pods whose replacements would come before the unit, and
/// pods that budgets protect: one that allows no eviction now, or any two.
///
/// The set is the cheapest one where trying all cheaper ones takes at most `most_plans` plans;
/// where it would take more, a set of which nobody can be spared.
///
/// `units` and `options` are those of the last plan, `groups` those that BuildUnits() gave with
/// them. `planner` is used as by so many calls of Run(). No clock, no I/O.
Preemption FindPreemption(Planner* planner, const std::shared_ptr<const ClusterSnapshot>& snapshot,
                          std::span<const Unit> units, size_t index,
                          std::span<const GroupState> groups, const PlanOptions& plan_options,
                          const PreemptionOptions& options);

}  // namespace outrigger::plan
